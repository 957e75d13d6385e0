"""Tests of the contracts between the functions, and of the contracts with AWS: messages, events,
and the calls of each operation.
"""
