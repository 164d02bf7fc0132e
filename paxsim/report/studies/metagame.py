"""Study of the equilibria that adapting players reach, and of Rome's rate there.

Every line-up of a few strategies plays, among them those that conspire with Rome and those that
fight it. Their payoffs are a game of its own: players switch from what does badly to what does
well, and two or three may gain by leaving a state together. This depends on the deck more than
anything else, so it is measured on four; a report about another deck measures it on that deck.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.cards import Deck, load_deck
from paxsim.charts import flows
from paxsim.experiment.result import Result
from paxsim.experiment.tournaments import FEWEST_BLOCKS, metagame
from paxsim.gametheory.equilibria import CYCLE, PURE
from paxsim.gametheory.games import number_of_multisets
from paxsim.policies.registry import get_policy
from paxsim.report.study import (
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    joined,
    rate_of,
    with_ends,
)
from paxsim.report.subject import Subject
from paxsim.stats.constants import LEVEL
from paxsim.text import in_percent, listing, points, whole_percent

TITLE = "Players who adapt to each other"
QUESTION = "Which equilibria do adapting players reach, and how often does Rome win there?"

#: A leader, one for Rome, one for points, one against Rome, and one that imitates the others.
STRATEGIES = ("weighted", "conspirator", "tribune", "defender", "answerer")
#: Strategies in all, if there are some of the user: more would make too many line-ups.
MOST_STRATEGIES = 6
#: The assumed deck, the friendliest to Rome, the least friendly, and one without a pattern.
DECKS = ("assumed", "double", "single", "unrelated")
#: Basins below this share of the starts are not reported.
NO_BASIN = 0.005
#: Seats that fight Rome together, in the findings.
FIGHTERS = (2, 3)


def run(runs: Runs) -> Section:
    """Play the same game on every deck."""
    section = Section("metagame", TITLE, QUESTION)
    decks = decks_of(runs.subject)
    results = {deck.name: play(runs, deck, len(decks)) for deck in decks}
    played = list(results.values())
    section.find(leaving_finding(results))
    for deck, result in results.items():
        section.find(alone_finding(deck, result))
        fighters = [seats for seats in FIGHTERS if seats <= runs.subject.table]
        section.find(*(together_finding(deck, result, seats) for seats in fighters))
    labels = (get_policy(spec).label for spec in strategies_of(runs.subject))
    section.table(
        "states",
        "States, by deck",
        joined(played, "states"),
        "Starts: share of evenly spread starting populations that end in the state if players "
        "switch to what wins more. Stable: share of bootstrap samples of the games. alpha-rank: "
        "share of time in the state if players now and then try something else. games: all of the "
        f"deck. All rates are about these strategies: {', '.join(labels)}.",
    )
    section.table("coalitions", "Gains of leaving a state together", joined(played, "coalitions"))
    section.table("payoffs", "Win rate of a seat in every line-up", joined(played, "payoffs"))
    footer = caption(played)
    section.chart(
        "flow", "States, and the moves between them", draw_flows(results, footer),
        "For each deck, rows are what is played and the axis is Rome's rate; arrows show what one "
        "player, and what two or three together, would leave a state for.",
    )  # fmt: skip
    title = "Rome's rate in the states reached, and if some leave them together"
    rates = section.table("rome", title, rome_rates(results))
    figure, ax = charts.panels(width=4.4, height=1.2 + 0.32 * len(rates))
    charts.forest(rates, "rome_wins", by="label", label="games that Rome wins (%)", reference=0.5,
                  title="Rome's rate", ax=ax, limits=charts.ALL_RATES, caption=footer)  # fmt: skip
    section.chart("rome", title, figure,
                  "Rome's rate with its interval by deck: in the states that players reach, and "
                  "when two or three fight it together.")  # fmt: skip
    return section


def draw_flows(results: dict[str, Result], footer: str) -> Any:
    """Draw the states of every deck, one below the other."""
    rows = len(results)
    most = max(len(flows.shown_states(result["states"])) for result in results.values())
    height = rows * (flows.AROUND_ROWS + flows.ROW_HEIGHT * most)
    figure, axes = charts.panels(rows, 1, width=4.4, height=height, squeeze=False)
    for ax, (deck, result) in zip(axes.flat, results.items(), strict=True):
        charts.state_flow(result, title=f"Deck {deck}", legend=False, ax=ax, caption=footer)
    flows.add_flow_legend(axes[-1, 0], 1)
    return figure


def decks_of(subject: Subject) -> list[Deck]:
    """Return the decks: four that differ, or the one that the report is about."""
    return [load_deck(name) for name in DECKS] if subject.default_deck else [subject.deck]


def strategies_of(subject: Subject) -> list[str]:
    """Return the strategies, those of the user first."""
    own = subject.strategies if subject.specs else []
    strategies = list(dict.fromkeys([*own, *STRATEGIES]))
    return strategies[:MOST_STRATEGIES] if own else strategies


def play(runs: Runs, deck: Deck, decks: int) -> Result:
    """Play the meta-game on one of the decks."""
    policies, players = strategies_of(runs.subject), runs.subject.table
    fewest = FEWEST_BLOCKS * players * number_of_multisets(len(policies), players)
    games = max(fewest, runs.games("metagame") // decks)
    return runs.ask(f"metagame-{deck.name}", metagame, policies=policies, players=players,
                    games=games, deck=deck)  # fmt: skip


def rome_rates(results: dict[str, Result]) -> pd.DataFrame:
    """Return Rome's rate in the states reached, and when some leave the first together."""
    rows = []

    def add(deck: str, label: str, row: Any, name: str) -> None:
        rates = dict(zip(with_ends("rome_wins"), estimate_of(row, name), strict=True))
        about = {key: row[key] for key in ("players", "rules", "games", "blocks")}
        rows.append({"label": f"{deck}: {label}", "deck": deck, **rates, **about})

    for deck, result in results.items():
        states = reached(result["states"])
        for _, state in states.iterrows():
            starts = f"({in_percent(state['basin'], 0)}% of starts)"
            add(deck, f"{state['state']} {starts}", state, "rome_wins")
        for seats in FIGHTERS if len(states) else ():
            state = states.iloc[0]["state"]
            row = best_fighters(result["coalitions"], state, seats)
            if row is not None:
                add(deck, f"{seats} {row['strategy']}, others {state}", row, "rome_after")
    return pd.DataFrame(rows)


# --- sentences ------------------------------------------------------------------------------


def reached(states: pd.DataFrame) -> pd.DataFrame:
    """Return the states that the dynamics lead to, the largest basin first."""
    with_basin = states[states["basin"] >= NO_BASIN]
    return with_basin.sort_values("basin", ascending=False, kind="stable")


def best_fighters(coalitions: pd.DataFrame, state: str, seats: int) -> Any | None:
    """Return the coalition of this size that leaves Rome the fewest wins, or None."""
    here = coalitions[(coalitions["state"] == state) & (coalitions["seats"] == seats)]
    return None if here.empty else here.loc[here["rome_after"].idxmin()]


def place(state: Any) -> str:
    """Return ``with weighted at all seats``, or the mixture or the cycle."""
    names = {PURE: "with {} at all seats", CYCLE: "in a {}"}
    return names.get(state["kind"], "in the mixture {}").format(state["state"])


def alone_finding(deck: str, result: Result) -> Finding:
    """Return where adapting players end without coordination, and Rome's rate there."""
    key, ends = f"metagame/{deck}/alone", reached(result["states"])
    text = f"Deck {deck}: without coordination players "
    if ends.empty:
        return Finding(key, f"{text}do not settle within the steps simulated.", sure=False)
    parts = [
        f"{place(state)} ({in_percent(state['basin'], 0)}% of starts), where Rome wins "
        f"{rate_of(state, 'rome_wins')}"
        for _, state in ends.iterrows()
    ]
    text += f"end {'; or '.join(parts)}."
    first = ends.iloc[0]
    sure = bool(first["stable_draws"] > LEVEL)
    if not sure:
        share = whole_percent(first["stable_draws"])
        text += f" The first is stable in only {share}% of bootstrap samples."
    return Finding(key, text, *estimate_of(first, "rome_wins"), sure)


def together_finding(deck: str, result: Result, seats: int) -> Finding:
    """Return what players who leave a state together do to Rome, and to themselves."""
    key = f"metagame/{deck}/together/{seats}"
    ends = reached(result["states"])
    row = None
    if not ends.empty:
        state = ends.iloc[0]
        row = best_fighters(result["coalitions"], state["state"], seats)
    who = f"{seats} players"
    if row is None:
        text = f"Deck {deck}: there is no state that {who} could leave together."
        return Finding(key, text, sure=False)
    rome = estimate_of(row, "rome_after")
    after, before = (rate_of(row, f"rome_{when}") for when in ("after", "before"))
    if row["rome_after_high"] >= row["rome_before_low"]:
        text = (
            f"Deck {deck}: {who} who fight Rome together change nothing: it wins {after} "
            f"{place(state)} and {before} without them."
        )
        return Finding(key, text, *rome, False)
    rest = int(row["players"]) - seats
    others = "the other player wins" if rest == 1 else f"each of the {rest} others wins"
    gain = f"{in_percent(row['after'])}% instead of {in_percent(row['before'])}%"
    change = points(*estimate_of(row, "gain"))
    verb = "gains" if row["gain_low"] > 0 else "loses" if row["gain_high"] < 0 else (
        "wins about as much")  # fmt: skip
    text = (
        f"Deck {deck}: with {int(row['players'])} players who all play {state['state']} Rome wins "
        f"{before}; if {who} fight it together (as {row['strategy']}), {after}. Each of them "
        f"{verb}: {gain} ({change}), and {others} {rate_of(row, 'others_after')}"
    )
    temptation = points(*estimate_of(row, "temptation"))
    if row["temptation_low"] > 0:
        text += f"; but one of them who breaks the pact gains {temptation} more"
    cells = {
        "who fight together": f"{who}, as {row['strategy']}",
        "Rome wins": f"{after} instead of {before}",
        "each of them wins": f"{in_percent(row['after'])}% ({change})",
        "each of the others": rate_of(row, "others_after"),
        "whoever breaks the pact": temptation if row["temptation_low"] > 0 else "no clear gain",
    }
    return Finding(key, f"{text}.", *rome, cells=cells)


def leaving_finding(results: dict[str, Result]) -> Finding:
    """Return on which decks two or three gain by leaving the most reached state together."""
    left: list[str] = []
    safe: list[str] = []
    restless: list[str] = []
    for deck, result in results.items():
        ends, moves = reached(result["states"]), result["coalitions"]
        if ends.empty or ends.iloc[0]["kind"] == CYCLE:
            restless.append(deck)
            continue
        here = moves[(moves["state"] == ends.iloc[0]["state"]) & moves["seats"].isin(FIGHTERS)]
        (left if (here["gain_low"] > 0).any() else safe).append(deck)
    parts = [
        f"{text} {'the deck' if len(decks) == 1 else 'the decks'} {listing(decks)}"
        for decks, text in (
            (left, "two or three who leave it together gain on"),
            (safe, "no two or three of these strategies clearly gain so on"),
            (restless, "players do not settle on"),
        )
        if decks
    ]
    text = (
        "In the state that most players reach, no player gains by switching alone; "
        f"{'; '.join(parts)}."
    )
    return Finding("metagame/leaving", text, sure=bool(left or safe))
