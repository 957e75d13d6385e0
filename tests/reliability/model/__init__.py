"""The model checker runs every crash, fault and interleaving, and looks for a broken promise."""
