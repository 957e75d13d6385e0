"""Tests of the contracts between the functions, and between the functions and AWS. They check
messages, events, and which calls each operation makes.
"""
