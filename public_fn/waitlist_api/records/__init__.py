"""Read and write the records in DynamoDB, the system of record for all entries.

Redis holds the queue of each waitlist, and DynamoDB holds the record of each entry. If the two
stores disagree, the record is authoritative. Every write of an entry is conditional, so a write
that arrives late or twice changes nothing.

Some changes are recorded first, and Redis is updated afterwards. Examples are signups, imports,
erasures, exits and edits. If the process crashes in between, a retry or maintenance finishes the
change.

Other changes are decided by Redis and then recorded. Examples are offers and claims. If the
process crashes in between, Redis keeps the decision until maintenance has recorded it.

The index (module `places`) lags behind the table, so it is never used to decide about a single
entry.
"""
