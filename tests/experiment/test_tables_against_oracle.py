"""Every column of every table against a slow computation from raw games (oracle_tables.py)."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, t
from support import oracle_tables as oracle
from support.oracle_tables import Match

import paxsim
from paxsim.cli import run_command

#: These tables have intervals that hold together: see `check_together`.
TOGETHER = {
    "seats": ["win_rate", "over_fair"],
    "strategies": ["win_rate", "over_fair", "points"],
    "points": ["points"],
    "standings": ["win_rate"],
}

#: There is a single card of intrigue, so that often nobody holds primus conspiratus,
#: and Rome may win alone.
CALM = paxsim.Deck(
    name="calm",
    cards=tuple(
        paxsim.Card(name, symbols, value)
        for name in paxsim.CATEGORIES
        for symbols, value, count in ((1, 1, 4), (1, 2, 4), (2, 3, 4))
        for _ in range(count if name != "intrigue" else value == 1)
    ),
)
#: Nothing counts but money, of which there is little, and Rome never wins: wins are often shared.
TIES = {
    "points_category": 0, "points_stronger": 0, "points_fleet_army": 0, "points_primus": 0,
    "points_wealthiest": 4, "rome_needs": 8, "starting_money": 0, "peek_income": 0,
}  # fmt: skip
ROME_ALWAYS = {"rome_needs": 0}


def same_cell(found, expected):
    if expected is None or expected is pd.NA or found is pd.NA:
        return expected is None and pd.isna(found)
    if isinstance(expected, str):
        return found == expected
    alike = math.isclose(found, expected, rel_tol=1e-8, abs_tol=1e-9)
    return alike or (math.isnan(found) and math.isnan(expected))


def check_table(name, found, expected):
    """Equal in every row and column, in the same order of rows."""
    found, expected = found.reset_index(drop=True), expected.reset_index(drop=True)
    ends = {f"{column}_{end}" for column in TOGETHER.get(name, ()) for end in ("low", "high")}
    assert set(expected) <= set(found), name
    assert set(found) - set(expected) == (ends - set(expected) if len(found) else set()), name
    assert len(found) == len(expected), name
    for column in found.columns.intersection(expected.columns):
        for row in range(len(found)):
            one, other = found[column][row], expected[column][row]
            if isinstance(other, float) and math.isnan(other) and column in (
                "solo_level", "example_game", "example_game_b"
            ):  # fmt: skip
                other = None
            assert same_cell(one, other), f"{name}.{column}, row {row}: {one!r}, not {other!r}"


def check_tables(result, expected):
    assert set(result.tables) == set(expected)
    for name, table in expected.items():
        check_table(name, result[name], table)


def critical_value(blocks):
    """The 95 % point of the largest |t|, given how the columns of `blocks` hang together."""
    rng = np.random.default_rng(1)
    n = len(blocks)
    root = np.linalg.cholesky(np.corrcoef(blocks, rowvar=False) + 1e-9 * np.eye(blocks.shape[1]))
    normal = rng.standard_normal((200_000, blocks.shape[1])) @ root.T
    length = np.sqrt(rng.chisquare(n - 1, 200_000) / (n - 1))
    return np.quantile(np.abs(normal).max(axis=1) / length, 0.95)


def factors_of(table, name, effective, bounds, df):
    """The ends of exact intervals on the range of the quantity, as points of the t distribution.

    `effective` returns the effective games for a probability beyond each end.
    """
    factor = t.isf(0.01, df)
    for _ in range(40):  # each factor leads to a better one
        found = []
        games_of = effective(t.sf(factor, df))
        for row, games, (low, high) in zip(table.to_dict("records"), games_of, bounds, strict=True):
            won, least, most = (
                (row[f"{name}{end}"] - low) / (high - low) for end in ("", "_low", "_high")
            )
            won *= games
            tails = beta.cdf(least, won, games - won + 1), beta.sf(most, won + 1, games - won)
            found += [t.isf(tail, df) for tail in tails]
        factor = np.mean(found)
    return found


def check_factors(factors, blocks):
    """One factor for all, the 95 % point of the largest |t|."""
    assert np.ptp(factors) < 1e-3
    assert factors[0] == pytest.approx(critical_value(blocks), abs=0.04)
    assert factors[0] > t.ppf(0.975, len(blocks) - 1)


def check_together(table, name, blocks, bounds):
    """Limits hold together."""

    def effective(tail):
        pairs = zip(blocks.T, bounds, strict=True)
        return [oracle.effective_games(column, *limits, tail) for column, limits in pairs]

    check_factors(factors_of(table, name, effective, bounds, len(blocks) - 1), blocks)


# --- simulate -------------------------------------------------------------------------------

CASES = {
    "repeats": (["tribune", "builder", "tribune", "starver"], 50, {}),
    "repeats_apart": (["miser", "tribune", "tribune"], 60, {"deck": "double"}),
    "parameters": (["builder", "builder:thrift=0.8"], 80, {}),
    "alike": (["starver", "starver", "starver"], 40, {}),
    "permutations": (["tribune", "builder", "starver", "tribune"], 12, {"permutations": True}),
    "ties": (["first", "miser", "random"], 60, {"rules": TIES}),
    "rome_alone": (["builder", "miser", "first"], 60, {"deck": CALM, "rules": {"rome_needs": 3}}),
    "rome_always": (["conspirator", "builder"], 40, {"rules": ROME_ALWAYS, "deck": CALM}),
    "reactions": (["tribune", "denier", "starver", "denier", "tribune"], 24, {}),
    "solo": (["hermit"], 60, {"level": 2}),
}  # fmt: skip
SEED = 31


def simulated(name):
    """A run, and its match as raw games."""
    policies, blocks, more = CASES[name]
    match = Match(policies, blocks, SEED, **more)
    how = dict(more)
    level = how.pop("level", None)
    result = paxsim.simulate(
        policies, games=match.played, seed=SEED, solo_level=level, jobs=1, chunk_games=97, **how
    )
    return result, match


@pytest.mark.parametrize("name", CASES)
def test_simulate_says_of_every_line_up_what_its_games_say(name):
    result, match = simulated(name)
    check_tables(result, oracle.common([match]))


@pytest.mark.parametrize("name", ["repeats", "permutations", "ties", "rome_alone", "reactions"])
def test_limits_of_seats_hold_together(name):
    result, match = simulated(name)
    shares = np.array([match.seat_by_block(s) for s in range(1, match.players + 1)]).T
    over, fair = shares - shares.mean(axis=1, keepdims=True), 1 / match.players
    check_together(result["seats"], "win_rate", shares, [(0, 1)] * match.players)
    check_together(result["seats"], "over_fair", over, [(-fair, 1 - fair)] * match.players)


@pytest.mark.parametrize("name", ["repeats", "permutations", "ties", "rome_alone", "reactions"])
def test_limits_of_strategies_hold_together(name):
    result, match = simulated(name)
    shares = np.array([match.share_by_block(name) for name in match.strategies]).T
    average = match.seats.groupby("block").share.mean().to_numpy()
    most, fair = [1 / match.labels.count(name) for name in match.strategies], 1 / match.players
    check_together(result["strategies"], "win_rate", shares, [(0, high) for high in most])
    over = shares - average[:, None]
    check_together(result["strategies"], "over_fair", over, [(-fair, x - fair) for x in most])
    points = np.array([match.points_by_block(name) for name in match.strategies]).T
    errors = points.std(axis=0, ddof=1) / math.sqrt(len(points))
    for table in ("strategies", "points"):
        rows = result[table]
        ends = rows["points"] - rows["points_low"], rows["points_high"] - rows["points"]
        check_factors(np.concatenate(ends) / np.tile(errors, 2), points)


def test_the_cases_have_ties_and_shared_wins_and_rome_alone_and_with_a_friend():
    """What the tables are compared on is there to be got wrong."""
    ties, alone, *others = (
        Match(CASES[name][0], CASES[name][1], SEED, **CASES[name][2])
        for name in ("ties", "rome_alone", "repeats", "permutations")
    )
    assert ((ties.seats.share > 0) & (ties.seats.share < 1)).mean() > 0.05
    assert 0.05 < alone.games.alone.mean() < alone.games.rome.mean() < 1
    assert 0.05 < alone.games.nobody.mean() < 0.95
    for match in others:
        assert 0.1 < match.games.rome.mean() < 0.9
        assert (match.games[match.games.rome == 0].margin > 0).any()
        assert match.seats.with_rome.mean() > 0.05


def test_simulate_of_several_player_counts_numbers_games_on():
    result = paxsim.simulate("builder", players=[2, 4, 3], games=72, seed=5, jobs=1)
    matches, first = [], 0
    for players in (2, 4, 3):
        blocks = 72  # one game each: all rotations would be the same
        matches.append(Match(["builder"] * players, blocks, 5, first_game=first))
        first += matches[-1].played
    check_tables(result, oracle.common(matches))


def test_a_watched_run_has_limits_that_hold_while_watched():
    result = paxsim.simulate("first,random", games=40_000, seed=2, precision=0.06, jobs=1)
    match = Match(["first", "random"], result.blocks, 2)
    assert 100 < result.blocks < 20_000, "stopped early"
    check_tables(result, oracle.common([match], watched=True))


@pytest.mark.parametrize("name", ["permutations", "rome_alone"])
def test_histograms_count_the_games(name):
    """Of rounds in all games; of margins and winners' points where the players won."""
    result, match = simulated(name)
    (found,) = result.matches
    won = match.games[match.games.rome == 0]
    for bins, values in (
        ("rounds", match.games.rounds), ("margin", won.margin), ("winner_points", won.best)
    ):  # fmt: skip
        counts = found.histogram(bins)
        assert counts.sum() == len(values)
        expected = values.value_counts().to_dict()
        assert {i: int(n) for i, n in enumerate(counts) if n} == expected, bins


def test_who_holds_primus_at_the_end_is_counted_by_position():
    result, match = simulated("rome_alone")
    (found,) = result.matches
    by_position = match.seats[match.seats.primus > 0].groupby("position").size()
    expected = [int(by_position.get(position, 0)) for position in range(3)]
    assert found.detail("primus").tolist() == [*expected, match.games.nobody.sum()]


# --- examples -------------------------------------------------------------------------------


def traced(folder, number, capsys):
    """First and last line of the trace of a game of a stored run."""
    assert run_command(["trace", "--run", str(folder), "--game", str(number)]) == 0
    lines = capsys.readouterr().out.splitlines()
    return json.loads(lines[0]), json.loads(lines[-1])


def won_by(end):
    """Seats that won, from the last line of a trace."""
    return [seat for seat, share in enumerate(end["shares"], start=1) if share > 0]


@pytest.mark.parametrize("name", ["permutations", "repeats"])
def test_the_game_named_in_a_row_replays_to_what_the_row_is_about(name, tmp_path, capsys):
    policies, blocks, more = CASES[name]
    games = Match(policies, 1, SEED, **more).block_size * blocks
    folder = tmp_path / "run"
    result = paxsim.simulate(policies, games=games, seed=SEED, jobs=1, out=folder, **more)
    for row in result["seat_strategies"].dropna(subset="example_game").itertuples():
        begin, end = traced(folder, row.example_game, capsys)
        assert begin["policies"][row.seat - 1] == row.strategy
        assert row.seat in won_by(end)
    for row in result["strategies"].itertuples():
        begin, end = traced(folder, row.example_game, capsys)
        assert row.strategy in [begin["policies"][seat - 1] for seat in won_by(end)]
    _, end = traced(folder, result["rome"].example_game[0], capsys)
    assert end["rome_wins"]


# --- tournament -----------------------------------------------------------------------------


def numbered(lineups, games, seed, first=0, **more):
    """The line-ups of one player count as matches that share so many games."""
    matches = []
    for policies in lineups:
        share = -(-games // len(lineups))
        blocks = -(-share // len(policies))
        matches.append(Match(policies, blocks, seed, first_game=first, **more))
        first += matches[-1].played
    return matches, first


def test_a_tournament_pools_line_ups_and_rates_strategies():
    a, b, c = "builder", "feeder", "first"
    result = paxsim.tournament([a, b, c], players=[2, 3], games=900, seed=9, deck=CALM, jobs=1)
    two, first = numbered([[a, b], [a, c], [b, c]], 900, 9, deck=CALM)
    three, _ = numbered([[a, b, c]], 900, 9, first, deck=CALM)
    expected = oracle.tournament([two, three])
    check_ratings(result, expected)
    check_tables(result, expected)
    for matches in (two, three):
        check_standings(result["standings"], matches)


def test_a_tournament_counts_every_seat_of_a_repeated_policy():
    a, b = "builder", "first"
    result = paxsim.tournament([a, b], players=3, games=480, seed=4, deck=CALM, jobs=1)
    matches, _ = numbered([[a, a, b], [a, b, b]], 480, 4, deck=CALM)
    expected = oracle.tournament([matches])
    check_ratings(result, expected)
    check_tables(result, expected)


def check_standings(standings, matches):
    """Limits of all strategies at a table hold together."""
    rows = standings[standings["players"] == matches[0].players]

    def pooled(tail):
        met = ([match for match in matches if name in match.labels] for name in rows["strategy"])
        pairs = zip(met, rows["strategy"], strict=True)
        return [oracle.pooled(mine, name, tail) for mine, name in pairs]

    residuals = np.array([found[2] for found in pooled(0.025)]).T
    factors = factors_of(
        rows, "win_rate", lambda tail: [found[1] for found in pooled(tail)], [(0, 1)] * len(rows),
        len(residuals) - 1,
    )  # fmt: skip
    check_factors(factors, residuals)


def check_ratings(result, expected):
    """Ratings are found by two searches, so they are equal but for the last digits."""
    found, other = result.tables["ratings"], expected["ratings"].reset_index(drop=True)
    assert found.strategy.tolist() == other.strategy.tolist()
    for column in ("rating", "misfit", "sure_misfit"):
        assert found[column].to_numpy() == pytest.approx(other[column].to_numpy(), abs=2e-5)
        expected["ratings"][column] = found[column].to_numpy()


# --- compare --------------------------------------------------------------------------------


def test_a_comparison_says_what_the_blocks_of_both_say():
    field = ["tribune", "starver", "tribune"]
    result = paxsim.compare(
        "builder", "miser", opponents=field, players=4, games=480, seed=3, jobs=1
    )
    a = Match(["builder", *field], 60, 3)
    b = Match(["miser", *field], 60, 3, first_game=a.played)
    check_tables(result, oracle.comparison(a, b))


def test_a_comparison_that_was_watched_has_a_limit_that_holds_while_watched():
    result = paxsim.compare(
        "weighted", "first", opponents="random", players=2, games=30_000, seed=3, delta=0.02,
        sequential=True, jobs=1,
    )  # fmt: skip
    a = Match(["weighted", "random"], result.blocks, 3)
    b = Match(["first", "random"], result.blocks, 3, first_game=15_000)
    expected = oracle.comparison(a, b, 0.02, sequential=True)
    assert result["comparison"].decision[0] == expected["comparison"].decision[0] == "better"
    check_tables(result, expected)


# --- rule changes ---------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_rule_changes_are_those_of_the_first_and_the_last_seat(players):
    policies = ["tribune", "starver", "miser", "tribune"][:players]
    variants = [{"starting_money": 9}, {"rome_needs": 3, "legions": 3}]
    games = 60 * players
    result = paxsim.compare_rules(policies, variants, players=players, games=games, seed=8, jobs=1)
    pairs, first = [], 0
    for rules in variants:
        base = Match(policies, 60, 8, first_game=first)
        variant = Match(policies, 60, 8, rules=rules, first_game=first + base.played)
        first += 2 * base.played
        pairs.append((base, variant))
    expected = oracle.rule_changes(pairs)
    assert f"seat{players}_change" in result["rule_changes"]
    check_tables(result, expected)


# --- solo -----------------------------------------------------------------------------------


def test_solo_levels_and_campaigns_are_those_of_the_games():
    policies, levels = ["hermit", "builder", "first"], [1, 2, 4]
    result = paxsim.solo(policies, levels=levels, games=150, seed=6, jobs=1)
    found, first = [], 0
    for policy in policies:
        matches = []
        for level in levels:
            matches.append(Match([policy], 150, 6, level=level, first_game=first))
            first += 150
        found.append(matches)
    expected = oracle.solo(found)
    chances = expected["campaigns"].success
    assert chances[0] > 0 and chances.iloc[-1] == 0, "both kinds of campaign"
    check_tables(result, expected)


def test_a_single_solo_level_is_no_campaign():
    result = paxsim.solo("hermit", levels=3, games=40, seed=6, jobs=1)
    check_tables(result, oracle.solo([[Match(["hermit"], 40, 6, level=3)]]))
