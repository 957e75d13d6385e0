"""Many people at once, each at the place of their time."""
