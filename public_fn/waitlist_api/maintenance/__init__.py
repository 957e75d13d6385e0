"""The scheduled job that finishes interrupted requests and repairs Redis.

A run for all waitlists starts every minute. A run for one waitlist starts at once when a request
finds that Redis has lost the waitlist's order, or changes its segments, or deletes it. Such a run
does only step 3. The record in DynamoDB is the authority, but decisions that only Redis knows are
written into it. `runner` does these steps:

1. `finish_intents` finishes signups and leaves on all waitlists that were interrupted more than a
   minute ago.
2. The survey finds the waitlists that need work. The journal names the waitlists that have changed,
   and batches of 500 messages ask Redis for the statistics of all waitlists. `quiet` skips a
   waitlist if nothing has happened since its last heartbeat, nothing is due, and the last run left
   nothing undone. The steps below handle the other waitlists, 250 at a time.
3. Each waitlist is maintained. If its order in Redis is complete, missing settings are sent again,
   `reconcile` ends expired holds and records decisions that the record lacks, new segments are
   indexed, and the policy admits customers until nothing is due. If the order is missing or
   incomplete, `rebuild` restores it in three passes under a lease. If the waitlist is deleted, its
   entries are erased, and then the waitlist itself.
4. `sampler` reads the statistics again, because step 3 may have admitted customers. It stores them
   as this minute's sample, and computes the pace for wait estimates.
5. `heartbeat` increments the heartbeat in Redis and sends the pace. If Redis lacks the last
   heartbeat, it has lost writes. If it lacks more than that, the order is rebuilt. `audit` compares
   the recent changes in the journal with Redis, `repair` decides how to correct a difference, and
   `strays` removes entries that have no record. The checkpoint is written to the waitlist's record
   last, and says whether anything was left undone.
6. The run stores the stamp up to which the journal has been compared (`records.rounds`). If the run
   has no time left, it also stores the waitlist where it stopped, and the next run continues there.

Every step can be repeated: writes to the record are conditional, and each message names the stay
that it is about. If a run is killed in steps 1 to 3, the next run finds the intents, the decisions
(Redis keeps a decision until `settle`) and the stored progress of a rebuild. If it is killed in
step 4, one sample is missing. If it is killed in step 5, the checkpoint is not written, so the next
run compares the same changes again. If it is killed in step 6, the next run reads the same part of
the journal again.

If one waitlist or entry fails, the others continue (`isolation`), and the next run maintains that
waitlist again. The journal is read from the same stamp until every waitlist has been compared. If
two runs overlap, the first stored round counts.
"""
