"""The terminal interface: options, output and local files."""
