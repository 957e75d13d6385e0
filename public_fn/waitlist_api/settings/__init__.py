"""Admission policies: how many places a list has due, and when."""
