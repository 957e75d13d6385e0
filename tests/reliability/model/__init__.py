"""The model checker.

It runs operations with a crash, another fault or a second operation at every step, and checks that
the service keeps its promises.
"""
