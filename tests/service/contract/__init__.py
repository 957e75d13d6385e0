"""Tests of the contracts between the functions, and between the functions and AWS. They check
messages, events, and the calls that each operation makes.
"""
