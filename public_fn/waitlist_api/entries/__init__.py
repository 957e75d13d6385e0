"""Operations on a single entry, such as signing up, leaving, editing, and reading the position."""
