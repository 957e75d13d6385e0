"""A list as it changes, drawn in the terminal."""
