"""`waitlist console`: a web application on this computer, for operators.

It calls the API as the command line does and keeps nothing but the claims and imports of its run.
"""
