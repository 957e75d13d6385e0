"""Searches every crash, fault and interleaving for a broken promise; never deployed."""
