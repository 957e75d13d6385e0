"""Credentials: entry tokens, customers' JWTs, operators' IAM identities, and passes."""
