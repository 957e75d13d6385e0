"""Estimate how long customers wait, from the pace of a waitlist."""
