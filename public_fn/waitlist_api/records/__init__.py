"""The record in DynamoDB: the authority on all entries. No other package calls DynamoDB.

A write states the status, and the stay (`join_id`, `ticket`) or the stamp, that it expects: a late
or repeated one finds a record that is past it, raises EntryChanged and changes nothing. The
packages above change an entry by one of two protocols.

The record first: a signup, import, leave or erasure

1. writes an intent, status `joining` or `leaving` (`intents`, `imports`, `entries`, `erasures`);
2. asks Redis, by the package `queue`;
3. writes the outcome, deletes an erased record, or takes an intent back that Redis refuses.

After a crash the intent stays in the index, by its age: a retry finishes it, or maintenance when it
is a minute old. An exit, an edit and a ban are decided here too, and Redis follows.

Redis first: Redis decides about an entry that waits, is held or is parked. Then `transitions`
writes the decision (`entries` a bump) with its events; `decisions` maps its verb to them. After a
crash before that, Redis keeps the decision until maintenance has recorded it; if Redis is lost too,
the record's place is restored, and no caller was answered. A decision that Redis made without what
the record has (Transition.basis) is refused.

One transaction writes a new place or the end of a stay, its events, which the table's stream sends,
and its change in the `journal`, by which maintenance compares the newest changes with Redis. The
index (`places`) lags: no decision about one entry is made from it.
"""
