"""The record in DynamoDB: the authority on all entries. No other package calls DynamoDB."""
