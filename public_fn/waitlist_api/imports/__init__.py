"""Import many customers in a single request.

Each customer's place in the queue depends on when they joined an earlier system.
"""
