"""The package behind `waitlist console`, a web application that runs on the operator's own
computer.

Like every other command, the console calls the HTTP API. The console keeps claims and dropped files
only while it runs.
"""
