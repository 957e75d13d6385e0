"""Sends mail and SMS messages to the customers of a waitlist.

Each message is sent at most once, and only if its content is still correct at that moment.
"""
