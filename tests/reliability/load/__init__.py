"""Load tests.

Many clients send requests to a service with little capacity, and the tests check every response.
"""
