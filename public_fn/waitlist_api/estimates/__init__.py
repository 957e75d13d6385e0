"""How long a place in the queue takes: the pace of a list, and estimates from it."""
