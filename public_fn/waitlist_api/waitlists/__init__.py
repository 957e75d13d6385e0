"""Waitlists: their configuration, its cache, and the lease that maintenance holds on one."""
