"""Send requests to the private function, which runs the Redis scripts.

Each request names the signup or claim that it applies to. If the request arrives late, it
therefore cannot change a later signup or claim (docs/internals/late-messages.md).

- `messages` builds a request from a record.
- QueueClient invokes the private function and raises the error in its response.
- RecoveringQueue starts a rebuild if Redis has lost the waitlist.
- SegmentedQueue tries again if the sender or Redis has outdated segments.
"""
