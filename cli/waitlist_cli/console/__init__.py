"""`waitlist console`: a web application that runs on the operator's own computer.

The console calls the HTTP API, as every other command does. Its own state, such as claims and
dropped files, is lost when the process ends.
"""
