"""The model checker runs operations with crashes, faults and interleavings at every step, and looks
for a broken promise.
"""
