"""Take entries from the queue: admissions, claims, the end of their holds, and exits.

Redis makes each decision in a single script and by its own clock. The service writes the decision
to the record before it answers the caller. An exit is the only exception: the record comes first.
Routes call this package. The policy of a waitlist runs when a poll finds slots due, and each minute
when maintenance runs.

1. Take. `admit` offers slots to the first entries for the policy or for an operator, or admits the
   entries at once. `claim` holds entries for an operator and gives each hold a token. `dequeue`
   sends both kinds of requests, with the digests by which Redis recognises a repeat. The instants
   of a schedule are noted in the record before a run counts them. If the process crashes in
   between, Redis counts the instants in the next run.
2. Record. `offers` writes the status `offered` or `admitted` to each record. If the stay of an
   entry is over, Redis removes its place, and the response does not contain the entry. If the
   process crashes before this step, a repeat with the same Idempotency-Key records the entries. If
   no repeat comes, maintenance records offers and admissions, and the holds of a claim expire.
3. End. `holds` has the verbs that end or extend holds. The verbs `enter`, `decline` and `withdraw`
   end an offer. The verbs `complete`, `release` and `park` end a claim, and `extend` prolongs it.
   The verb `redrive` ends a parking. Each verb runs its script and then records the decision.
   `withdraw` also records the offer that its script has made to the next entry. If the process
   crashes in between, a repeat or maintenance records the decision. Redis recognises the repeat by
   the token, or by the time of the offer or parking. The next claim, the next run or maintenance
   ends a hold whose deadline has passed.
4. Exit. `exit` writes the record and then calls Redis. If the process crashes in between, the room
   becomes free when the pass ends or when the request is repeated. The setting `customer_exit` can
   keep the room taken after a customer's own exit. The exit then changes only the record.

If an admission is recorded late, Redis first starts the customer's time inside again
(docs/decisions/0051).
"""
