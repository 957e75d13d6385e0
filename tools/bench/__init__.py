"""Benchmarks of the private and public functions, whose results are compared with targets."""
