"""Tables of a meta-game: payoffs of all line-ups, states, and gains of coalitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paxsim.experiment.estimates import MatchMeasures
from paxsim.experiment.tables import Row, make_table, setting_of, size_of, spread
from paxsim.gametheory.equilibria import CYCLE, PURE, State
from paxsim.gametheory.games import (
    SymmetricGame,
    leave_one_out_error,
    multisets,
    number_of_multisets,
    rows_of,
)
from paxsim.gametheory.metagame import Analysis, Coalition, Described, Estimate, Played, analyse
from paxsim.stats import Interval
from paxsim.text import in_percent

Tables = dict[str, pd.DataFrame]
#: Line-ups that were played, by the seats of each strategy.
Lineups = dict[tuple[int, ...], MatchMeasures]


def metagame_tables(strategies: Sequence[str], matches: Sequence[MatchMeasures]) -> Tables:
    """Return all tables of a meta-game, whose line-ups were played on common deals."""
    names = list(strategies)
    played = gather(names, matches)
    analysis = analyse(played)
    about = _about(names, matches, played, analysis)
    lineups = {tuple(_seats(names, match)): match for match in matches}
    return {
        "states": make_table(
            [{**_state_row(names, state, lineups), **about} for state in analysis.states]
        ),
        "coalitions": make_table(
            [
                {**_coalition_row(names, state, gain, lineups), **about}
                for state in analysis.states
                for gain in state.coalitions
            ]
        ),
        "payoffs": payoff_table(names, matches, analysis.game),
    }


def gather(names: Sequence[str], matches: Sequence[MatchMeasures]) -> Played:
    """Return what was played, by groups of blocks, in the order of `multisets`."""
    counts = np.array([_seats(names, match) for match in matches], np.int64)
    rows = rows_of(counts)
    order = np.argsort(rows, kind="stable")
    wins = np.zeros((len(matches[0].superblock_games()), len(matches), len(names)))
    rome, games = np.zeros(wins.shape[:2]), np.zeros(wins.shape[:2])
    for column, index in enumerate(order):
        match = matches[index]
        won = match.superblock_wins()
        for name, places in match.strategies.items():
            wins[:, column, names.index(name)] = won[:, places].mean(axis=1)
        rome[:, column] = match.superblock_rome()
        games[:, column] = match.superblock_games()
    return Played(matches[0].players, rows[order], wins, rome, games)


def _seats(names: Sequence[str], match: MatchMeasures) -> list[int]:
    return [len(match.strategies.get(name, ())) for name in names]


def _about(
    names: list[str], matches: Sequence[MatchMeasures], played: Played, analysis: Analysis
) -> Row:
    """Return the columns that all rows have in common."""
    return {
        **setting_of(matches[0]),
        "strategies": ", ".join(names),
        "lineups": number_of_multisets(len(names), matches[0].players),
        "lineups_played": len(matches),
        "estimated_error": _error_of_estimates(played, analysis),
        "starts": analysis.starts,
        "draws": analysis.draws,
        "games": sum(match.games for match in matches),
        "blocks": sum(match.blocks for match in matches),
    }


def _error_of_estimates(played: Played, analysis: Analysis) -> float:
    """Return the error of payoffs that were estimated; 0 if all line-ups were played."""
    game = analysis.game
    if len(played.rows) == len(game.rome):
        return 0.0
    return leave_one_out_error(game.players, played.rows, game.payoffs[played.rows])


# --- states ---------------------------------------------------------------------------------


def state_label(names: Sequence[str], state: State) -> str:
    """Return a state in words: ``62 % weighted + 38 % tribune``, ``cycle a → b → a``."""
    if state.kind == CYCLE:
        if len(state.cycle) < 2:
            return f"cycle around {_mixture(names, state)}"
        return f"cycle {' → '.join(names[i] for i in (*state.cycle, state.cycle[0]))}"
    return _mixture(names, state)


def _mixture(names: Sequence[str], state: State) -> str:
    if state.kind == PURE:
        return names[int(state.shares.argmax())]
    order = np.argsort(-state.shares, kind="stable")
    return " + ".join(f"{in_percent(state.shares[i], 0)} % {names[i]}" for i in order
                      if state.shares[i] >= 0.005)  # fmt: skip


def _state_row(names: Sequence[str], described: Described, lineups: Lineups) -> Row:
    state = described.state
    match = lineups.get(_seats_of(state, {}, len(names), lineups))
    return {
        "state": state_label(names, state),
        "kind": state.kind,
        **spread("rome_wins", described.rome if match is None else match.rome_rate()),
        **spread("payoff", described.payoff),
        **spread("basin", described.basin),
        **spread("regret", described.regret),
        "equilibrium": described.equilibrium,
        "stable": described.stable,
        "stable_draws": described.stable_draws,
        **spread("alpha_rank", described.alpha_rank),
        **{f"share_{name}": float(share) for name, share in zip(names, state.shares, strict=True)},
    }


def _seats_of(
    state: State, taken: dict[int, int], strategies: int, lineups: Lineups
) -> tuple[int, ...]:
    """Return the line-up of a pure state with some seats taken; empty for other states."""
    if state.kind != PURE:
        return ()
    players = sum(next(iter(lineups)))
    seats = [taken.get(i, 0) for i in range(strategies)]
    seats[int(state.shares.argmax())] += players - sum(seats)
    return tuple(seats)


def _coalition_row(
    names: Sequence[str], described: Described, gain: Coalition[Estimate], lineups: Lineups
) -> Row:
    name = names[gain.strategy]
    rates: dict[str, Estimate | Interval] = {
        "before": gain.before,
        "after": gain.after,
        "gain": gain.gain,
        "others_after": gain.others,
        "temptation": gain.inside,
        "rome_before": gain.rome_before,
        "rome_after": gain.rome_after,
    }
    # A pure state and what a coalition makes of it are line-ups, whose intervals over blocks hold
    # near 0 and 100 % too, where bootstrap samples are all equal.
    taken = {gain.strategy: gain.seats}
    before = lineups.get(_seats_of(described.state, {}, len(names), lineups))
    after = lineups.get(_seats_of(described.state, taken, len(names), lineups))
    if before is not None and after is not None:
        rates |= {"rome_before": before.rome_rate(), "rome_after": after.rome_rate()}
        rates["after"] = after.win_rate(after.strategies[name])
        others = [places for label, places in after.strategies.items() if label != name]
        if others:
            rates["others_after"] = after.win_rate(others[0])
    row: Row = {
        "state": state_label(names, described.state),
        "kind": described.state.kind,
        "stable": described.stable,
        "seats": gain.seats,
        "strategy": name,
    }
    for column, rate in rates.items():
        row |= spread(column, rate)
    return row


# --- payoffs --------------------------------------------------------------------------------


def payoff_table(
    strategies: Sequence[str],
    matches: Sequence[MatchMeasures],
    game: SymmetricGame | None = None,
) -> pd.DataFrame:
    """Return a row for each line-up and strategy in it.

    With a game, there are also the line-ups that were not played, with estimates.
    """
    names = list(strategies)
    by_row = {int(rows_of(np.array([_seats(names, match)]))[0]): match for match in matches}
    rows: list[Row] = []
    for number, counts in enumerate(multisets(len(names), matches[0].players).tolist()):
        match = by_row.get(number)
        lineup = " + ".join(f"{c} {name}" for name, c in zip(names, counts, strict=True) if c)
        for i in np.flatnonzero(counts).tolist():
            who = {"lineup": lineup, "strategy": names[i], "seats": counts[i]}
            if match is not None:
                rows.append({**who, **_measured(match, names[i])})
            elif game is not None:
                rows.append({**who, **_estimated(matches[0], game, number, i)})
    return make_table(rows)


def _measured(match: MatchMeasures, name: str) -> Row:
    places = match.strategies[name]
    return {
        **spread("win_rate", match.win_rate(places)),
        **spread("rome_wins", match.rome_rate()),
        "played": True,
        **setting_of(match),
        **size_of(match, match.example(places)),
    }


def _estimated(match: MatchMeasures, game: SymmetricGame, row: int, strategy: int) -> Row:
    nan = float("nan")
    return {
        **spread("win_rate", Estimate(float(game.payoffs[row, strategy]), nan, nan)),
        **spread("rome_wins", Estimate(float(game.rome[row]), nan, nan)),
        "played": False,
        **setting_of(match),
        "games": 0,
        "blocks": 0,
        "example_game": -1,
    }
