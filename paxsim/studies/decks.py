"""Which findings hold whatever the printed cards are, and which depend on the assumed deck?

No rulebook lists the symbols and values of the cards, so the deck is an assumption. Every headline
finding is measured again on every deck that comes with the package: Rome's rate with 2, 3 and 4
players, the favoured seat, the best strategy, and success in solo. Who plays is the same as in the
other studies, the line-ups of the tournament; and where these have measured something on the
assumed deck, it is that figure with which the other decks are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.cards import deck_names
from paxsim.experiment.fieldquestions import simulate_field
from paxsim.experiment.overall import rome_pool
from paxsim.experiment.questions import solo, tournament
from paxsim.experiment.result import Result
from paxsim.experiment.tables import spread
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.report.subject import Subject
from paxsim.rules import SOLO_LEVELS
from paxsim.studies import fields
from paxsim.studies.claims import summary_finding
from paxsim.studies.deckclaims import rome_claims, seat_claim, solo_claims, strategy_claim
from paxsim.version import __version__

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
    decks = deck_names()
    headline = study.subject.headline_players
    contests = play_contests(study, decks)
    seated = play_seats(study, decks)
    alone = play_solo(study, decks) if study.subject.solo_strategies else []
    rome, seats = rome_table(study, contests, decks), fields.joined(seated, "seats")
    standings = with_deck(contests)
    levels = fields.joined(alone, "levels") if alone else None

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
    wide, narrow = _forests(study, panels, fields.caption(behind), False)
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
    names = fields.strategies(study)
    games = study.games("decks_strategies") // len(decks)
    asked = fields.tournament_games(games, names, [study.subject.table])
    return [
        study.ask(f"decks_strategies-{deck}", tournament, policies=names,
                  players=study.subject.table, games=asked, deck=deck)
        for deck in decks
    ]  # fmt: skip


def rome_table(study: Study, contests: list[Result], decks: list[str]) -> pd.DataFrame:
    """Rome's rate over the line-ups of the tournament, by player count and deck.

    On the report's own deck it is the tournament of all studies.
    """
    own, main = study.subject.deck.name, fields.play_tournament(study)
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
    lineups = fields.mixed_lineups(study, players)
    counts = [n for n in study.subject.headline_players if n != study.subject.table]
    games = study.games("decks_rome") * players // (decks * sum(counts))
    return fields.ask_groups(
        study, f"decks_rome-{deck}-{players}", simulate_field, lineups, fields.TOGETHER,
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
    here = fields.play_mixed(study)[players]
    lineups = fields.mixed_lineups(study, players)[:SEAT_LINEUPS]
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
    name = fields.best_solo(study, fields.play_solo(study))
    games = max(MIN_BLOCKS, study.games("decks_solo") // (len(decks) * len(SOLO_LEVELS)))
    return [
        study.ask(f"decks_solo-{deck}", solo, policies=name, games=games, deck=deck)
        for deck in decks
    ]


def with_deck(contests: list[Result]) -> pd.DataFrame:
    """The standings of contests on several decks, with the deck of each row."""
    decks = [r.matches[0].facts.deck for r in contests for _ in range(len(r["standings"]))]
    return fields.joined(contests, "standings").assign(deck=decks)
