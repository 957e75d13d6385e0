"""The private function as its callers see it: messages, the client, recovery of a cold order.

Redis decides by one script for each message. Its answer is a decision, not an acknowledgement: the
record is the authority, and a use case writes the decision there before it answers its caller.

1. `messages` builds a message from a record. It names the stay, offer, hold or parking that it
   means, so that a late copy changes no other one (docs/internals/late-messages.md).
2. QueueClient invokes the private function, and raises the error in its answer; `send_batch`
   returns the result or the error of each row. QueueUnavailable does not show whether the script
   ran: the caller's retry, or maintenance, sends the message again.
3. RecoveringQueue meets Cold: Redis has lost the list. It initialises the list from the record,
   without entries and with tickets behind every recorded stamp, and starts maintenance, which
   rebuilds the order. Then `write` sends again what Redis takes during a rebuild (signup, leave,
   drop, exit); `read` raises Rebuilding. After a crash between the two, the next scheduled run of
   maintenance finds the list incomplete.
4. SegmentedQueue meets StaleSegments: the sender, or Redis, has earlier segments of the list. It
   reads the list's record again, sends Redis its settings, and repeats the message.

`repair` returns the message that restores a recorded place which Redis has lost. `renewals` lets
the time inside of an admission begin that is recorded late.

Use cases (`entries`, `imports`, `waitlists`, `admission`) send by RecoveringQueue what may meet a
cold list; maintenance sends by QueueClient, because it rebuilds such lists itself.
"""
