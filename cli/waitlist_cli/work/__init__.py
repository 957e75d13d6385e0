"""Claims entries and runs a program for each of them."""
