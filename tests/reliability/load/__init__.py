"""Load tests: many clients send requests to a service with little capacity, and every answer is
checked.
"""
