"""The operator's command-line program.

It calls the HTTP API and imports none of the service's code.
"""
