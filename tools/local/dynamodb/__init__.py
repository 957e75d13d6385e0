"""A DynamoDB in memory: moto's, made cheap where it is slow."""
