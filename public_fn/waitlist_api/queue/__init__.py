"""Send requests to the private function, which runs the Redis scripts.

A request can arrive late, when the customer has already signed up again or the entry has been
claimed again. Each request therefore names the signup or the claim to which it belongs, so that it
cannot change a later signup or claim (docs/internals/late-messages.md).
"""
