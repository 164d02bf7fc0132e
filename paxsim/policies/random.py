"""Uniformly random play."""

from __future__ import annotations

from paxsim.engine.streams import below
from paxsim.policies.registry import policy


@policy
def random(table, me, choice):
    """Choose any legal option, all alike: the yardstick of every other policy."""
    return below(me.stream, choice.count)
