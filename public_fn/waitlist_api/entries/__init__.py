"""The operations on one entry: sign up, leave, bump, edit, read its position."""
