"""The parts of the terminal interface: options, output and local files."""
