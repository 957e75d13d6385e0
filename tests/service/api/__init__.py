"""Tests of the responses to any HTTP request. The whole service runs in one process."""
