"""Configure waitlists, and report their state and their history."""
