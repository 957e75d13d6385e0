"""Sends mail and SMS messages to the customers of a waitlist."""
