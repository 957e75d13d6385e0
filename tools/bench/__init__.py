"""Benchmarks of the private and the public function. Each result is compared with a target."""
