"""The load test sends requests from many clients to few concurrent private calls, and checks every
answer.
"""
