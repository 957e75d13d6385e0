"""Operations on a single entry.

Examples are signing up, leaving, editing the data and reading the position.
"""
