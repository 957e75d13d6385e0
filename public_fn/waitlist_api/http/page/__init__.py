"""The customer's page: its files, its address and its settings."""
