"""Which findings hold whatever the printed cards are, and which depend on the assumed deck?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from paxsim import charts
from paxsim.cards import DEFAULT_DECK, list_decks
from paxsim.experiment.api import GROUP_LINEUPS, simulate_field, solo, tournament
from paxsim.experiment.estimates import pool_of, rome_pool
from paxsim.experiment.result import Result
from paxsim.experiment.tables import spread
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers, side_of
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.report.subject import Subject
from paxsim.rules import SOLO_LEVELS
from paxsim.text import PERCENT, amount, in_percent, listing, percent
from paxsim.version import __version__

HOLDS, UNSURE, REVERSED = "holds", "unsure", "reversed"


@dataclass(frozen=True)
class Claim:
    """A claim about a quantity that was measured on every deck.

    Attributes
    ----------
    key : str
        What it is about.
    above, below : str
        The claim in words if the quantity lies above, or below, the reference.
    values : pandas.DataFrame
        Columns ``deck``, ``value``, ``value_low``, ``value_high``.
    reference : float
        What the quantity is compared with.
    figure : str
        What the figure is called, e.g. ``Rome's rate with 2 players``.
    unit : str
        ``%`` or ``points`` (percentage points).
    short : str
        The claim as a heading.
    shown : pandas.DataFrame, optional
        Like `values`: the figure, where the claim is about something that is reckoned from it.
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

    @property
    def side(self) -> int:
        """On which side the default deck lies: 1, -1, or 0 if that is not sure."""
        return self._side_of(DEFAULT_DECK)

    def _side_of(self, deck: str) -> int:
        row = self.values.set_index("deck").loc[deck]
        return side_of(row["value_low"], row["value_high"], self.reference)

    @property
    def text(self) -> str:
        """The claim in words, as the default deck has it."""
        estimate = self.values.set_index("deck").at[DEFAULT_DECK, "value"]
        return self.above if estimate >= self.reference else self.below

    def status(self, deck: str) -> str:
        """Whether the claim holds on a deck."""
        side = self._side_of(deck)
        if side == 0 or self.side == 0:
            return UNSURE
        return HOLDS if side == self.side else REVERSED

    def decks(self, status: str) -> list[str]:
        """The decks on which the claim has this status."""
        return [deck for deck in self.values["deck"] if self.status(deck) == status]

    @property
    def verdict(self) -> str:
        """What the decks say about the claim, in a few words."""
        if self.side == 0:
            return "not sure on the assumed deck itself"
        if self.decks(REVERSED):
            return "depends on the printed cards"
        return "open on some decks" if self.decks(UNSURE) else "holds on every deck"

    def row(self) -> dict[str, object]:
        """The claim as a row of a table."""
        order = self._figures
        return {
            "claim": self.text,
            "verdict": self.verdict,
            "range": self.range,
            HOLDS: len(self.decks(HOLDS)),
            UNSURE: len(self.decks(UNSURE)),
            REVERSED: len(self.decks(REVERSED)),
            "reversed_on": ", ".join(self.decks(REVERSED)),
            "unsure_on": ", ".join(self.decks(UNSURE)),
            "lowest": order["value"].iloc[0],
            "lowest_deck": order["deck"].iloc[0],
            "highest": order["value"].iloc[-1],
            "highest_deck": order["deck"].iloc[-1],
        }

    def finding(self) -> Finding:
        """The claim, where it holds, and how far its figure moves."""
        row = self.values.set_index("deck").loc[DEFAULT_DECK]
        total = len(self.values)
        if self.side == 0:
            where = "which is not sure even on the assumed deck"
        elif self.decks(REVERSED):
            where = (
                f"which depends on the printed cards: it holds on {len(self.decks(HOLDS))} of "
                f"{total} decks and surely does not on "
                f"{listing(self.decks(REVERSED))}"
            )
        elif self.decks(UNSURE):
            where = (
                f"which holds on {len(self.decks(HOLDS))} of {total} decks and is not sure on "
                f"{listing(self.decks(UNSURE))}"
            )
        else:
            where = f"which holds on all {total} decks"
        text = f"{self.text}, {where}. {self._moves()}"
        return Finding(f"deck/{self.key}", text, *numbers(row, "value"), self.side != 0)

    @property
    def range(self) -> str:
        """The figure from the lowest deck to the highest."""
        order = self._figures
        least, most = (
            f"{self._figure(row)} ({row['deck']})" for row in (order.iloc[0], order.iloc[-1])
        )
        unit = " percentage points" if self.unit == "points" else ""
        return f"{least} to {most}{unit}"

    @property
    def _figures(self) -> pd.DataFrame:
        """The figure by deck, from the lowest to the highest."""
        figures = self.values if self.shown is None else self.shown
        return figures.sort_values("value", kind="stable")

    def _moves(self) -> str:
        figure = self.figure[0].upper() + self.figure[1:]
        return f"{figure} goes from {self.range}."

    def _figure(self, row: pd.Series) -> str:
        if self.unit == "points":
            return amount(*numbers(row, "value"), PERCENT, "+")
        return percent(*numbers(row, "value"))


def summary_finding(claims: list[Claim], decks: int) -> Finding:
    """How many of the headline findings depend on the deck, first thing on the page."""
    firm = [claim for claim in claims if claim.verdict == "holds on every deck"]
    loose = [claim for claim in claims if claim.verdict == "depends on the printed cards"]
    rest = len(claims) - len(firm) - len(loose)
    text = (
        "The symbols and values of the printed cards are not published, so every figure here is "
        f"for an assumed deck. Of {len(claims)} headline findings, {_holding(firm)} on all {decks} "
        f"decks that were tried, {_failing(loose)} on at least one of them"
    )
    text += f", and {rest} can't be decided on every deck." if rest else "."
    return Finding("deck/summary", text)


def _failing(claims: list[Claim]) -> str:
    return "1 surely fails" if len(claims) == 1 else f"{len(claims) or 'none'} surely fail"


def _holding(claims: list[Claim]) -> str:
    return "1 holds" if len(claims) == 1 else f"{len(claims) or 'none'} hold"


#: Rates that differ by less are about the same.
NEAR = 0.05


def _values(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Deck, value and interval, the default deck first."""
    found = pd.DataFrame(
        {
            "deck": table["deck"],
            "value": table[name],
            "value_low": table[f"{name}_low"],
            "value_high": table[f"{name}_high"],
            "games": table["games"],
            "blocks": table["blocks"],
        }
    )
    return found.sort_values("deck", key=lambda d: d != DEFAULT_DECK, kind="stable")


def rome_claims(rome: pd.DataFrame, counts: Sequence[int]) -> list[Claim]:
    """With each player count: Rome's rate is about that of the assumed deck, on every deck.

    That Rome wins more than half, or less, would hold on all decks where its rate is far from one
    half, and say little.
    """
    found = []
    for players in counts:
        rows = rome[rome["players"] == players]
        rate = percent(*numbers(rows.set_index("deck").loc[DEFAULT_DECK], "rome_wins"))
        where = f"With {players} players Rome wins {rate} over the line-ups of the tournament"
        near = f"{in_percent(NEAR, 0)} percentage points"
        found.append(
            Claim(
                f"rome/{players}",
                f"{where}, and further than {near} from that with other cards",
                f"{where}, and to within {near} as much with other cards",
                _values(_distances(rows), "distance"),
                NEAR,
                "Rome's rate",
                shown=_values(rows, "rome_wins"),
            )
        )
    return found


def _distances(rome: pd.DataFrame) -> pd.DataFrame:
    """How far every deck's rate is from that of the assumed one, with its interval.

    The interval of a difference of independent rates, each with an interval of its own (Newcombe
    1998): the distances from estimate to end are added as squares.
    """
    base = numbers(rome.set_index("deck").loc[DEFAULT_DECK], "rome_wins")
    rows = []
    for _, row in rome.iterrows():
        rate, low, high = numbers(row, "rome_wins")
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
    """The seat that is favoured on the default deck is favoured."""
    table = seats[seats["players"] == players]
    here = table[table["deck"] == DEFAULT_DECK]
    seat = int(here.loc[here["over_fair"].idxmax(), "seat"])
    return Claim(
        "seat",
        f"With {players} players seat {seat} is favoured",
        f"With {players} players seat {seat} has less than its fair share",
        _values(table[table["seat"] == seat], "over_fair"),
        0.0,
        f"what seat {seat} has over its fair share",
        "points",
        short=f"Seat {seat} of {players}",
    )


def strategy_claim(contests: Sequence[Result]) -> Claim:
    """The strategy that wins most on the default deck is ahead of every other, deck by deck.

    Parameters
    ----------
    contests : sequence of Result
        A tournament of all strategies on each deck, with one player count.
    """
    decks = {contest.matches[0].facts.deck: contest for contest in contests}
    best = str(decks[DEFAULT_DECK]["standings"]["strategy"].iloc[0])
    leads = pd.DataFrame([lead_row(contest, best) for contest in contests])
    players, rivals = contests[0].matches[0].players, len(contests[0]["standings"]) - 1
    return Claim(
        "strategy",
        f"With {players} players {best} wins more than each of the {rivals} other strategies",
        f"With {players} players {best} does not win more than each of the {rivals} other "
        "strategies",
        _values(leads, "lead"),
        0.0,
        f"the lead of {best} over the best of the others",
        "points",
        short=f"Lead of {best}",
    )


def lead_row(contest: Result, best: str) -> dict[str, object]:
    """The lead of a strategy over the best of all others in a tournament, with its interval.

    It is ahead of all if it is ahead of each: so the lowest of the limits of its leads counts, and
    needs no correction for the number of rivals. Leads are on common deals.
    """
    pools = {
        name: pool_of([match for match in contest.matches if name in match.strategies], name)
        for name in contest["standings"]["strategy"]
    }
    mine = pools.pop(best)
    leads = [mine.lead(rival) for rival in pools.values()]
    return {
        "deck": contest.matches[0].facts.deck,
        "lead": min(lead.estimate for lead in leads),
        "lead_low": min(lead.low for lead in leads),
        "lead_high": min(lead.high for lead in leads),
        "games": contest.games,
        "blocks": contest.blocks,
    }


def solo_claims(levels: pd.DataFrame) -> list[Claim]:
    """The best solo strategy succeeds in more, or less, than half of its games.

    Two levels are looked at: the one whose success on the default deck is nearest to one half,
    which can turn round most easily, and the highest, if it is another.
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


TITLE = "What depends on the assumed deck"
QUESTION = (
    "Which findings hold whatever the printed cards are, and which depend on the assumed deck?"
)

#: A panel: its table, the column drawn, what the axis and the title say, and the reference.
Panel = tuple[pd.DataFrame, str, str, str, float]
#: Line-ups of the tournament that tell of the seats on another deck.
SEAT_LINEUPS = 15
#: The claims that are drawn deck by deck besides Rome's, by their keys, and what the axis says.
SHORT = {
    "seat": "share of wins over fair (points)",
    "strategy": "lead over the next (points)",
    "solo": "success (%)",
}


def unfit(subject: Subject) -> str:
    """Why there is nothing to ask: the deck is no assumption."""
    if subject.default_deck:
        return ""
    return (
        f"Every figure of this page is for deck {subject.deck.name}, which was given: there is "
        "nothing to assume about it."
    )


def run(study: Study) -> None:
    """Measure everything on every deck, then compare."""
    decks = list_decks()
    headline = study.subject.headline_players
    contests = play_contests(study, decks)
    seated = play_seats(study, decks)
    alone = play_solo(study, decks) if study.subject.solo_strategies else []
    rome, seats = rome_table(study, contests, decks), findings.joined(seated, "seats")
    standings = with_deck(contests)
    levels = findings.joined(alone, "levels") if alone else None

    claims = [
        *rome_claims(rome, headline),
        seat_claim(seats, headline[-1]),
        strategy_claim(contests),
        *(solo_claims(levels) if levels is not None else ()),
    ]
    study.find(summary_finding(claims, len(decks)), *(claim.finding() for claim in claims))
    study.table("claims", "Does it hold on every deck?", pd.DataFrame([c.row() for c in claims]),
                "holds: the whole interval lies on the same side as on the assumed deck; unsure: "
                "a part of it lies on the other side; reversed: all of it does.")  # fmt: skip
    study.table("rome", "Rome's rate by deck, mean over the line-ups of the tournament", rome)
    study.table("seats", "Seats by deck", seats, f"The assumed deck: all line-ups of the "
                f"tournament, as in the study of seats; the others: {SEAT_LINEUPS} of "
                "them.")  # fmt: skip
    study.table("strategies", "A tournament of all strategies on every deck", standings)
    if levels is not None:
        study.table("solo", "Solo on every deck", levels)

    order = rome[rome["players"] == headline[-1]].sort_values("rome_wins", kind="stable")["deck"]
    caption = (
        f"{rome['games'].sum():,} games, the line-ups of the tournament, seed "
        f"{study.options.seed} and later ones, {len(decks)} decks, "
        f"{study.subject.rules.describe()} rules, paxsim {__version__}"
    )
    by_count = {n: rome[rome["players"] == n].set_index("deck").loc[order] for n in headline}
    panels = [(rows.reset_index(), "rome_wins", "games that Rome wins (%)", f"{n} players", 0.5)
              for n, rows in by_count.items()]  # fmt: skip
    wide, narrow = _forests(study, panels, caption, True)
    study.chart("rome", "Rome's rate on every deck", wide,
                "Rome's rate with its interval on every deck, one panel a player count, decks "
                "ordered by Rome's rate; the assumed deck stands out.", narrow=narrow)  # fmt: skip

    headlines = [(claim, label) for claim in claims for key, label in SHORT.items()
                 if claim.key.split("/")[0] == key][:3]  # fmt: skip
    panels = [(claim.values.sort_values("value", kind="stable"), "value", label, claim.short,
               claim.reference) for claim, label in headlines]  # fmt: skip
    behind = [*seated, *contests, *alone]
    wide, narrow = _forests(study, panels, findings.caption(behind), False)
    study.chart("headlines", "Seat, best strategy and solo on every deck", wide,
                "The favoured seat's advantage, the best strategy's lead and solo success with "
                "their intervals on every deck, each ordered by its value.",
                narrow=narrow)  # fmt: skip


def _forests(study: Study, panels: Sequence[Panel], caption: str, same: bool) -> list[Any]:
    """Panels side by side, and the same below one another; a row a deck, the same ones or not."""
    figures = []
    for rows, columns, width in ((1, len(panels), 9.4), (len(panels), 1, 4.4)):
        figure, axes = charts.panels(rows, columns, width=width, height=0.6 + 3.8 * rows,
                                     sharey=same, squeeze=False)  # fmt: skip
        for ax, (table, value, label, title, reference) in zip(axes.flat, panels, strict=True):
            charts.forest(table, value, by="deck", label=label, title=title,
                          emphasis=study.subject.deck.name, reference=reference, ax=ax,
                          limits=charts.ALL_RATES if same else None, caption=caption)  # fmt: skip
        figures.append(figure)
    return figures


def play_contests(study: Study, decks: list[str]) -> list[Result]:
    """All strategies against one another on every deck."""
    names = findings.strategies(study)
    games = study.games("decks_strategies") // len(decks)
    asked = findings.tournament_games(games, names, [study.subject.table])
    return [
        study.ask(f"decks_strategies-{deck}", tournament, policies=names,
                  players=study.subject.table, games=asked, deck=deck)
        for deck in decks
    ]  # fmt: skip


def rome_table(study: Study, contests: list[Result], decks: list[str]) -> pd.DataFrame:
    """Rome's rate over the line-ups of the tournament, by player count and deck.

    On the report's own deck it is the tournament of all studies.
    """
    own, main = study.subject.deck.name, findings.play_tournament(study)
    rows = []
    for players in study.subject.headline_players:
        rows.append(_pooled(main, players))
        if players == study.subject.table:
            rows += [_pooled(c, players) for c in contests if c.matches[0].facts.deck != own]
        else:
            others = [deck for deck in decks if deck != own]
            rows += [_field(play_rome(study, deck, players, len(decks))) for deck in others]
    return pd.DataFrame(rows)


def play_rome(study: Study, deck: str, players: int, decks: int) -> Result:
    """The line-ups of the tournament on one of so many decks."""
    lineups = findings.mixed_lineups(study, players)
    counts = [n for n in study.subject.headline_players if n != study.subject.table]
    games = study.games("decks_rome") * players // (decks * sum(counts))
    return findings.ask_groups(
        study, f"decks_rome-{deck}-{players}", simulate_field, lineups, GROUP_LINEUPS,
        games // (players * len(lineups)), players=players, deck=deck,
    )  # fmt: skip


def _pooled(contest: Result, players: int) -> dict[str, Any]:
    """Rome's rate over the line-ups of a tournament with so many players."""
    matches = [match for match in contest.matches if match.players == players]
    pool = rome_pool(matches)
    return {"players": players, "deck": matches[0].facts.deck,
            **spread("rome_wins", pool.interval()), "games": sum(match.games for match in matches),
            "blocks": pool.blocks}  # fmt: skip


def _field(result: Result) -> dict[str, Any]:
    row = result["rome"].iloc[0]
    names = ("players", "deck", "rome_wins", "rome_wins_low", "rome_wins_high", "games", "blocks")
    return {name: row[name] for name in names}


def play_seats(study: Study, decks: list[str]) -> list[Result]:
    """Some line-ups of the tournament on every deck, with as many players as there are headlines.

    On the report's own deck it is what the study of seats has played.
    """
    players = study.subject.headline_players[-1]
    here = findings.play_mixed(study)[players]
    lineups = findings.mixed_lineups(study, players)[:SEAT_LINEUPS]
    blocks = max(MIN_BLOCKS, study.games("decks_seats") // (len(decks) * players * len(lineups)))
    return [
        here if deck == study.subject.deck.name else study.ask(
            f"decks_seats-{deck}", simulate_field, lineups=lineups, players=players,
            games=blocks * players * len(lineups), deck=deck,
        )
        for deck in decks
    ]  # fmt: skip


def play_solo(study: Study, decks: list[str]) -> list[Result]:
    """The best solo strategy of the assumed deck, at all levels on every deck."""
    name = findings.best_solo(study, findings.play_solo(study))
    games = max(MIN_BLOCKS, study.games("decks_solo") // (len(decks) * len(SOLO_LEVELS)))
    return [
        study.ask(f"decks_solo-{deck}", solo, policies=name, games=games, deck=deck)
        for deck in decks
    ]


def with_deck(contests: list[Result]) -> pd.DataFrame:
    """The standings of contests on several decks, with the deck of each row."""
    decks = [r.matches[0].facts.deck for r in contests for _ in range(len(r["standings"]))]
    return findings.joined(contests, "standings").assign(deck=decks)
