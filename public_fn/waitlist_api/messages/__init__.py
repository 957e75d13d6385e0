"""Sends email and SMS messages to the customers of a waitlist."""
