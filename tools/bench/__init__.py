"""Benchmarks of the private function. Each measurement has a written target."""
