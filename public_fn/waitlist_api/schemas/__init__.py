"""What the HTTP API takes and gives; every field has a limit, unknown fields are refused."""
