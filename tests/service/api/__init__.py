"""Tests for the HTTP API. The whole service runs in one process."""
