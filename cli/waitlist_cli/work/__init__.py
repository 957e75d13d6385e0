"""The worker: claims entries and runs a program for each."""
