"""The scheduled job: finishes what requests left unfinished, repairs what Redis has lost.

It runs each minute for all lists, and at once for one list (step 2 alone) after a request that
found its order lost, changed its segments or deleted it. The record is the authority; decisions of
Redis that it lacks are recorded. `runner` has the order of a run:

1. `finish_intents`: signups and leaves that were cut off over a minute ago, of all lists.
2. Each list, by the state of its order. Complete: new settings are sent again, `reconcile` ends
   expired holds and records the decisions that the record lacks, new segments are indexed, and the
   policy admits until nothing is due. Missing or incomplete: `rebuild`, in three passes, under a
   lease. A deleted list: its entries are erased, then the list.
3. `sampler`: the counts are taken again, because step 2 may have admitted, and stored as the sample
   of the minute; the pace of the estimates is made of them.
4. `heartbeat`: Redis counts one more, and gets the pace. If it lacks the last heartbeat it has lost
   writes, and if it lacks more the list is rebuilt. `audit` compares the journal since then with
   Redis, `repair` decides on what differs, and `strays` takes out entries that no record has.

Each step can be repeated: writes of the record are conditional, and messages name the stay that
they mean. A run that is killed in step 1 or 2 leaves intents, decisions (Redis forgets one only
after `settle`) and the noted progress of a rebuild to the next; in step 3 a sample is missing; in
step 4 the checkpoint is not written, so the next run compares the same changes again. A failure
of one list or entry does not stop the others (`isolation`).
"""
