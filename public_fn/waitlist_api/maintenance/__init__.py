"""The scheduled job: finishes what requests left unfinished, repairs what Redis has lost.

It runs each minute for all lists, and at once for one list (step 3 alone) after a request that
found its order lost, changed its segments or deleted it. The record is the authority; decisions of
Redis that it lacks are recorded. `runner` has the order of a run:

1. `finish_intents`: signups and leaves that were cut off over a minute ago, of all lists.
2. The survey. The journal names the lists that have changed, and batches of 500 ask Redis for the
   stats of all. `quiet` decides which lists need nothing more: nothing has happened there since
   the last heartbeat, nothing is due, and the last run has left nothing undone. Only the others
   go on, up to 250 together.
3. Each list, by the state of its order. Complete: settings that Redis lacks are sent again,
   `reconcile` ends expired holds and records the decisions that the record lacks, new segments are
   indexed, and the policy admits until nothing is due. Missing or incomplete: `rebuild`, in three
   passes, under a lease. A deleted list: its entries are erased, then the list.
4. `sampler`: the counts are taken again, because step 3 may have admitted, and stored as the sample
   of the minute; the pace of the estimates is made of them.
5. `heartbeat`: Redis counts one more, and gets the pace. If it lacks the last heartbeat it has lost
   writes, and if it lacks more the list is rebuilt. `audit` compares the journal since then with
   Redis, `repair` decides on what differs, and `strays` takes out entries that no record has. The
   checkpoint in the list's record is written last. It says whether anything was left undone.
6. The note of the round (`records.rounds`): up to which stamp the journal is compared. A run that
   has no time left notes the list at which it stopped, and the next run goes on behind it.

Each step can be repeated: writes of the record are conditional, and messages name the stay that
they mean. A run that is killed in steps 1 to 3 leaves intents, decisions (Redis forgets one only
after `settle`) and the noted progress of a rebuild to the next; in step 4 a sample is missing; in
step 5 the checkpoint is not written, so the stamp in Redis differs from it, and the next run
compares the same changes again; in step 6 it reads the same part of the journal again. A failure
of one list or entry does not stop the others (`isolation`), but the next run maintains that list
again. While a list could not be compared the journal is read from the same stamp. Of two runs at
once the first note counts.
"""
