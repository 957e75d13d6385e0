"""Load tests, in which many clients send requests to a service with little capacity.

The tests check every response.
"""
