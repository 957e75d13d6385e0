"""Operations on a single entry, such as signup, leave, bump, edit, and reading the position."""
