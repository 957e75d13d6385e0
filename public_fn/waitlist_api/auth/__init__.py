"""Authentication: customers' entry tokens and JWTs, operators' IAM identities, and passes."""
