"""The scheduled job that finishes interrupted requests and repairs Redis.

A run for all waitlists starts every minute. If Redis has lost a waitlist's queue, a request can
also start a run for that waitlist. Every step of a run can be repeated. If one waitlist fails, the
run continues with the others.
"""
