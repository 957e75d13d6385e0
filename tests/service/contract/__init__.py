"""What the functions promise each other and AWS: messages, events, and calls per operation."""
