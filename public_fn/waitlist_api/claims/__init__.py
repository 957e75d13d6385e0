"""Claims: offer entries at the head of the queue, then complete, release, extend or park them."""
