"""Who meets whom in a tournament."""

from __future__ import annotations

import itertools

import numpy as np

from paxsim.policies.policy import Policy

#: Line-ups of a tournament with more than two players; all combinations if there are no more.
MAX_LINEUPS = 120
#: Draws the line-ups of a tournament where not all are played.
LINEUP_SEED = 20_26


def draw_lineups(policies: list[Policy], players: int) -> list[list[Policy]]:
    """Line-ups in which everybody plays equally often, and with as many others as possible.

    All combinations if there are at most `MAX_LINEUPS`; else shuffled rounds in which everybody
    plays once, cut into tables. With fewer policies than seats they are dealt out in turn.
    """
    count = len(policies)
    if players <= count:
        combinations = list(
            itertools.islice(itertools.combinations(policies, players), MAX_LINEUPS + 1)
        )
    else:
        fill = itertools.combinations_with_replacement(policies, players)
        combinations = list(
            itertools.islice((c for c in fill if len(set(map(id, c))) > 1), MAX_LINEUPS + 1)
        )
    if len(combinations) <= MAX_LINEUPS:
        return [list(lineup) for lineup in combinations]
    rng = np.random.default_rng(LINEUP_SEED)
    queue: list[Policy] = []
    lineups: list[list[Policy]] = []
    while len(lineups) < MAX_LINEUPS:
        lineup: list[Policy] = []
        while len(lineup) < players:
            if not queue:
                queue = [policies[i] for i in rng.permutation(count)]
            following = next((p for p in queue if p not in lineup), queue[0])
            queue.remove(following)
            lineup.append(following)
        lineups.append(lineup)
    return lineups
