"""A launch: everybody comes at once, most are refused at first, and all get in."""
