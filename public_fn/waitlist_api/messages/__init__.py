"""Mail and SMS messages to the customers of a waitlist.

Each message is sent once, and only if it is still correct when it is sent.
"""
