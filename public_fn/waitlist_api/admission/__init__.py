"""How entries leave the queue: admissions and claims, what ends their holds, and exits.

Redis decides each of them in one script, by its own clock; the record is written before the caller
is answered. Only an exit is recorded first. Routes call this package; a poll that finds slots due,
and maintenance each minute, run a list's policy.

1. Take. `admit` offers slots to the first entries (a run of the policy, or an operator), or admits
   them at once; `claim` holds them for an operator under a token each. `dequeue` sends both, with
   the digests by which Redis recognises a repeat. The record notes instants of a schedule before
   a run counts them: after a crash between, Redis counts them in the next run.
2. Record. `offers` writes `offered` or `admitted` into each record. Redis gives up the place of an
   entry whose stay is over, and the answer lacks it. After a crash before this step the repeat with
   the same Idempotency-Key records the entries. Without it maintenance records offers and
   admissions, and holds of a claim expire.
3. End. `holds` has the verbs: enter, decline, withdraw of an offer; complete, release, extend, park
   of a claim; redrive of a parking. Each sends the script, then records its decision. `withdraw`
   also records the offer that its script has made to the next entry. After a crash between,
   the repeat, recognised by token or by the time of the offer or parking, or maintenance records
   the decision. The next claim or run, or maintenance, ends holds at their deadline.
4. `exit`: the record, then Redis. After a crash between, the room is free when the pass ends, or at
   the repeat. A customer's own exit may keep the room (`customer_exit`), and ends with the record.

If an admission is recorded late, Redis first lets its time inside begin (docs/decisions/0051).
"""
