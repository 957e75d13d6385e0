"""Read and write the records in DynamoDB, which are the authority on all entries.

No other package calls DynamoDB.

Every write of an entry has a condition. The condition names the status and either the stay
(`join_id`, `ticket`) or the stamp that the caller expects to find. If a write is late or repeated,
the record has already moved on. The write then raises EntryChanged and changes nothing.

The other packages change an entry by one of two protocols.

In the first protocol, the record is written first. Signups, imports, leaves and erasures take three
steps:

1. Write an intent, which is the status `joining` or `leaving` (modules `intents`, `imports`,
   `entries` and `erasures`).
2. Ask Redis through the package `queue`.
3. Write the outcome, delete the erased record, or take back an intent that Redis has refused.

If the process crashes in between, the intent stays in the index, sorted by its age. A retry
finishes it, or maintenance does so when the intent is a minute old. Exits, edits and bans are also
decided by the record first, and Redis follows.

In the second protocol, Redis decides first. Redis decides about entries that are waiting, held or
parked. The module `transitions` then writes the decision and its events to the record, and the
module `decisions` maps the verb of the decision to a status and events. The module `entries` writes
the bumps. If the process crashes before that write, Redis keeps the decision until maintenance has
recorded it. If Redis is lost as well, the recorded place is restored. No caller has received an
answer by then. The record refuses a decision if Redis did not know something that the record
already has (see `Transition.basis`).

A new place or the end of a stay is written in one transaction, together with its events and its
change in the `journal`. The stream of the table publishes the events. Maintenance compares the
newest changes in the journal with Redis. The index (module `places`) lags behind the table, so it
is never used to decide about a single entry.
"""
