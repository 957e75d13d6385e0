"""Imports people from a file.

Reads the rows, maps the columns, sends the entries, and writes refused rows to a file.
"""
