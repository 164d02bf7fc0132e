"""Policies that look ahead: rollouts in sampled worlds that fit what a seat knows.

A searching seat is a policy like any other and receives only `table`, `me` and `choice`. `beliefs`
derives what the seat knows and samples complete games that fit (determinization), `opponents`
models its rivals, `rollouts` plays the games to their end, `sequential_halving` chooses an option,
and `ismcts` also searches the seat's later decisions. `evaluation` reports the value of options.
"""
