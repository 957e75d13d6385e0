"""The scheduled job that finishes interrupted requests and repairs Redis.

Maintenance runs every minute for all waitlists. A request can also start a run for a single
waitlist, for example if Redis has lost the waitlist's queue, or if an operator changes its segments
or deletes it. A run for a single waitlist does only step 3. DynamoDB is the source of truth, but
decisions that only Redis knows are written to DynamoDB. `runner` does these steps:

1. `finish_intents` finishes all signups and requests to leave that were interrupted more than a
   minute ago.
2. The survey finds the waitlists that need work. It reads the recent changes from the journal, and
   asks Redis for the statistics of all waitlists, in batches of 500 messages. `quiet` skips a
   waitlist if nothing has happened since its last heartbeat, nothing is due, and the last run
   completed its work. The other waitlists go through the next steps in batches of 250.
3. Each waitlist is maintained. If the queue in Redis is complete, maintenance sends missing
   settings, records decisions (`reconcile`), indexes new segments, and admits customers according
   to the policy. If the queue is missing or incomplete, `rebuild` restores it. If the waitlist is
   being deleted, maintenance erases its entries, and then the waitlist itself.
4. `sampler` reads the statistics again, because step 3 may have admitted customers. It stores them
   as the sample for this minute, and computes how fast the waitlist admits customers.
5. `heartbeat` increments a counter in Redis. If Redis has lost the last heartbeat, it has lost
   writes. If Redis has lost more than one heartbeat, the queue is rebuilt. `audit` compares recent
   changes with Redis, `repair` decides how to correct a difference, and `strays` removes entries
   that have no record. Finally, a checkpoint is written to the waitlist's record. The checkpoint
   states whether the work is complete.
6. The run stores how much of the journal it has compared (`records.rounds`). If the run has no time
   left, it also stores the last waitlist that it has maintained, and the next run continues there.

Every step can be repeated. Writes to DynamoDB are conditional, and each message to Redis names the
signup that it belongs to. If a run is killed in steps 1 to 3, the next run finds the unfinished
records, the decisions that Redis still keeps, and the saved progress of a rebuild. If a run is
killed in step 4, one sample is missing. If a run is killed in step 5, the checkpoint is not
written, so the next run compares the same changes again. If a run is killed in step 6, the next run
reads the same part of the journal again.

If one waitlist or entry fails, the others continue (`isolation`), and the next run maintains that
waitlist again. Runs read the journal from the same point until every waitlist has been compared. If
two runs overlap, the run that stores its progress first wins.
"""
