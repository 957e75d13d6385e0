"""Send requests to the private function, which runs the Redis scripts.

A request can arrive late, when the customer has already signed up again or the entry has been
claimed again. That is why each request names the signup or claim that it belongs to, so that it
cannot change a later one (docs/internals/late-messages.md).
"""
