"""Load test: many clients, few concurrent private calls, and a check of every answer."""
