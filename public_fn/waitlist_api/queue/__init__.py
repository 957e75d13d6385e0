"""Send requests to the private function, which runs the Redis scripts.

Each request names the signup or claim that it applies to. If the request arrives late, it
therefore cannot change a later signup or claim (docs/internals/late-messages.md).
"""
