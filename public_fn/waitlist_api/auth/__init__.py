"""Authentication: entry tokens and JWTs of customers, IAM identities of operators, and passes."""
