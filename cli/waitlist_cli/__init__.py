"""The operator's command-line program.

It calls the HTTP API and does not import any code of the service.
"""
