"""Bulk import of many entries in a single request.

The time at which each customer joined elsewhere decides their place in the queue.
"""
