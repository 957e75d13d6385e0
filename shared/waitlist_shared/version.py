"""The version of the service and of its command line (see docs/internals/releasing.md)."""

VERSION = "0.1.0"
