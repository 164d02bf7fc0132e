"""Players that look ahead: from what a seat knows, worlds are imagined and played to their end.

A searching seat is a policy like any other, handed `table`, `me` and `choice` and nothing else:
`unseen` works out what the seat knows, `models` who its rivals may be, `imagine` makes complete
games that fit, `rollouts` plays them on with policies that stand for the seats, `race` chooses, and
`tree` looks at the seat's later decisions as well. `looking` and
`outlook` tell what every option is worth.
"""
