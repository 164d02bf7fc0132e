"""Which findings hold whatever the printed cards are, and which depend on the assumed deck?

No rulebook lists the symbols and values of the cards, so the deck is an assumption. Every headline
finding is measured again on every deck that comes with the package: Rome's rate with 2, 3 and 4
players, the favoured seat, the best strategy, and success in solo.
"""

from __future__ import annotations

import pandas as pd

from paxsim import charts
from paxsim.cards import deck_names
from paxsim.experiment.fieldquestions import simulate_field
from paxsim.experiment.questions import solo, tournament
from paxsim.experiment.result import Result
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.report.subject import Subject
from paxsim.rules import SOLO_LEVELS
from paxsim.studies import fields
from paxsim.studies.claims import summary_finding
from paxsim.studies.deckclaims import rome_claims, seat_claim, solo_claims, strategy_claim

TITLE = "What depends on the assumed deck"
QUESTION = (
    "Which findings hold whatever the printed cards are, and which depend on the assumed deck?"
)

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
    mixed = play_mixed(study, decks)
    contests = play_contests(study, decks)
    alone = play_solo(study, decks) if study.subject.solo_strategies else []
    rome, seats = fields.joined(mixed, "rome"), fields.joined(mixed, "seats")
    standings = fields.joined(contests, "standings")
    levels = fields.joined(alone, "levels") if alone else None
    standings = with_deck(standings, contests)

    claims = [
        *rome_claims(rome, study.subject.headline_players),
        seat_claim(seats, study.subject.headline_players[-1]),
        strategy_claim(contests),
        *(solo_claims(levels) if levels is not None else ()),
    ]
    study.find(summary_finding(claims, len(decks)), *(claim.finding() for claim in claims))
    study.table("claims", "Does it hold on every deck?", pd.DataFrame([c.row() for c in claims]),
                "holds: the whole interval lies on the same side as on the assumed deck; unsure: "
                "it holds the reference; reversed: it lies on the other side.")  # fmt: skip
    study.table("rome", "Rome's rate by deck, mixed field", rome)
    study.table("seats", "Seats by deck, mixed field", seats)
    study.table("strategies", "A tournament of all strategies on every deck", standings)
    if levels is not None:
        study.table("solo", "Solo on every deck", levels)

    headline = study.subject.headline_players
    order = rome[rome["players"] == headline[-1]].sort_values("rome_wins", kind="stable")["deck"]
    figure, axes = charts.panels(1, len(headline), width=9.4, height=4.4, sharey=True,
                                 squeeze=False)  # fmt: skip
    for ax, players in zip(axes.flat, headline, strict=True):
        rows = rome[rome["players"] == players].set_index("deck").loc[order].reset_index()
        charts.forest(rows, "rome_wins", by="deck", label="games that Rome wins (%)",
                      title=f"{players} players", emphasis=study.subject.deck.name, reference=0.5,
                      ax=ax, caption=fields.caption(mixed))  # fmt: skip
    study.chart("rome", "Rome's rate on every deck", figure,
                "Rome's rate with its interval on every deck, one panel a player count, decks "
                "ordered by Rome's rate; the assumed deck stands out.")  # fmt: skip

    headlines = [(claim, label) for claim in claims for key, label in SHORT.items()
                 if claim.key.split("/")[0] == key][:3]  # fmt: skip
    figure, axes = charts.panels(1, len(headlines), width=9.4, height=4.4, squeeze=False)
    for ax, (claim, label) in zip(axes.flat, headlines, strict=True):
        charts.forest(claim.values.sort_values("value", kind="stable"), "value", by="deck",
                      label=label, title=claim.short, emphasis=study.subject.deck.name,
                      reference=claim.reference, ax=ax,
                      caption=fields.caption([*mixed, *contests, *alone]))  # fmt: skip
    study.chart("headlines", "Seat, best strategy and solo on every deck", figure,
                "The favoured seat's advantage, the best strategy's lead and solo success with "
                "their intervals on every deck, each ordered by its value.")  # fmt: skip


def play_mixed(study: Study, decks: list[str]) -> list[Result]:
    """The mixed field on every deck."""
    blocks = max(
        MIN_BLOCKS, study.games("decks_rome") // (len(decks) * sum(study.subject.headline_players))
    )
    return [
        study.ask(
            f"decks_rome-{deck}-{players}",
            simulate_field,
            lineups=fields.mixed_lineups(study, players, fields.FEW_LINEUPS),
            players=players,
            games=blocks * players,
            deck=deck,
        )
        for players in study.subject.headline_players
        for deck in decks
    ]


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


def play_solo(study: Study, decks: list[str]) -> list[Result]:
    """The best solo strategy of the assumed deck, at all levels on every deck."""
    name = fields.best_solo(study, fields.play_solo(study))
    games = max(MIN_BLOCKS, study.games("decks_solo") // (len(decks) * len(SOLO_LEVELS)))
    return [
        study.ask(f"decks_solo-{deck}", solo, policies=name, games=games, deck=deck)
        for deck in decks
    ]


def with_deck(standings: pd.DataFrame, contests: list[Result]) -> pd.DataFrame:
    """The standings with the deck of each row."""
    decks = [r.matches[0].facts.deck for r in contests for _ in range(len(r["standings"]))]
    return standings.assign(deck=decks)
