"""Send requests to the private function, which runs the Redis scripts.

Each request runs a single script. The script's result is a decision. The service writes the
decision to the record before it answers its caller, because the record is authoritative.

1. `messages` builds a request from a record. The request names the signup, offer, claim or parking
   that it applies to. If the request arrives late, it therefore cannot change a later signup or a
   later claim (docs/internals/late-messages.md).
2. QueueClient invokes the private function and raises the error in its response. `send_batch`
   returns the result or the error of each request. After QueueUnavailable, it is unknown whether
   the script has run. The caller's retry or maintenance then sends the request again.
3. RecoveringQueue handles Cold, which means that Redis has lost the waitlist. RecoveringQueue
   creates an empty queue in Redis, and ensures that new tickets are later than every recorded
   stamp. It then starts maintenance, which restores the entries. During this rebuild, Redis accepts
   signups, leaves and exits, so `write` sends the request again. `read` raises Rebuilding. If the
   process crashes before it starts maintenance, the next scheduled run restores the entries.
4. SegmentedQueue handles StaleSegments, which means that the sender or Redis has outdated segments.
   SegmentedQueue reads the record of the waitlist again, sends its settings to Redis, and repeats
   the request.

`repair` decides which request restores an entry that Redis has lost. `renewals` restarts a
customer's pass if the admission is recorded late.

The packages `entries`, `imports`, `waitlists` and `admission` use RecoveringQueue if Redis may have
lost the waitlist. Maintenance uses QueueClient, because maintenance restores a lost waitlist
itself.
"""
