"""Benchmarks of the private and the public function.

Each measurement has a target, which is written down.
"""
