"""Operations on a single entry, such as signing up, leaving, editing its data and reading its
position.
"""
