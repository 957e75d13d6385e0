"""The scheduled job that finishes interrupted requests and repairs Redis.

A run for all waitlists starts every minute. If Redis has lost the queue of a waitlist, a request
can also start a run for this waitlist.

Every step of a run can be repeated. If one waitlist fails, the run continues with the other
waitlists.
"""
