"""Configure waitlists, and report their state and history."""
