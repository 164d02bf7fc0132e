"""Where do players end who answer each other, and how often does Rome win there?

Every line-up of a few strategies plays, those who conspire with Rome among them and those who fight
it. What they win is a game of its own: from it follows where players end who leave what does badly
for what does well, and what two or three gain who leave that together. This depends on the deck
more than anything else does, so it is asked on four; a report about a deck of one's own asks it of
that deck.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.cards import Deck, load_deck
from paxsim.charts import flows
from paxsim.experiment.api import FEWEST_BLOCKS, metagame
from paxsim.experiment.metatables import best_fighters, numeral, place, reached, where_players_end
from paxsim.experiment.result import Result
from paxsim.gametheory.equilibria import CYCLE
from paxsim.gametheory.games import number_of_multisets
from paxsim.policies.registry import get_policy
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers
from paxsim.report.study import Finding, Study
from paxsim.report.subject import Subject
from paxsim.stats.constants import LEVEL
from paxsim.text import in_percent, listing, percent, points, whole_percent

TITLE = "Players who answer each other"
QUESTION = "Where do players end who answer each other, and how often does Rome win there?"

#: Who conspires, who plays for points, who fights Rome, and who does what the others do.
STRATEGIES = ("weighted", "conspirator", "tribune", "defender", "answerer")
#: With strategies of the user's, so many in all: more would make too many line-ups.
MOST_STRATEGIES = 6
#: The assumed deck, the friendliest to Rome, the least friendly, and one without a pattern.
DECKS = ("assumed", "double", "single", "unrelated")
#: Seats that fight Rome together, in the findings.
FIGHTERS = (2, 3)


def run(study: Study) -> None:
    """The same game on every deck that is asked about."""
    decks = decks_of(study.subject)
    results = {deck.name: play(study, deck, len(decks)) for deck in decks}
    played = list(results.values())
    study.find(leaving_finding(results))
    for deck, result in results.items():
        study.find(alone_finding(deck, result))
        fighters = [seats for seats in FIGHTERS if seats <= study.subject.table]
        study.find(*(together_finding(deck, result, seats) for seats in fighters))
    labels = (get_policy(spec).label for spec in strategies_of(study.subject))
    note = (
        "Starts that lead there: of the ways to mix the strategies, spread evenly over all, those "
        "from which players who change to what wins more end in the state. Redraws: the games "
        "drawn anew, to see what is chance. alpha-rank: how much of the time players who now and "
        "then try something else spend in the state. games: all of the deck, of which a line-up "
        "has its part. "
        f"All rates are about these strategies: {', '.join(labels)}."
    )
    study.table("states", "States, by deck", findings.joined(played, "states"), note)
    study.table("coalitions", "What seats gain by leaving a state together",
                findings.joined(played, "coalitions"))  # fmt: skip
    study.table(
        "payoffs", "Win rate of a seat in every line-up", findings.joined(played, "payoffs")
    )

    caption = findings.caption(played)
    wide, narrow = (_flows(results, *shape, caption) for shape in ((2, 9.4), (1, 4.4)))
    study.chart("flow", "States, and the ways between them", wide,
                "For each deck, in rows what is played, by Rome's rate; arrows show what one "
                "player, and what two or three together, would leave a state for.",
                narrow=narrow)  # fmt: skip
    rates = rome_rates(results)
    study.table("rome", "Rome's rate where players end, and when some leave that together", rates)
    figures = []
    for width, title in ((8.0, "Rome's rate where players end, and against fighters"),
                         (4.4, "Rome's rate")):  # fmt: skip
        figure, ax = charts.panels(width=width, height=1.2 + 0.32 * len(rates))
        charts.forest(rates, "rome_wins", by="label", label="games that Rome wins (%)",
                      reference=0.5, title=title, ax=ax, limits=charts.ALL_RATES,
                      caption=caption)  # fmt: skip
        figures.append(figure)
    study.chart("rome", "Rome's rate where players end, and when some leave that together",
                figures[0], "Rome's rate with its interval by deck: in the states that players end "
                "in, and when two or three fight it together.", narrow=figures[1])  # fmt: skip


def _flows(results: dict[str, Result], columns: int, width: float, caption: str) -> Any:
    """The states of every deck, so many beside each other."""
    columns = min(columns, len(results))
    rows = -(-len(results) // columns)
    most = max(len(flows.shown_states(result["states"])) for result in results.values())
    height = rows * (flows.AROUND_ROWS + flows.ROW_HEIGHT * most)
    figure, axes = charts.panels(rows, columns, width=width, height=height, squeeze=False)
    for ax, (deck, result) in zip(axes.flat, results.items(), strict=False):
        charts.state_flow(result, title=f"Deck {deck}", legend=False, ax=ax, caption=caption)
    for ax in list(axes.flat)[len(results) :]:
        ax.set_visible(False)
    flows.add_flow_legend(axes[-1, 0], columns)
    return figure


def decks_of(subject: Subject) -> list[Deck]:
    """The decks that are asked about: four that differ, or the one that the report is about."""
    return [load_deck(name) for name in DECKS] if subject.default_deck else [subject.deck]


def strategies_of(subject: Subject) -> list[str]:
    """Who plays: the user's strategies first, if there are any."""
    if not subject.policies:
        return list(STRATEGIES)
    return list(dict.fromkeys([*subject.strategies, *STRATEGIES]))[:MOST_STRATEGIES]


def play(study: Study, deck: Deck, decks: int) -> Result:
    """The meta-game on one of so many decks."""
    policies, players = strategies_of(study.subject), study.subject.table
    fewest = FEWEST_BLOCKS * players * number_of_multisets(len(policies), players)
    games = max(fewest, study.games("metagame") // decks)
    return study.ask(f"metagame-{deck.name}", metagame, policies=policies, players=players,
                     games=games, deck=deck)  # fmt: skip


def rome_rates(results: dict[str, Result]) -> pd.DataFrame:
    """Rome's rate in the states that players end in, and when some leave the first together."""
    rows = []
    for deck, result in results.items():
        found = reached(result["states"])
        for _, state in found.iterrows():
            label = f"{deck}: {state['state']} ({in_percent(state['basin'], 0)} % of starts)"
            rows.append(_rate(deck, label, state, "rome_wins"))
        for seats in FIGHTERS if len(found) else ():
            state = found.iloc[0]["state"]
            row = best_fighters(result["coalitions"], state, seats)
            if row is not None:
                label = f"{deck}: {seats} {row['strategy']}, others {state}"
                rows.append(_rate(deck, label, row, "rome_after"))
    return pd.DataFrame(rows)


def _rate(deck: str, label: str, row: Any, name: str) -> dict[str, Any]:
    ends = {f"rome_wins{end}": row[f"{name}{end}"] for end in ("", "_low", "_high")}
    about = {key: row[key] for key in ("players", "rules", "games", "blocks")}
    return {"label": label, "deck": deck, **ends, **about}


# --- sentences ------------------------------------------------------------------------------


def alone_finding(deck: str, result: Result) -> Finding:
    """Where players end if everybody looks after themselves, and how often Rome wins there."""
    states = result["states"]
    text = where_players_end(states)
    text = f"Deck {deck}: if nobody coordinates, {text[0].lower()}{text[1:]}"
    found = reached(states)
    if found.empty:
        return Finding(f"metagame/{deck}/alone", text, sure=False)
    first = found.iloc[0]
    sure = bool(first["stable_draws"] > LEVEL)
    if not sure:
        text += (
            f" That is not sure: in {whole_percent(first['stable_draws'])} of 100 redraws of the "
            "games it is stable."
        )
    return Finding(f"metagame/{deck}/alone", text, *numbers(first, "rome_wins"), sure)


def together_finding(deck: str, result: Result, seats: int) -> Finding:
    """What so many do to Rome, and to themselves, who leave together where most players end."""
    key = f"metagame/{deck}/together/{seats}"
    found = reached(result["states"])
    row = None
    if not found.empty:
        row = best_fighters(result["coalitions"], found.iloc[0]["state"], seats)
    if row is None:
        text = f"Deck {deck}: there is no state that {numeral(seats)} players could leave together."
        return Finding(key, text, sure=False)
    state = found.iloc[0]
    who = f"{numeral(seats)} players"
    if row["rome_after_high"] >= row["rome_before_low"]:
        text = (
            f"Deck {deck}: {who} who fight Rome together change nothing: it wins "
            f"{percent(*numbers(row, 'rome_after'))} {place(state)} and "
            f"{percent(*numbers(row, 'rome_before'))} without them."
        )
        return Finding(key, text, *numbers(row, "rome_after"), False)
    rest = int(row["players"]) - seats
    others = {1: "the one other player wins"}.get(rest, f"each of the {numeral(rest)} others wins")
    after, before = (percent(*numbers(row, f"rome_{when}")) for when in ("after", "before"))
    text = (
        f"Deck {deck}: with {int(row['players'])} players who all play {state['state']} Rome wins "
        f"{before}; if {who} fight it together (as {row['strategy']}), {after}. Each of them "
        f"{_pays(row)}, and {others} {percent(*numbers(row, 'others_after'))}"
    )
    tempted = row["temptation_low"] > 0
    if tempted:
        more = points(*numbers(row, "temptation"))
        text += f"; but one of them who breaks the pact gains {more} more"
    cells = {
        "who fight together": f"{who}, as {row['strategy']}",
        "Rome wins": f"{after} instead of {before}",
        "each of them wins": f"{in_percent(row['after'])} % ({points(*numbers(row, 'gain'))})",
        "each of the others": percent(*numbers(row, "others_after")),
        "who breaks it": more if tempted else "does not surely gain",
    }
    return Finding(key, f"{text}.", *numbers(row, "rome_after"), cells=cells)


def _pays(row: Any) -> str:
    """Whether it pays to fight Rome together."""
    change = points(*numbers(row, "gain"))
    after = f"{in_percent(row['after'])} % instead of {in_percent(row['before'])} %"
    if row["gain_low"] > 0:
        return f"gains: {after} ({change})"
    if row["gain_high"] < 0:
        return f"pays for it: {after} ({change})"
    return f"wins about as much: {after} ({change})"


def leaving_finding(results: dict[str, Result]) -> Finding:
    """On which decks the state that most players end in is safe from two or three together."""
    left: list[str] = []
    safe: list[str] = []
    restless: list[str] = []
    for deck, result in results.items():
        found = reached(result["states"])
        moves = result["coalitions"]
        if found.empty or found.iloc[0]["kind"] == CYCLE:
            restless.append(deck)
            continue
        here = moves[(moves["state"] == found.iloc[0]["state"]) & moves["seats"].isin(FIGHTERS)]
        (left if (here["gain_low"] > 0).any() else safe).append(deck)
    parts = []
    if left:
        parts.append(f"two or three who leave it together gain on {_decks(left)}")
    if safe:
        parts.append(f"no two or three of these strategies surely gain so on {_decks(safe)}")
    if restless:
        parts.append(f"players do not come to rest on {_decks(restless)}")
    text = (
        "In the state where most players end, nobody gains by playing something else alone; "
        f"{'; '.join(parts)}."
    )
    return Finding("metagame/leaving", text, sure=bool(left or safe))


def _decks(names: list[str]) -> str:
    return f"the deck {names[0]}" if len(names) == 1 else f"the decks {listing(names)}"
