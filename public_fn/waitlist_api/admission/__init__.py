"""Take entries from the queue, with admissions and claims, and let customers exit.

Redis makes each decision in a single script, using the clock of the Redis server. The service
writes the decision to the record in DynamoDB before it answers the caller. Exits are the only
exception: the service writes the record first and then calls Redis. The HTTP routes call this
package. The admission policy of a waitlist runs every minute during maintenance. It also runs when
a customer polls the position and the policy has slots to offer.

1. Take. `admit` offers slots to the first entries, for the policy or for an operator, or admits the
   entries at once. `claim` leases entries to an operator, and creates a token for each lease.
   `dequeue` sends the requests of both modules, with digests that let Redis recognise a repeated
   request. If the policy has a schedule, `admit` writes the scheduled times to the record before
   Redis adds their slots to the slots that are due. If the process crashes in between, Redis adds
   these slots in the next run.
2. Record. `offers` writes the status `offered` or `admitted` to each record. If the customer has
   already left, Redis removes the entry from the queue, and the response does not contain the
   entry. If the process crashes before this step, a request with the same Idempotency-Key records
   the entries. If no such request arrives, maintenance records offers and admissions, and the
   leases of a claim expire.
3. End. `holds` implements the actions that end or extend a lease or an offer. The actions `enter`,
   `decline` and `withdraw` end an offer. The actions `complete`, `release` and `park` end a claim,
   and `extend` prolongs it. The action `redrive` returns a parked entry to the queue. Each action
   runs its Redis script and then records the decision. The script of `withdraw` also offers the
   slot to the next entry, and the service records that offer too. If the process crashes in
   between, a retry or maintenance records the decision. The next claim, the next run or maintenance
   ends every lease and every offer whose deadline has passed.
4. Exit. `exit` writes the record and then calls Redis, so that the next customer can be admitted.
   If the process crashes in between, Redis keeps counting the customer as inside until the pass
   ends or the request is repeated. The `customer_exit` setting can make a customer's own exit
   change only the record.

If an admission is recorded late, Redis first restarts the period for which the customer is admitted
(docs/decisions/0051).
"""
