"""Define a waitlist's settings, and compute their effect at a given time."""
