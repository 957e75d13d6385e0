"""The worker, which claims entries and runs a program for each entry."""
