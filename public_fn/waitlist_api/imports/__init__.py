"""Import many entries in a single request.

The time at which a customer joined elsewhere decides their place in the queue.
"""
