"""Send requests to the private function, which runs the Redis scripts.

Each request names a signup or a claim, so a late request cannot change a later signup or claim
(docs/internals/late-messages.md).
"""
