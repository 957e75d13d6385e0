"""Benchmarks of the private function, each against a written target."""
