"""Study of strategy, seat and luck, of when games are decided, and of their length.

Two questions are asked about time. *Decided* is measured by replaying games with the undealt cards
reshuffled: how similarly do the copies end? *Standing* is measured by scoring games after each
round, with Rome's hidden cards revealed, as if it were the last: how often is that already the
result? The *leader* after a round is the seat that would win alone then. A *lead change* is a
round after which another seat leads than the last one that led.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from paxsim import charts
from paxsim.charts.plots import LEAST_SHOWN, histogram_table
from paxsim.engine.loop import finish_game, progress_dtype
from paxsim.engine.records import RING, address_of
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.tally import in_units
from paxsim.game import Game, walk
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import ask_all, play_batch
from paxsim.report.study import (
    MIN_BLOCKS,
    Estimate,
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    games_caption,
    joined,
    rate_of,
    with_ends,
)
from paxsim.report.subject import BASELINE
from paxsim.setting import Setting, make_setting
from paxsim.stats import Moments, clopper_pearson, contrast
from paxsim.stats.variance import decided_shares, variance_shares
from paxsim.text import amount, listing, percent

TITLE = "Luck and skill"
QUESTION = (
    "How much of the outcome is strategy, seat and luck of the cards, by when is it decided, and "
    "how long and close are games?"
)

#: Parts of the variance, from left to right in the chart.
PARTS = {
    "strategy": "strategy",
    "seat": "seat",
    "seat_strategy": "seat with strategy",
    "luck": "luck of the cards",
}
#: Distributions: title and unit.
DISTRIBUTIONS = {
    "rounds": ("Rounds of a game", "rounds"),
    "winner_points": ("Points of the winner", "points"),
    "margin": ("Margin of the winner", "margin, points"),
}
#: Copies of a game that are played on from each point.
COPIES = 6
#: Rounds after which games are reshuffled; 0 is the end of the draft.
ROUNDS = range(9)
#: With fewer undealt cards there is only one order.
LAST_TWO = 2
#: A round is shown if at least this share of the games continues after it.
SHOWN_SHARE = 0.2
#: Instead of a seat: no seat wins alone, and the game is over.
NO_SEAT, OVER = -1, -2


def run(runs: Runs) -> Section:
    """Split the variance, then look at when games are decided, their length and margins."""
    section = Section("luck", TITLE, QUESTION)
    shares = section.table(
        "variance",
        "Shares of the variance of the outcome",
        play_variance(runs),
        "A part that does not exist comes out slightly above or below 0 by chance.",
    )
    headline = runs.subject.headline_players
    section.find(*(luck_finding(shares, players) for players in headline))
    draw_variance(section, runs, shares)

    decided = section.table(
        "decided",
        "By when a game is decided, all line-ups",
        play_redealt(runs, shares),
        "Decided: how similarly copies of a game end whose undealt cards are reshuffled there. "
        f"{COPIES} copies of every deal from every point. undealt: cards that no player has seen, "
        "on average. After the last point there are none: then only cards come up that players "
        "put under the deck, in a known order.",
    )
    section.find(*(decided_finding(decided, players) for players in headline))
    draw_decided(section, runs, decided)
    report_standing(section, runs)
    report_lengths(section, runs)
    return section


# --- shares of the variance -----------------------------------------------------------------


def play_variance(runs: Runs) -> pd.DataFrame:
    """Return shares of the variance, over all line-ups and with one seat played at random."""
    tables = []
    for players in runs.subject.players:
        mixed = runs.lineups(players)
        wanted = runs.games("variance") // (2 * sum(runs.subject.players) * len(mixed))
        deals = max(2, -(-4 * MIN_BLOCKS // len(mixed)), wanted)
        blocks = deals * len(mixed)
        with_random = [[*lineup[:-1], BASELINE] for lineup in mixed]
        for number, (name, lineups) in enumerate(
            {"all line-ups": mixed, "one plays at random": with_random}.items()
        ):
            shares = runs.compute(
                f"variance-{players}-{number}", blocks * players, squares, lineups=lineups,
                deals=deals, seed=runs.seed, setting=runs.subject.setting,
                neutral={"jobs": runs.jobs},
            )["shares"]  # fmt: skip
            rows = [(name, players, part, *estimate)
                    for part, estimate in variance_shares(shares).items()]  # fmt: skip
            columns = ["population", "players", "part", *with_ends("share")]
            tables.append(pd.DataFrame(rows, columns=columns).assign(
                deck=runs.subject.deck.name, games=blocks * players, blocks=blocks))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    return table.sort_values("population", kind="stable", ignore_index=True)


def squares(
    lineups: Sequence[Sequence[str]],
    deals: int,
    seed: int,
    setting: dict[str, Any],
    jobs: int | None,
) -> dict[str, np.ndarray]:
    """Return shares of the win in units, with different deals for each line-up.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``: by line-up, deal, seat and position in the line-up.
    """
    parts = Parallel(n_jobs=checked_jobs(jobs), prefer="threads")(
        delayed(_square)(list(lineup), number * deals, deals, seed, setting)
        for number, lineup in enumerate(lineups)
    )
    return {"shares": np.stack(parts)}


def _square(
    policies: list[str], first: int, deals: int, seed: int, setting: dict[str, Any]
) -> np.ndarray:
    players = len(policies)
    batch = play_batch(policies, deals=deals, first_deal=first, rotations="all", seed=seed,
                       **setting)  # fmt: skip
    shares = in_units(batch.shares).reshape(deals, players, players)
    positions = batch.positions.reshape(deals, players, players)
    square = np.zeros((deals, players, players), np.int64)
    deal = np.arange(deals)[:, None, None]
    square[deal, np.arange(players)[None, None, :], positions] = shares
    return square


def draw_variance(section: Section, runs: Runs, shares: pd.DataFrame) -> None:
    """Draw what decides, a panel per population and a bar per player count."""
    deals = shares.drop_duplicates(["population", "players"])
    games = f"{deals['games'].sum():,} games in {deals['blocks'].sum():,} blocks"
    figure, axes = charts.panels(2, 1, width=4.4, height=7.4)
    for ax, (name, rows) in zip(axes, shares.groupby("population", sort=False), strict=True):
        wide = rows.pivot(index="players", columns="part", values="share").reset_index()
        wide["label"] = wide["players"].map("{} players".format)
        charts.stacked_shares(wide, PARTS, label="share of the variance of the outcome (%)",
                              title=f"What decides: {name}", ax=ax,
                              caption=games_caption(runs, games))  # fmt: skip
    axes[0].get_legend().remove()
    small = small_parts(shares)
    note = f" (too small to be visible: {listing(small)})" if small else ""
    section.chart("variance", f"What decides a game{note}", figure,
                  "Stacked bars by player count: shares of the variance of the outcome due to "
                  "strategy, seat and luck of the cards, for two populations.")  # fmt: skip


def small_parts(shares: pd.DataFrame) -> list[str]:
    """Return the parts of the variance that are too small for the chart."""
    most = shares.groupby("part")["share"].max()
    return [name for part, name in PARTS.items() if most[part] < LEAST_SHOWN]


def luck_finding(shares: pd.DataFrame, players: int) -> Finding:
    """Return how the outcome splits into strategy, seat and luck, over all line-ups."""
    population = shares["population"].iloc[0]
    rows = shares[(shares["players"] == players) & (shares["population"] == population)]
    rows = rows.set_index("part")
    cells = {PARTS[part]: rate_of(rows.loc[part], "share") for part in ("strategy", "seat", "luck")}
    strategy, seat, luck = cells.values()
    text = (
        f"With {players} players ({population}) strategy makes up {strategy} of the variance of "
        f"who wins, seat {seat}, and the luck of the cards {luck}."
    )
    return Finding(f"luck/{players}", text, *estimate_of(rows.loc["luck"], "share"), cells=cells)


# --- decided: copies with the undealt cards reshuffled --------------------------------------


def play_redealt(runs: Runs, shares: pd.DataFrame) -> pd.DataFrame:
    """Return how much is decided at each point of a game, by player count."""
    counts = runs.subject.headline_players
    deals = max(4 * MIN_BLOCKS, runs.games("redealt") // len(counts))
    tables = []
    for players in counts:
        arrays = runs.compute(
            f"redealt-{players}", deals * COPIES * len(ROUNDS), redeal_games,
            lineups=runs.lineups(players), deals=deals, seed=runs.seed,
            how_played=runs.subject.setting,
        )  # fmt: skip
        rows = shares[(shares["players"] == players)
                      & (shares["population"] == shares["population"].iloc[0])]  # fmt: skip
        luck = rows.set_index("part").loc["luck"]
        value, low, high = estimate_of(luck, "share")
        before = (1 - value, 1 - high, 1 - low)
        table = decided_table(arrays["shares"], arrays["undealt"], before)
        table.insert(0, "players", players)
        table = table.assign(deck=runs.subject.deck.name, deals=deals, games=deals * COPIES)
        table.loc[table.index[0], ["deals", "games"]] = [int(luck["blocks"]), int(luck["games"])]
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def redeal_games(
    lineups: Sequence[Sequence[str]], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return shares of the win in copies reshuffled after the draft and after each round.

    Every deal is played by one line-up in one rotation, in turn.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``, in units: shape (deals, points, copies, players). ``undealt``: cards that
        were reshuffled, shape (deals, points).
    """
    setting = make_setting(len(lineups[0]), **how_played)
    seated = [make_lineup(list(lineup), setting.players) for lineup in lineups]
    results = [
        _redealt_deal(setting, seated[deal % len(seated)], seed, deal,
                      deal // len(seated) % setting.players)
        for deal in range(deals)
    ]  # fmt: skip
    shares, undealt = zip(*results, strict=True)
    return {"shares": np.stack(shares), "undealt": np.stack(undealt)}


def _redealt_deal(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of one deal, shape (points, copies, players), and the undealt cards."""
    rng = np.random.default_rng([seed, deal])
    shares = np.zeros((len(ROUNDS), COPIES, setting.players), np.int64)
    undealt = np.zeros(len(ROUNDS), np.int64)
    end_of_deck, reached = -1, 0
    for game in walk(setting, lineup, seed, deal, rotation):
        table = game.record["table"]
        if end_of_deck < 0:  # cards that players put under the deck come behind this
            end_of_deck = int(table["deck_top"]) + int(table["deck_left"])
        while not game.over and reached < min(len(ROUNDS), int(table["round"])):
            undealt[reached] = max(0, end_of_deck - int(table["deck_top"]))
            for copy in range(COPIES):
                other = game.copy()
                shuffle_undealt(other, end_of_deck, rng)
                _finish(other, lineup, seed, deal, rotation)
                shares[reached, copy] = _shares(other)
            reached += 1
    shares[reached:] = _shares(game)  # the game is over: every copy is this game
    return shares, undealt


def shuffle_undealt(game: Game, end_of_deck: int, rng: np.random.Generator) -> None:
    """Reshuffle the cards that no player has seen."""
    top = int(game.record["table"]["deck_top"])
    places = np.arange(top, end_of_deck) % RING
    deck = game.record["hidden"]["deck"]
    deck[places] = deck[rng.permutation(places)]


def _finish(game: Game, lineup: Lineup, seed: int, deal: int, rotation: int) -> None:
    """Play a copied game to its end with its line-up."""
    progress = np.zeros(1, progress_dtype)
    progress["deal"] = deal
    contexts = game.take_seats(lineup, rotation, progress)
    arguments = (game._address, address_of(progress))
    ask_all(finish_game, arguments, game.setting, lineup, contexts, seed, progress[0])


def _shares(game: Game) -> np.ndarray:
    return in_units(game.result()["shares"][: game.setting.players])


def decided_table(shares: np.ndarray, undealt: np.ndarray, before: Estimate) -> pd.DataFrame:
    """Return how much is decided at each point.

    Points with only one order of the undealt cards are left out: all copies are the same game
    there. `before` is the share that strategies and seats decide before a card is dealt.
    """
    points = ["before the deal", "after the draft", *(f"after round {k}" for k in ROUNDS[1:])]
    estimates = [before, *decided_shares(shares)]
    most = [LAST_TWO, *undealt.max(axis=0).tolist()]
    mean = [math.nan, *undealt.mean(axis=0).tolist()]
    rows = [(point, cards, *estimate)
            for point, cards, left, estimate in zip(points, mean, most, estimates, strict=True)
            if left >= LAST_TWO]  # fmt: skip
    return pd.DataFrame(rows, columns=["point", "undealt", *with_ends("decided")])


def decided_finding(table: pd.DataFrame, players: int) -> Finding:
    """Return how much is decided before the deal and after the draft, and when half is."""
    rows = table[table["players"] == players].reset_index(drop=True)
    before, draft = (rate_of(rows.iloc[place], "decided") for place in (0, 1))
    text = (
        f"With {players} players {before} of who wins is decided by strategies and seats before a "
        f"card is dealt, and {draft} after the draft"
    )
    most = rows.index[rows["decided"] > 0.5]
    last = rows.iloc[-1]
    at_last = rate_of(last, "decided")
    if not len(most):
        text += f"; {last['point']} it is still less than half"
    else:
        if most[0] > 1:
            half = rows.iloc[most[0]]
            text += f"; {half['point']} it is more than half: {rate_of(half, 'decided')}"
        if most[0] < len(rows) - 1 > 1:
            text += f"; {last['point']}, the last point with undealt cards, {at_last}"
    cells = {
        "decided before a card is dealt": before,
        "after the draft": draft,
        "at the last point with undealt cards": f"{at_last} ({last['point']})",
    }
    estimate = estimate_of(rows.iloc[1], "decided")
    return Finding(f"redealt/{players}", f"{text}.", *estimate, cells=cells)


def draw_decided(section: Section, runs: Runs, decided: pd.DataFrame) -> None:
    """Draw how much is decided at each point, a panel per player count."""
    headline = runs.subject.headline_players
    games = (f"{decided['games'].sum():,} games of all line-ups in turn, "
             f"{decided['deals'].iloc[-1]:,} deals reshuffled")  # fmt: skip
    rows = len(headline)
    figure, axes = charts.panels(rows, 1, width=4.4, height=0.8 + 3.2 * rows, sharex=True,
                                 squeeze=False)  # fmt: skip
    for ax, players in zip(axes.flat, headline, strict=True):
        charts.forest(decided[decided["players"] == players], "decided", by="point",
                      label="decided (%)", reference=0.5, title=f"{players} players", ax=ax,
                      limits=charts.ALL_RATES, caption=games_caption(runs, games))  # fmt: skip
        ax.tick_params(labelbottom=True)
    section.chart("decided", "By when a game is decided", figure,
                  "How much of the outcome is decided before the deal, after the draft and after "
                  "each round with undealt cards, with intervals, one panel per player "
                  "count.")  # fmt: skip


# --- standing: games scored after every round -----------------------------------------------


def report_standing(section: Section, runs: Runs) -> None:
    """Score games after every round, and compare with the result."""
    games = play_rounds(runs)
    headline, deck = runs.subject.headline_players, runs.subject.deck.name
    tables = []
    for players in headline:
        rome = games[players]["rome"]
        table = round_table(games[players]).assign(deck=deck, games=len(rome), **always_right(rome))
        table.insert(0, "players", players)
        tables.append(table)
    standing = section.table(
        "standing",
        "How often the standing after a round is the result",
        pd.concat(tables, ignore_index=True),
        "All line-ups of the tournament in turn. Winner: games in which the seat that would win if "
        "the game were scored after this round does win. Rome: games in which Rome would win then "
        "if and only if it does win. Of the games that continue after the round. Always: accuracy "
        "of always predicting the same of Rome.",
    )
    section.find(*(standing_finding(standing, players) for players in headline))
    rows = [{"players": players, **lead_row(arrays["winner"]), "deck": deck,
             "games": len(arrays["winner"])} for players, arrays in games.items()]  # fmt: skip
    leads = section.table("leads", "Lead changes", pd.DataFrame(rows),
                          "All line-ups of the tournament in turn.")  # fmt: skip
    section.find(*(lead_finding(leads, players) for players in headline))
    shown = standing[standing["going_on"] >= SHOWN_SHARE * standing["games"]]
    count = standing.drop_duplicates("players")["games"].sum()
    footer = games_caption(runs, f"{count:,} games of all line-ups in turn, one rotation per deal")
    figure, axes = charts.panels(2, 1, width=4.4, height=6.6)
    for ax, value, title in zip(axes, ("rome", "winner"),
                                ("Rome's win or defeat stands", "The winner leads already"),
                                strict=True):  # fmt: skip
        charts.dose_curves(shown, "round", value, by="players", of="{} players", half=True,
                           axis="after round", label="games (%)", title=title, ax=ax,
                           caption=footer)  # fmt: skip
    section.chart("standing", "How early the standing of a game is its result", figure,
                  "Two panels of lines over the rounds, one line per player count: how often "
                  "Rome's win or defeat, and the winner, are already final.")  # fmt: skip


def play_rounds(runs: Runs) -> dict[int, dict[str, np.ndarray]]:
    """Return the standings of some games after each round, by player count."""
    counts = runs.subject.players
    deals = max(2 * MIN_BLOCKS, runs.games("rounds") // len(counts))
    return {
        players: runs.compute(
            f"rounds-{players}", deals, standings, lineups=runs.lineups(players), deals=deals,
            seed=runs.seed, how_played=runs.subject.setting,
        )
        for players in counts
    }  # fmt: skip


def standings(
    lineups: Sequence[Sequence[str]], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return who would win after each round of each game.

    Returns
    -------
    dict of str to numpy.ndarray, shape (deals, rounds)
        ``winner``: the seat that would win, from 0; `NO_SEAT` if none alone. ``rome``: 1 if Rome
        would win, else 0. The last entry of a game is its result; later ones are `OVER`.
    """
    players = len(lineups[0])
    setting = make_setting(players, **how_played)
    seated = [make_lineup(list(lineup), players) for lineup in lineups]
    games = []
    for deal in range(deals):
        lineup, rotation = seated[deal % len(seated)], deal // len(seated) % players
        rounds: list[tuple[int, int]] = []
        for game in walk(setting, lineup, seed, deal, rotation):
            if not game.over and int(game.record["table"]["round"]) > len(rounds) + 1:
                rounds.append(_standing(game.score(), players))
        games.append([*rounds, _standing(game.score(), players)])
    padded = np.full((deals, max(map(len, games)), 2), OVER)
    for number, rounds in enumerate(games):
        padded[number, : len(rounds)] = rounds
    return {"winner": padded[:, :, 0], "rome": padded[:, :, 1]}


def _standing(result: Any, players: int) -> tuple[int, int]:
    """Return the seat that wins alone, or `NO_SEAT`, and whether Rome wins."""
    shares = result["shares"][:players]
    best = int(np.argmax(shares))
    return best if shares[best] == 1.0 else NO_SEAT, int(result["rome_wins"])


def round_table(games: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return by round how many games continue after it, and how many stand as they end."""
    lengths = (games["rome"] != OVER).sum(axis=1)
    rows = []
    for number in range(int(lengths.max()) - 1):
        going_on = lengths > number + 1
        row: dict[str, Any] = {"round": number + 1, "going_on": int(going_on.sum())}
        for name in ("rome", "winner"):
            now = games[name][going_on, number]
            last = games[name][going_on, lengths[going_on] - 1]
            row |= _rate(name, int((now == last).sum()), row["going_on"])
        rows.append(row)
    return pd.DataFrame(rows)


def _rate(name: str, count: int, total: int) -> dict[str, float]:
    """Return the rate of independent games with its interval, as columns."""
    return dict(zip(with_ends(name), (count / total, *clopper_pearson(count, total)), strict=True))


def always_right(rome: np.ndarray) -> dict[str, float]:
    """Return the accuracy of always predicting the same of Rome: that it wins, or loses."""
    lengths = (rome != OVER).sum(axis=1)
    wins = int(rome[np.arange(len(rome)), lengths - 1].sum())
    return _rate("always", max(wins, len(rome) - wins), len(rome))


def lead_row(winner: np.ndarray) -> dict[str, float]:
    """Return the mean number of lead changes, and how often the last leader wins.

    All deals differ, so games are the units.
    """
    games = [row[row != OVER].tolist() for row in winner]
    changes = np.array([lead_changes(leads) for leads in games], float)
    mean = contrast(Moments.of(changes[:, None]), [1.0])
    held = sum(len(leads) > 1 and leads[-2] == leads[-1] != NO_SEAT for leads in games)
    columns = zip(with_ends("lead_changes"), (mean.estimate, mean.low, mean.high), strict=True)
    return {**dict(columns), **_rate("last", held, len(games))}


def lead_changes(leads: Sequence[int]) -> int:
    """Return how often the lead passed to another seat."""
    return sum(a != b for a, b in pairwise(seat for seat in leads if seat != NO_SEAT))


def standing_finding(table: pd.DataFrame, players: int) -> Finding:
    """Return how many games stand as they end, halfway and after the last round shown."""
    rows = table[
        (table["players"] == players) & (table["going_on"] >= SHOWN_SHARE * table["games"])
    ]
    middle, last = rows.iloc[(len(rows) - 1) // 2], rows.iloc[-1]
    always = rate_of(middle, "always")
    text = (
        f"With {players} players, after round {int(middle['round'])}, Rome's win or defeat is "
        f"already that of the end in {rate_of(middle, 'rome')} of games, and the winner leads in "
        f"{rate_of(middle, 'winner')}; after round {int(last['round'])}, of games that continue, "
        f"in {rate_of(last, 'rome')} and {rate_of(last, 'winner')}. Always predicting the same of "
        f"Rome is right in {always} of all games."
    )
    cells = {}
    for row, when in ((middle, "halfway"), (last, "in the last round, of games that reach it")):
        for name, what in (("rome", "Rome's win or defeat stands"), ("winner", "the winner leads")):
            cells[f"{what} {when}"] = f"{rate_of(row, name)} (after round {int(row['round'])})"
    cells["always predicting the same of Rome is right in"] = always
    return Finding(f"standing/{players}", text, *estimate_of(middle, "winner"), cells=cells)


def lead_finding(leads: pd.DataFrame, players: int) -> Finding:
    """Return how often the lead changes, and how often the last leader wins."""
    row = leads[leads["players"] == players].iloc[0]
    last = estimate_of(row, "last")
    changes = amount(*estimate_of(row, "lead_changes"))
    text = (
        f"With {players} players the lead changes {changes} times per game, and the leader before "
        f"the last round wins in {percent(*last)} of games."
    )
    cells = {"lead changes per game": changes, "leader before the last round wins": percent(*last)}
    return Finding(f"leads/{players}", text, *last, cells=cells)


# --- length and margins ---------------------------------------------------------------------


def report_lengths(section: Section, runs: Runs) -> None:
    """Report the length and the margins of games, over all line-ups."""
    mixed = list(runs.mixed.values())
    games = section.table("games", "Length and margins, all line-ups", joined(mixed, "games"))
    section.find(length_finding(games))
    counts = runs.subject.players
    for name, (title, unit) in DISTRIBUTIONS.items():
        table = pd.concat([histogram_table(r, name) for r in mixed], ignore_index=True)
        footer = caption(mixed)
        if name != "rounds":
            title += ", where the players won"
            footer = f"{games['players_won'].sum():,} games that the players won, of {footer}"
        rows = -(-len(counts) // 2)
        figure, axes = charts.panels(rows, min(2, len(counts)), width=4.6, height=0.6 + 1.9 * rows,
                                     squeeze=False, sharex=True)  # fmt: skip
        for ax, players in zip(axes.flat, counts, strict=False):
            charts.distribution(table, name, players=players, ax=ax, caption=footer)
            ax.set_xlabel(unit)
            ax.tick_params(labelbottom=True)
        for ax in axes[:, 1:].flat:
            ax.set_ylabel("")
        for ax in list(axes.flat)[len(counts) :]:
            ax.set_axis_off()
        section.chart(name, title, figure,
                      f"Distribution: {title.lower()}, a panel per player count.")  # fmt: skip
        # The chart calls every quantity "value"; the table names it.
        table = table.rename(columns={"value": unit}).assign(deck=runs.subject.deck.name)
        section.table(name, f"{title}: distribution", table)


def length_finding(games: pd.DataFrame) -> Finding:
    """Return how long and how close games are, with the fewest and the most players."""
    rows = games.sort_values("players", kind="stable")
    parts = [
        f"with {int(row['players'])} players {amount(*estimate_of(row, 'rounds'))} rounds; where "
        f"Rome does not win ({int(row['players_won']):,} of {int(row['games']):,} games) the "
        f"winner is {amount(*estimate_of(row, 'margin'))} points ahead"
        for row in (rows.iloc[0], rows.iloc[-1])
    ]
    return Finding("length", f"A game takes {'; '.join(parts)}.")
