"""Implements `waitlist watch`, which shows in the terminal how a waitlist changes."""
