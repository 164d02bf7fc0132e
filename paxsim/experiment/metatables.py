"""The tables of a meta-game: payoffs of all line-ups, states, and what coalitions gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim.experiment.estimates import MatchMeasures
from paxsim.experiment.tables import Row, group_of, make_table, size_of, spread
from paxsim.gametheory.equilibria import CYCLE, PURE, State
from paxsim.gametheory.games import (
    SymmetricGame,
    left_out_error,
    multisets,
    number_of_multisets,
    rows_of,
)
from paxsim.gametheory.metagame import Analysis, Coalition, Described, Estimate, Played, analyse
from paxsim.stats import Interval
from paxsim.text import in_percent, percent, points

Tables = dict[str, pd.DataFrame]
#: Line-ups that were played, by the seats of each strategy.
Lineups = dict[tuple[int, ...], MatchMeasures]


def metagame_tables(strategies: Sequence[str], matches: Sequence[MatchMeasures]) -> Tables:
    """All tables of a meta-game.

    Parameters
    ----------
    strategies : sequence of str
        Labels of the strategies.
    matches : sequence of MatchMeasures
        The line-ups that were played, on common deals.
    """
    names = list(strategies)
    played = gather(names, matches)
    analysis = analyse(played)
    about = _about(names, matches, played, analysis)
    lineups = {tuple(_seats(names, match)): match for match in matches}
    return {
        "states": make_table(
            [{**_state_row(names, found, lineups), **about} for found in analysis.states]
        ),
        "coalitions": make_table(
            [
                {**_coalition_row(names, found, gain, lineups), **about}
                for found in analysis.states
                for gain in found.coalitions
            ]
        ),
        "payoffs": payoff_table(names, matches, analysis.game),
    }


def gather(names: Sequence[str], matches: Sequence[MatchMeasures]) -> Played:
    """What was played, by groups of blocks, in the order of `multisets`."""
    counts = np.array([_seats(names, match) for match in matches], np.int64)
    rows = rows_of(counts)
    order = np.argsort(rows, kind="stable")
    wins = np.zeros((len(matches[0].superblock_games()), len(matches), len(names)))
    rome, games = np.zeros(wins.shape[:2]), np.zeros(wins.shape[:2])
    for column, index in enumerate(order):
        match = matches[index]
        found = match.superblock_wins()
        for name, places in match.strategies.items():
            wins[:, column, names.index(name)] = found[:, places].mean(axis=1)
        rome[:, column] = match.superblock_rome()
        games[:, column] = match.superblock_games()
    return Played(matches[0].players, rows[order], wins, rome, games)


def _seats(names: Sequence[str], match: MatchMeasures) -> list[int]:
    return [len(match.strategies.get(name, ())) for name in names]


def _about(
    names: list[str], matches: Sequence[MatchMeasures], played: Played, analysis: Analysis
) -> Row:
    """The columns that say what all rows stand for."""
    return {
        **_setting(matches[0]),
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
    """How far off payoffs of line-ups are that were not played; 0 if all were."""
    game = analysis.game
    if len(played.rows) == len(game.rome):
        return 0.0
    return left_out_error(game.players, played.rows, game.payoffs[played.rows])


# --- states ---------------------------------------------------------------------------------


def state_label(names: Sequence[str], state: State) -> str:
    """A state in words: ``tribune``, ``62 % weighted + 38 % tribune``, ``cycle a → b → a``."""
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


def _state_row(names: Sequence[str], found: Described, lineups: Lineups) -> Row:
    state = found.state
    match = lineups.get(_seats_of(state, {}, len(names), lineups))
    return {
        "state": state_label(names, state),
        "kind": state.kind,
        **_spread("rome_wins", found.rome if match is None else match.rome_rate()),
        **_spread("payoff", found.payoff),
        **_spread("basin", found.basin),
        **_spread("regret", found.regret),
        "equilibrium": found.equilibrium,
        "stable": found.stable,
        "stable_draws": found.stable_draws,
        **_spread("alpha_rank", found.alpha_rank),
        **{f"share_{name}": float(share) for name, share in zip(names, state.shares, strict=True)},
    }


def _seats_of(
    state: State, taken: dict[int, int], strategies: int, lineups: Lineups
) -> tuple[int, ...]:
    """The line-up in which some seats are taken and a pure state has the others; none if mixed."""
    if state.kind != PURE:
        return ()
    players = sum(next(iter(lineups)))
    seats = [taken.get(i, 0) for i in range(strategies)]
    seats[int(state.shares.argmax())] += players - sum(seats)
    return tuple(seats)


def _spread(name: str, found: Estimate | Interval) -> Row:
    """An estimate and its interval as three columns."""
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def _coalition_row(
    names: Sequence[str], found: Described, gain: Coalition[Estimate], lineups: Lineups
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
    # What leaves a pure state is a line-up, which has intervals over blocks of its own: these are
    # right near 0 and 100 % too, where redrawn blocks are all alike.
    taken = {gain.strategy: gain.seats}
    before = lineups.get(_seats_of(found.state, {}, len(names), lineups))
    after = lineups.get(_seats_of(found.state, taken, len(names), lineups))
    if before is not None and after is not None:
        rates |= {"rome_before": before.rome_rate(), "rome_after": after.rome_rate()}
        rates["after"] = after.win_rate(after.strategies[name])
        others = [places for label, places in after.strategies.items() if label != name]
        if others:
            rates["others_after"] = after.win_rate(others[0])
    row: Row = {
        "state": state_label(names, found.state),
        "kind": found.state.kind,
        "stable": found.stable,
        "seats": gain.seats,
        "strategy": name,
    }
    for column, rate in rates.items():
        row |= _spread(column, rate)
    return row


# --- payoffs --------------------------------------------------------------------------------


def payoff_table(
    strategies: Sequence[str],
    matches: Sequence[MatchMeasures],
    game: SymmetricGame | None = None,
) -> pd.DataFrame:
    """A row for each line-up and strategy in it.

    With a game, line-ups that were not played are there too, with what is estimated of them.
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
        **_setting(match),
        **size_of(match, match.example(places)),
    }


def _estimated(match: MatchMeasures, game: SymmetricGame, row: int, strategy: int) -> Row:
    nothing = float("nan")
    return {
        **_spread("win_rate", Estimate(float(game.payoffs[row, strategy]), nothing, nothing)),
        **_spread("rome_wins", Estimate(float(game.rome[row]), nothing, nothing)),
        "played": False,
        **_setting(match),
        "games": 0,
        "blocks": 0,
        "example_game": -1,
    }


def _setting(match: MatchMeasures) -> Row:
    group = group_of(match)
    return {key: group[key] for key in ("players", "deck", "rules")}


#: A basin below this share of the starts is not worth a word.
NO_BASIN = 0.005
_NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}


def numeral(count: int) -> str:
    """A number of seats as a word."""
    return _NUMERALS[count]


def summary(states: pd.DataFrame, coalitions: pd.DataFrame) -> list[str]:
    """What came out, the answer first.

    Parameters
    ----------
    states, coalitions : pandas.DataFrame
        The tables of a meta-game.
    """
    said = [where_players_end(states)]
    for _, state in reached(states).iterrows():
        if state["kind"] != CYCLE:
            said.append(f"{how_firm(state)} {who_gains(state, coalitions)}")
    return [*said, *_how_known(states.iloc[0])]


def reached(states: pd.DataFrame) -> pd.DataFrame:
    """States that the dynamics lead to, the largest basin first."""
    found = states[states["basin"] >= NO_BASIN]
    return found.sort_values("basin", ascending=False, kind="stable")


def where_players_end(states: pd.DataFrame) -> str:
    """Where the dynamics lead, and how often Rome wins there."""
    found = reached(states)
    if found.empty:
        return "Players who answer each other do not settle anywhere within the steps looked at."
    first = found.iloc[0]
    if len(found) == 1 and first["basin"] > 1 - NO_BASIN:
        return f"Starting anywhere, players {ending(first)}; there Rome wins {_rome(first)}."
    ways = [
        f"{ending(state)} ({_share(state['basin'])} of starts; Rome wins {_rome(state)})"
        for _, state in found.iterrows()
    ]
    rest = 1 - found["basin"].sum()
    more = f" From {_share(rest)} of starts they had not settled." if rest >= NO_BASIN else ""
    start = "It depends on where they start: players" if len(found) > 1 else "Players"
    return f"{start} {'; or '.join(ways)}.{more}"


def ending(state: Any) -> str:
    """``end with weighted at all seats``, or with a mixture, or go round in a cycle."""
    if state["kind"] == CYCLE:
        return f"go round in a {state['state']}"
    return f"end {place(state)}"


def place(state: Any) -> str:
    """``with weighted at all seats``, or ``in the mixture ...``."""
    if state["kind"] == PURE:
        return f"with {state['state']} at all seats"
    return f"in the mixture {state['state']}"


def how_firm(state: Any) -> str:
    """Whether somebody gains by leaving a state alone, and how sure that is."""
    where = place(state)
    sure = f"(so in {_share(state['stable_draws'])} of {state['draws']} redraws of the blocks)"
    if state["stable"]:
        return f"Nobody gains by leaving alone {_from(where)} {sure}."
    gain = points(state["regret"], state["regret_low"], state["regret_high"])
    return f"Who leaves alone {_from(where)} gains up to {gain}."


def _from(where: str) -> str:
    return f"once all play {where[5:-13]}" if where.startswith("with ") else f"when {where}"


def who_gains(state: Any, coalitions: pd.DataFrame) -> str:
    """What two or more seats surely gain by leaving a state together, the best coalition first."""
    here = coalitions[(coalitions["state"] == state["state"]) & (coalitions["seats"] > 1)]
    sure = here[here["gain_low"] > 0].sort_values("gain", ascending=False, kind="stable")
    if sure.empty:
        return f"No {two_to(int(state['players']))} seats surely gain by leaving together."
    return coalition_sentence(sure.iloc[0])


def two_to(players: int) -> str:
    """``two``, or ``two to four``: how many seats a coalition can have."""
    return "two" if players == 2 else f"two to {numeral(players)}"


def coalition_sentence(row: Any) -> str:
    """What a coalition gains, what it does to Rome, and whether it holds together."""
    who = f"{numeral(int(row['seats'])).capitalize()} who play {row['strategy']} together"
    change = points(row["gain"], row["gain_low"], row["gain_high"])
    verb = "gain" if row["gain_low"] > 0 else "lose" if row["gain_high"] < 0 else "get"
    each = f"{_plain(row['after'])} of the games each instead of {_plain(row['before'])} ({change})"
    others = "" if pd.isna(row["others_after"]) else (
        f", the others {_plain(row['others_after'])}")  # fmt: skip
    rome = f"Rome then wins {_rome(row, 'rome_after')} instead of {_plain(row['rome_before'])}"
    said = f"{who} {verb}: they win {each}{others}; {rome}"
    if row["seats"] > 1 and row["temptation_low"] > 0:
        more = points(row["temptation"], row["temptation_low"], row["temptation_high"])
        return f"{said}; but one of them gains another {more} by breaking it."
    return f"{said}."


def best_fighters(coalitions: pd.DataFrame, state: str, seats: int) -> Any | None:
    """The coalition of so many seats that leaves Rome the least; None without any."""
    here = coalitions[(coalitions["state"] == state) & (coalitions["seats"] == seats)]
    return None if here.empty else here.loc[here["rome_after"].idxmin()]


def _how_known(row: Any) -> list[str]:
    """What was not played, if anything."""
    if row["lineups_played"] == row["lineups"]:
        return []
    error = row["estimated_error"]
    known = "too few were played to tell how well"
    if not pd.isna(error):
        known = f"to {in_percent(error)} percentage points (root mean square, line-ups left out)"
    return [
        f"Of {row['lineups']:,} line-ups {row['lineups_played']:,} were played; the others are "
        f"estimated from these, {known}."
    ]


def _rome(row: Any, name: str = "rome_wins") -> str:
    return percent(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _plain(rate: float) -> str:
    return f"{in_percent(rate)} %"


def _share(share: float) -> str:
    return f"{in_percent(share, 0)} %"
