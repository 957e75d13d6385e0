"""A launch: all people come at once, most are refused at first, and all get in."""
