"""The model checker.

It runs operations with crashes, faults and other operations at every step, and checks that no
promise is broken.
"""
