"""Implements `waitlist watch`, which shows live in the terminal how a waitlist changes."""
