"""Implements `waitlist console`, a web application that runs on the operator's computer."""
