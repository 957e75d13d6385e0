"""Read and write the records in DynamoDB, the system of record for all entries.

No other package calls DynamoDB.

Redis holds the queue of each waitlist, and DynamoDB holds the record of each entry. If the two
stores disagree, the record is authoritative.

Every write of an entry is conditional. The condition names the expected status, together with
either the signup (`join_id`, `ticket`) or the expected logical timestamp (`stamp`). If a write
arrives late or twice, the record no longer matches. The write then raises EntryChanged and changes
nothing.

The other packages change an entry by one of two protocols.

In the first protocol, the record is written first. Signups, imports, leaves and erasures take three
steps:

1. Write an intent, which is the status `joining` or `leaving` (modules `intents`, `imports`,
   `entries` and `erasures`).
2. Call Redis through the package `queue`.
3. Write the outcome to the record. An erasure deletes the record instead. If Redis has refused a
   signup, the intent is removed.

If the process crashes in between, the intent stays in the index. A retry of the request can finish
the intent. Otherwise, maintenance finishes the intent when the intent is a minute old. Exits, edits
and bans are also written to the record first, and Redis is updated afterwards.

In the second protocol, Redis decides first. Redis decides about entries that are waiting, held or
parked. The module `transitions` then writes the decision and its events to the record. The module
`decisions` maps each kind of decision to a status and events. The module `entries` records when an
entry is moved in the queue. If the process crashes before the record is written, Redis keeps the
decision until maintenance has recorded it. If Redis also loses the decision, the entry returns to
the recorded state. This is safe, because no caller has received an answer yet. The record refuses a
decision if Redis made it without knowing a newer recorded change (see `Transition.basis`).

When a stay begins or ends, or an entry gets another rank, the record, its events and its change in
the `journal` are written in one transaction. The stream of the table publishes the events.
Maintenance compares the newest changes in the journal with Redis. The index (module `places`) lags
behind the table, so it is never used to decide about a single entry.
"""
