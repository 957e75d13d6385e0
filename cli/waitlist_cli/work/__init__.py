"""Claims entries and runs a program for each claimed entry."""
