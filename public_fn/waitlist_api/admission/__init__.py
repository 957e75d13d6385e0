"""Admission by a policy: offer places, enter, exit."""
