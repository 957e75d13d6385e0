"""Benchmarks of the private and the public function.

A document states a target for each measurement.
"""
