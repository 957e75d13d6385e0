"""Import many entries in a single request.

Each customer's place in the queue depends on when they joined elsewhere.
"""
