"""The version of the service and of its command line: docs/internals/releasing.md."""

VERSION = "0.1.0"
