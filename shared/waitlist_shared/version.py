"""The version of the service and of its command-line tool (see docs/internals/releasing.md)."""

VERSION = "0.1.0"
