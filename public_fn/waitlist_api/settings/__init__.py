"""Define the settings of a waitlist, and decide what they mean at a given time."""
