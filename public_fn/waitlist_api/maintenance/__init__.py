"""The scheduled job that finishes interrupted requests and repairs Redis.

A run for all waitlists starts every minute. A request can also start a run for a single
waitlist, for example if Redis has lost its queue. A run has these steps:

1. `finish_intents` finishes interrupted requests to join or leave.
2. `quiet` selects the waitlists that need work.
3. `rebuild` restores lost queues, and `reconcile` records the decisions of Redis. The admission
   policies admit customers.
4. `sampler` stores the current counts of each waitlist.
5. `heartbeat` finds out whether Redis has lost writes, and `audit` repairs them.
6. `records.rounds` stores how far the run has come, and the next run continues there.

Every step can be repeated. If one waitlist fails, the others continue.
"""
