"""Players that look ahead: from what a seat knows, worlds are imagined and played to their end.

A searching seat is a policy like any other, handed `table`, `me` and `choice` and nothing else:
`unseen` works out what the seat knows, `imagine` makes complete games that fit it, `rollouts` plays
them on with policies that stand for the seats, and `flat` chooses.
"""
