"""The OpenAPI document: what routes declare about their responses, links and security."""
