"""Which findings hold whatever the printed cards are, and which depend on the assumed deck?

No rulebook lists the symbols and values of the cards, so the deck is an assumption. Every headline
finding is measured again on every deck that comes with the package: Rome's rate with 2, 3 and 4
players, the favoured seat, the best strategy, and success in solo.
"""

from __future__ import annotations

import pandas as pd

from paxsim import charts
from paxsim.cards import deck_names
from paxsim.experiment.questions import simulate, solo, tournament
from paxsim.experiment.result import Result
from paxsim.report.budget import HEADLINE_PLAYERS
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.rules import SOLO_LEVELS
from paxsim.studies import fields
from paxsim.studies.claims import summary_finding
from paxsim.studies.deckclaims import rome_claims, seat_claim, solo_claims, strategy_claim

TITLE = "What depends on the assumed deck"
QUESTION = (
    "Which findings hold whatever the printed cards are, and which depend on the assumed deck?"
)

#: The small tournament that is played on every deck: so many of the best, at so large a table.
CONTESTANTS, TABLE = 6, 4


def run(study: Study) -> None:
    """Measure everything on every deck, then compare."""
    decks = deck_names()
    mixed = play_mixed(study, decks)
    contests = play_contests(study, decks)
    alone = play_solo(study, decks)
    rome, seats = fields.joined(mixed, "rome"), fields.joined(mixed, "seats")
    standings, levels = fields.joined(contests, "standings"), fields.joined(alone, "levels")
    standings = with_deck(standings, contests)

    claims = [
        *rome_claims(rome, HEADLINE_PLAYERS),
        seat_claim(seats, TABLE),
        strategy_claim(standings),
        *solo_claims(levels),
    ]
    study.find(summary_finding(claims, len(decks)), *(claim.finding() for claim in claims))
    study.table("claims", "Does it hold on every deck?", pd.DataFrame([c.row() for c in claims]),
                "holds: the whole interval lies on the same side as on the assumed deck; unsure: "
                "it holds the reference; reversed: it lies on the other side.")  # fmt: skip
    study.table("rome", "Rome's rate by deck, mixed field", rome)
    study.table("seats", "Seats by deck, mixed field", seats)
    study.table("strategies", "A small tournament on every deck", standings)
    study.table("solo", "Solo on every deck", levels)

    figure, axes = charts.panels(1, 3, width=9.4, height=4.4, sharey=True)
    for ax, players in zip(axes, HEADLINE_PLAYERS, strict=True):
        rows = rome[rome["players"] == players]
        charts.forest(rows, "rome_wins", by="deck", label="games that Rome wins (%)",
                      title=f"{players} players", emphasis="assumed", reference=0.5, ax=ax,
                      caption=fields.caption(mixed))  # fmt: skip
    study.chart("rome", "Rome's rate on every deck", figure,
                "Rome's rate with its interval on every deck, one panel each for 2, 3 and 4 "
                "players; the assumed deck stands out.")  # fmt: skip

    figure, axes = charts.panels(1, 3, width=9.4, height=4.4, sharey=True)
    headlines = [
        (claims[3], "share of wins over fair (points)"),
        (claims[4], "lead over the next (points)"),
        (claims[5], "success (%)"),
    ]
    for ax, (claim, label) in zip(axes, headlines, strict=True):
        charts.forest(claim.values, "value", by="deck", label=label, title=claim.short,
                      emphasis="assumed", reference=claim.reference, ax=ax,
                      caption=fields.caption([*mixed, *contests, *alone]))  # fmt: skip
    study.chart("headlines", "Seat, best strategy and solo on every deck", figure,
                "The favoured seat's advantage, the best strategy's lead and solo success with "
                "their intervals on every deck.")  # fmt: skip


def play_mixed(study: Study, decks: list[str]) -> list[Result]:
    """The mixed field on every deck."""
    blocks = max(MIN_BLOCKS, study.games("decks_rome") // (len(decks) * sum(HEADLINE_PLAYERS)))
    return [
        study.ask(
            f"decks_rome-{deck}-{players}",
            simulate,
            policies=fields.mixed_lineup(players),
            players=players,
            games=blocks * players,
            deck=deck,
        )
        for players in HEADLINE_PLAYERS
        for deck in decks
    ]


def play_contests(study: Study, decks: list[str]) -> list[Result]:
    """The strongest strategies of the assumed deck, against one another on every deck."""
    names = fields.ranking(fields.play_tournament(study)["standings"], TABLE)[:CONTESTANTS]
    games = study.games("decks_strategies") // len(decks)
    asked = fields.tournament_games(games, names, [TABLE])
    return [
        study.ask(f"decks_strategies-{deck}", tournament, policies=names, players=TABLE,
                  games=asked, deck=deck)
        for deck in decks
    ]  # fmt: skip


def play_solo(study: Study, decks: list[str]) -> list[Result]:
    """The best solo strategy of the assumed deck, at all levels on every deck."""
    name = fields.best_solo(fields.play_solo(study))
    games = max(MIN_BLOCKS, study.games("decks_solo") // (len(decks) * len(SOLO_LEVELS)))
    return [
        study.ask(f"decks_solo-{deck}", solo, policies=name, games=games, deck=deck)
        for deck in decks
    ]


def with_deck(standings: pd.DataFrame, contests: list[Result]) -> pd.DataFrame:
    """The standings with the deck of each row."""
    decks = [r.matches[0].facts.deck for r in contests for _ in range(len(r["standings"]))]
    return standings.assign(deck=decks)
