"""The first option of every decision."""

from __future__ import annotations

from paxsim.policies.registry import policy


@policy
def first(table, me, choice):
    """Choose option 0: keep and play the first card, buy the first group one can pay for."""
    return 0
