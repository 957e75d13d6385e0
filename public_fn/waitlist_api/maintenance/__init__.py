"""The scheduled job that finishes interrupted requests and repairs Redis.

A run for all waitlists starts every minute. A request can also start a run for a single
waitlist, for example if Redis has lost its queue.

Every step of a run can be repeated. If one waitlist fails, the run continues with the other
waitlists.
"""
