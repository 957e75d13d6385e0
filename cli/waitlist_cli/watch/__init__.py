"""Implements `waitlist watch`, which shows a waitlist's changes in the terminal."""
