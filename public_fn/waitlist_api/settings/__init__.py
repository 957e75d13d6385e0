"""Define the settings of a waitlist, and compute their effect at a given time."""
