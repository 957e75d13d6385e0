"""Build messages to the private function, send them, and recover from a lost order.

Redis decides about each message in a single script. Its response is a decision and not yet an
acknowledgement: the record is the authority, so the service writes the decision to the record
before it answers its caller.

1. `messages` builds a message from a record. The message names the stay, the offer, the hold or the
   parking to which it applies. A late copy can therefore not change a later stay or a later hold
   (docs/internals/late-messages.md).
2. QueueClient invokes the private function and raises the error in its response. `send_batch`
   returns the result or the error of each request. QueueUnavailable leaves open whether the script
   has run, so the caller's retry or maintenance sends the message again.
3. RecoveringQueue handles Cold, which means that Redis has lost the waitlist. RecoveringQueue
   initialises the waitlist in Redis without entries, and makes sure that new tickets are later than
   every recorded stamp. Then it starts maintenance, which rebuilds the order. `write` then sends
   the message again, because Redis accepts it during a rebuild (signup, leave, drop and exit).
   `read` raises Rebuilding. If the process crashes before it starts maintenance, the next scheduled
   run of maintenance finds that the order is incomplete.
4. SegmentedQueue handles StaleSegments, which means that the sender or Redis has outdated segments.
   SegmentedQueue reads the record of the waitlist again, sends its settings to Redis, and repeats
   the message.

`repair` decides which message restores a recorded place that Redis has lost. `renewals` starts the
time inside again if an admission is recorded late.

The packages `entries`, `imports`, `waitlists` and `admission` send their messages through
RecoveringQueue if Redis may have lost the waitlist. Maintenance uses QueueClient, because it
rebuilds a lost waitlist itself.
"""
