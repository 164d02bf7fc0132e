"""Study of the findings that hold on every plausible deck, or depend on the assumed one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from paxsim import charts
from paxsim.cards import DEFAULT_DECK, list_decks
from paxsim.experiment.estimates import pool_of, rome_pool
from paxsim.experiment.result import Result
from paxsim.experiment.simulation import simulate_lineups, solo
from paxsim.experiment.tables import spread
from paxsim.experiment.tournaments import tournament
from paxsim.report.study import (
    MIN_BLOCKS,
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    games_caption,
    joined,
    rate_of,
    sign_against,
    with_ends,
)
from paxsim.rules import SOLO_LEVELS
from paxsim.text import PERCENT, amount, in_percent, listing, percent

TITLE = "What depends on the assumed deck"
QUESTION = "Which findings hold on every plausible deck, and which depend on the assumed one?"

HOLDS, UNSURE, REVERSED = "holds", "unsure", "reversed"
#: Rates that differ by less are about the same.
NEAR = 0.05
#: Line-ups of the tournament that measure the seats on another deck.
SEAT_LINEUPS = 15
#: Claims that are drawn deck by deck besides Rome's, by their keys, with the label of the axis.
DRAWN = {
    "seat": "share of wins over fair (points)",
    "strategy": "lead over the next (points)",
    "solo": "success (%)",
}


@dataclass(frozen=True)
class Claim:
    """Claim about a quantity that was measured on every deck.

    It reads `above` or `below` as the quantity of the default deck is above or below `reference`.
    `values` has columns ``deck``, ``value``, ``value_low`` and ``value_high``; `shown` is like it,
    if the claim is about a quantity derived from the one to show, which is called `figure`. `unit`
    is ``%`` or ``points`` (percentage points), `short` the claim as a heading.
    """

    key: str
    above: str
    below: str
    values: pd.DataFrame
    reference: float
    figure: str
    unit: str = "%"
    short: str = ""
    shown: pd.DataFrame | None = None

    def _sign(self, deck: str) -> int:
        row = self.values.set_index("deck").loc[deck]
        return sign_against(row["value_low"], row["value_high"], self.reference)

    @property
    def text(self) -> str:
        """The claim in words, as the default deck has it."""
        value = self.values.set_index("deck").at[DEFAULT_DECK, "value"]
        return self.above if value >= self.reference else self.below

    def decks(self, status: str) -> list[str]:
        """Return the decks on which the claim holds, is unsure, or is reversed."""
        here = self._sign(DEFAULT_DECK)
        names = {0: UNSURE, 1: HOLDS, -1: REVERSED}
        return [deck for deck in self.values["deck"] if names[here * self._sign(deck)] == status]

    @property
    def verdict(self) -> str:
        """The judgement over all decks, in a few words."""
        if self._sign(DEFAULT_DECK) == 0:
            return "not sure on the assumed deck itself"
        if self.decks(REVERSED):
            return "depends on the printed cards"
        return "open on some decks" if self.decks(UNSURE) else "holds on every deck"

    @property
    def _figures(self) -> pd.DataFrame:
        """The quantity by deck, from the lowest to the highest."""
        figures = self.values if self.shown is None else self.shown
        return figures.sort_values("value", kind="stable")

    @property
    def range(self) -> str:
        """The quantity from the lowest deck to the highest."""
        ends = [
            f"{self._shown(row)} ({row['deck']})"
            for row in (self._figures.iloc[0], self._figures.iloc[-1])
        ]
        return " to ".join(ends) + (" percentage points" if self.unit == "points" else "")

    def _shown(self, row: pd.Series) -> str:
        estimate = estimate_of(row, "value")
        return amount(*estimate, PERCENT, "+") if self.unit == "points" else percent(*estimate)

    def row(self) -> dict[str, object]:
        """Return the claim as a row of a table."""
        order = self._figures
        by_status = {status: self.decks(status) for status in (HOLDS, UNSURE, REVERSED)}
        return {
            "claim": self.text,
            "verdict": self.verdict,
            "range": self.range,
            **{status: len(decks) for status, decks in by_status.items()},
            "reversed_on": ", ".join(by_status[REVERSED]),
            "unsure_on": ", ".join(by_status[UNSURE]),
            "lowest": order["value"].iloc[0],
            "lowest_deck": order["deck"].iloc[0],
            "highest": order["value"].iloc[-1],
            "highest_deck": order["deck"].iloc[-1],
        }

    def finding(self) -> Finding:
        """Return where the claim holds, and how far its quantity moves."""
        row = self.values.set_index("deck").loc[DEFAULT_DECK]
        total, holds = len(self.values), len(self.decks(HOLDS))
        sure = self._sign(DEFAULT_DECK) != 0
        if not sure:
            where = "which is not sure even on the assumed deck"
        elif self.decks(REVERSED):
            where = (
                f"which depends on the printed cards: it holds on {holds} of {total} decks and is "
                f"reversed on {listing(self.decks(REVERSED))}"
            )
        elif self.decks(UNSURE):
            where = (
                f"which holds on {holds} of {total} decks and is not sure on "
                f"{listing(self.decks(UNSURE))}"
            )
        else:
            where = f"which holds on all {total} decks"
        figure = self.figure[0].upper() + self.figure[1:]
        text = f"{self.text}, {where}. {figure} goes from {self.range}."
        return Finding(f"deck/{self.key}", text, *estimate_of(row, "value"), sure)


def run(runs: Runs) -> Section:
    """Measure everything on every deck, then compare."""
    section = Section("decks", TITLE, QUESTION)
    subject = runs.subject
    if not subject.default_deck:
        section.left_out = (
            f"Every figure of this page is for deck {subject.deck.name}, which was given: there is "
            "nothing to assume about it."
        )
        return section
    decks = list_decks()
    headline = subject.headline_players
    contests = play_contests(runs, decks)
    seated = play_seats(runs, decks)
    alone = play_solo(runs, decks) if subject.solo_strategies else []
    rome, seats = rome_table(runs, contests, decks), joined(seated, "seats")
    levels = joined(alone, "levels") if alone else None
    claims = [
        *rome_claims(rome, headline),
        seat_claim(seats, headline[-1]),
        strategy_claim(contests),
        *(solo_claims(levels) if levels is not None else ()),
    ]
    section.find(summary_finding(claims, len(decks)), *(claim.finding() for claim in claims))
    section.table(
        "claims",
        "Findings by deck",
        pd.DataFrame([claim.row() for claim in claims]),
        "holds: the whole interval lies on the same side as on the assumed deck; unsure: a part of "
        "it lies on the other side; reversed: all of it does.",
    )
    section.table("rome", "Rome's rate by deck, mean over the line-ups of the tournament", rome)
    section.table("seats", "Seats by deck", seats,
                  "The assumed deck: all line-ups of the tournament, as in the study of seats; the "
                  f"others: {SEAT_LINEUPS} of them.")  # fmt: skip
    names = [_deck(contest) for contest in contests for _ in range(len(contest["standings"]))]
    section.table("strategies", "A tournament of all strategies on every deck",
                  joined(contests, "standings").assign(deck=names))  # fmt: skip
    if levels is not None:
        section.table("solo", "Solo on every deck", levels)

    order = rome[rome["players"] == headline[-1]].sort_values("rome_wins", kind="stable")["deck"]
    games = f"{rome['games'].sum():,} games, the line-ups of the tournament"
    by_count = {n: rome[rome["players"] == n].set_index("deck").loc[order] for n in headline}
    panels = [(rows.reset_index(), "rome_wins", "games that Rome wins (%)", f"{n} players", 0.5)
              for n, rows in by_count.items()]  # fmt: skip
    section.chart(
        "rome", "Rome's rate on every deck",
        _forests(runs, panels, games_caption(runs, games, f"{len(decks)} decks"), True),
        "Rome's rate with its interval on every deck, one panel per player count, decks ordered by "
        "Rome's rate; the assumed deck stands out.",
    )  # fmt: skip
    drawn = [(claim, DRAWN[key]) for claim in claims
             if (key := claim.key.partition("/")[0]) in DRAWN]  # fmt: skip
    panels = [(claim.values.sort_values("value", kind="stable"), "value", label, claim.short,
               claim.reference) for claim, label in drawn[: len(DRAWN)]]  # fmt: skip
    section.chart(
        "headlines", "Seat, best strategy and solo on every deck",
        _forests(runs, panels, caption([*seated, *contests, *alone]), False),
        "The favoured seat's advantage, the best strategy's lead and solo success with their "
        "intervals on every deck, each ordered by its value.",
    )  # fmt: skip
    return section


def _forests(runs: Runs, panels: Sequence[tuple], footer: str, same: bool) -> Any:
    """Draw panels with a row per deck; with the same rows and axes, or with their own."""
    rows = len(panels)
    figure, axes = charts.panels(rows, 1, width=4.4, height=0.6 + 3.8 * rows, sharey=same,
                                 squeeze=False)  # fmt: skip
    for ax, (table, value, label, title, reference) in zip(axes.flat, panels, strict=True):
        charts.forest(table, value, by="deck", label=label, title=title, ax=ax, caption=footer,
                      emphasis=runs.subject.deck.name, reference=reference,
                      limits=charts.ALL_RATES if same else None)  # fmt: skip
    return figure


# --- what is played -------------------------------------------------------------------------


def play_contests(runs: Runs, decks: list[str]) -> list[Result]:
    """Play all strategies against one another on every deck."""
    players = runs.subject.table
    games = runs.tournament_games(runs.games("decks_strategies") // len(decks), [players])
    return [
        runs.ask(f"decks_strategies-{deck}", tournament, policies=runs.subject.strategies,
                 players=players, games=games, deck=deck)
        for deck in decks
    ]  # fmt: skip


def rome_table(runs: Runs, contests: list[Result], decks: list[str]) -> pd.DataFrame:
    """Return Rome's rate over the line-ups of the tournament, by player count and deck.

    On the assumed deck it is that of the tournament.
    """
    own = runs.subject.deck.name
    rows = []
    for players in runs.subject.headline_players:
        rows.append(_pooled(runs.tournament, players))
        if players == runs.subject.table:
            rows += [_pooled(contest, players) for contest in contests if _deck(contest) != own]
            continue
        columns = ["players", "deck", *with_ends("rome_wins"), "games", "blocks"]
        for deck in decks:
            if deck != own:
                rome = play_rome(runs, deck, players, len(decks))["rome"].iloc[0]
                rows.append({name: rome[name] for name in columns})
    return pd.DataFrame(rows)


def play_rome(runs: Runs, deck: str, players: int, decks: int) -> Result:
    """Play the line-ups of the tournament on one of the decks."""
    lineups = runs.lineups(players)
    counts = [n for n in runs.subject.headline_players if n != runs.subject.table]
    games = runs.games("decks_rome") * players // (decks * sum(counts))
    deals = games // (players * len(lineups))
    return runs.ask_groups(f"decks_rome-{deck}-{players}", simulate_lineups, lineups, deals,
                           players=players, deck=deck)  # fmt: skip


def _pooled(contest: Result, players: int) -> dict[str, Any]:
    """Return Rome's rate over the line-ups of a tournament, for one player count."""
    matches = [match for match in contest.matches if match.players == players]
    pool = rome_pool(matches)
    return {"players": players, "deck": matches[0].facts.deck,
            **spread("rome_wins", pool.interval()), "games": sum(match.games for match in matches),
            "blocks": pool.blocks}  # fmt: skip


def _deck(result: Result) -> str:
    return result.matches[0].facts.deck


def play_seats(runs: Runs, decks: list[str]) -> list[Result]:
    """Play some line-ups of the tournament on every deck, with the most headline players.

    On the assumed deck it is the run of the study of seats.
    """
    players = runs.subject.headline_players[-1]
    lineups = runs.lineups(players)[:SEAT_LINEUPS]
    blocks = max(MIN_BLOCKS, runs.games("decks_seats") // (len(decks) * players * len(lineups)))
    return [
        runs.mixed[players] if deck == runs.subject.deck.name else runs.ask(
            f"decks_seats-{deck}", simulate_lineups, lineups=lineups, players=players,
            games=blocks * players * len(lineups), deck=deck,
        )
        for deck in decks
    ]  # fmt: skip


def play_solo(runs: Runs, decks: list[str]) -> list[Result]:
    """Play the best solo strategy of the assumed deck, at all levels on every deck."""
    success = runs.solo["levels"].groupby("strategy", sort=False)["success"].sum()
    (name,) = runs.subject.specs_of([str(success.idxmax())])
    games = max(MIN_BLOCKS, runs.games("decks_solo") // (len(decks) * len(SOLO_LEVELS)))
    return [runs.ask(f"decks_solo-{deck}", solo, policies=name, games=games, deck=deck)
            for deck in decks]  # fmt: skip


# --- claims ---------------------------------------------------------------------------------


def summary_finding(claims: list[Claim], decks: int) -> Finding:
    """Return how many of the headline findings depend on the deck."""
    verdicts = [claim.verdict for claim in claims]
    firm = verdicts.count("holds on every deck")
    loose = verdicts.count("depends on the printed cards")
    rest = len(claims) - firm - loose
    text = (
        "The symbols and values of the printed cards are not published, so every figure here is "
        f"for an assumed deck. {firm} of {len(claims)} headline findings hold on all {decks} decks "
        f"that were tried, {loose} fail on at least one of them"
    )
    text += f", and {rest} can't be decided on every deck." if rest else "."
    return Finding("deck/summary", text)


def _values(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return deck, value and interval, the default deck first."""
    values = table[["deck", *with_ends(name), "games", "blocks"]]
    values = values.rename(columns=dict(zip(with_ends(name), with_ends("value"), strict=True)))
    return values.sort_values("deck", key=lambda deck: deck != DEFAULT_DECK, kind="stable")


def rome_claims(rome: pd.DataFrame, counts: Sequence[int]) -> list[Claim]:
    """Return by player count the claim that Rome's rate is about the same on every deck.

    The claim that it is more, or less, than a half would hold on all decks and say little.
    """
    claims = []
    near = f"{in_percent(NEAR, 0)} percentage points"
    for players in counts:
        rows = rome[rome["players"] == players]
        rate = rate_of(rows.set_index("deck").loc[DEFAULT_DECK], "rome_wins")
        text = f"With {players} players Rome wins {rate} over the line-ups of the tournament"
        claims.append(
            Claim(
                f"rome/{players}",
                f"{text}, and its rate with other cards differs by more than {near}",
                f"{text}, and its rate with other cards is within {near}",
                _values(_distances(rows), "distance"),
                NEAR,
                "Rome's rate",
                shown=_values(rows, "rome_wins"),
            )
        )
    return claims


def _distances(rome: pd.DataFrame) -> pd.DataFrame:
    """Return the distance of every deck's rate from that of the assumed deck.

    The interval is that of a difference of independent rates with intervals of their own (Newcombe
    1998): the distances from estimate to end are added as squares.
    """
    base = estimate_of(rome.set_index("deck").loc[DEFAULT_DECK], "rome_wins")
    rows = []
    for _, row in rome.iterrows():
        rate, low, high = estimate_of(row, "rome_wins")
        gap = rate - base[0]
        ends = (gap - math.hypot(rate - low, base[2] - base[0]),
                gap + math.hypot(high - rate, base[0] - base[1]))  # fmt: skip
        if row["deck"] == DEFAULT_DECK:
            ends = (0.0, 0.0)
        nearest = 0.0 if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
        rows.append({"deck": row["deck"], "distance": abs(gap), "distance_low": nearest,
                     "distance_high": max(map(abs, ends)), "games": row["games"],
                     "blocks": row["blocks"]})  # fmt: skip
    return pd.DataFrame(rows)


def seat_claim(seats: pd.DataFrame, players: int) -> Claim:
    """Return the claim that the seat favoured on the default deck is favoured."""
    table = seats[seats["players"] == players]
    here = table[table["deck"] == DEFAULT_DECK]
    seat = int(here.loc[here["over_fair"].idxmax(), "seat"])
    return Claim(
        "seat",
        f"With {players} players seat {seat} is favoured",
        f"With {players} players seat {seat} has less than its fair share",
        _values(table[table["seat"] == seat], "over_fair"),
        0.0,
        f"the advantage of seat {seat} over its fair share",
        "points",
        short=f"Seat {seat} of {players}",
    )


def strategy_claim(contests: Sequence[Result]) -> Claim:
    """Return the claim that the best strategy of the default deck leads on every deck."""
    standings = {_deck(contest): contest["standings"] for contest in contests}[DEFAULT_DECK]
    best = str(standings["strategy"].iloc[0])
    leads = pd.DataFrame([lead_row(contest, best) for contest in contests])
    players, rivals = contests[0].matches[0].players, len(standings) - 1
    subject = f"With {players} players {best}"
    return Claim(
        "strategy",
        f"{subject} wins more than each of the {rivals} other strategies",
        f"{subject} does not win more than each of the {rivals} other strategies",
        _values(leads, "lead"),
        0.0,
        f"the lead of {best} over the best of the others",
        "points",
        short=f"Lead of {best}",
    )


def lead_row(contest: Result, best: str) -> dict[str, object]:
    """Return the lead of a strategy over the best of the others in a tournament.

    It leads if it leads each of them, so the lowest of the limits of its leads counts, and needs no
    correction for the number of rivals. Leads are on common deals.
    """
    pools = {
        name: pool_of([match for match in contest.matches if name in match.strategies], name)
        for name in contest["standings"]["strategy"]
    }
    mine = pools.pop(best)
    leads = [mine.lead(rival) for rival in pools.values()]
    ends = [min(getattr(lead, end) for lead in leads) for end in ("estimate", "low", "high")]
    return {"deck": _deck(contest), **dict(zip(with_ends("lead"), ends, strict=True)),
            "games": contest.games, "blocks": contest.blocks}  # fmt: skip


def solo_claims(levels: pd.DataFrame) -> list[Claim]:
    """Return claims that the best solo strategy succeeds in more, or less, than half of its games.

    One is about the level whose success on the default deck is nearest to a half, which is easiest
    to reverse, and one about the highest, if it is another.
    """
    here = levels[levels["deck"] == DEFAULT_DECK].set_index("level")["success"]
    nearest = int(np.abs(here - 0.5).idxmin())
    name = str(levels["strategy"].iloc[0])
    return [
        Claim(
            f"solo/{level}",
            f"Alone at level {level}, {name} succeeds in more than half of its games",
            f"Alone at level {level}, {name} succeeds in less than half of its games",
            _values(levels[levels["level"] == level], "success"),
            0.5,
            "its success",
            short=f"Solo, level {level}",
        )
        for level in dict.fromkeys([nearest, int(here.index.max())])
    ]
