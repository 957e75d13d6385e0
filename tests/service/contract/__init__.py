"""The contracts between the functions and with AWS: messages, events, and the calls of each
operation.
"""
