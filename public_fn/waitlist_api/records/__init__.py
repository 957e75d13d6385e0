"""The record in DynamoDB: the authority on who is on which list. Nothing else calls DynamoDB."""
