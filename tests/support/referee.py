"""Replay traces on the reference and report the first event that breaks the rules.

Run ``python tests/referee.py FILE``: prints the number of games, or the error and exit code 1.
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.reference import ReferenceGame, as_card, default_rules

COPY_SIZE = 74

SETUP_KEYS = [
    "version", "players", "solo_level", "seed", "game", "policies", "deck_name", "rules",
    "legions", "removed", "rome_hidden", "rome_open", "deck"
]  # fmt: skip

# Keys that the format names but that appear in some events of the kind only.
SOMETIMES = {"draft": ["displayed"], "place": ["legion"], "score": ["solo_won"]}


class RefereeError(Exception):
    """The trace differs from the rules; the message names the line and both versions."""


def _fail(line, message):
    raise RefereeError(f"line {line}: {message}")


def same(ours, theirs):
    """Tell whether two pieces of JSON data agree; extra keys on their side are allowed."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and all(
            key in theirs and same(value, theirs[key]) for key, value in ours.items()
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(same(a, b) for a, b in zip(ours, theirs, strict=True))
        )
    if isinstance(ours, float):
        return isinstance(theirs, int | float) and math.isclose(ours, theirs, abs_tol=1e-12)
    return ours == theirs


def _sorted_hands(event):
    """Return a score event with sorted hands.

    A trace does not say which of two equal cards was played, so the order of a hand is not in it.
    """
    try:
        players = [{**p, "hand": sorted(p["hand"])} for p in event["players"]]
    except (KeyError, TypeError):
        return event
    return {**event, "players": players}


def _difference(ours, theirs):
    """Return the keys of our event with which theirs disagrees."""
    if ours["event"] == "score":
        ours, theirs = _sorted_hands(ours), _sorted_hands(theirs)
    keys = [key for key in ours if key not in theirs or not same(ours[key], theirs[key])]
    for key in SOMETIMES.get(ours["event"], []):
        if key not in ours and theirs.get(key) not in (None, []):
            keys.append(key)
    if ours["event"] == "setup" and "rules" not in keys and ours["rules"] != theirs["rules"]:
        # The rules are the one object in which an extra key would have a meaning.
        keys.append("rules")
    return keys


def _check_cards(line, setup, rules, deck_counts):
    """Check how many cards lie where, and that they are those of the deck."""
    wanted = {
        "removed": rules["cards_removed"],
        "rome_hidden": rules["rome_hidden"],
        "rome_open": rules["rome_open"],
    }
    copy_size = COPY_SIZE if deck_counts is None else sum(deck_counts.values())
    wanted["deck"] = copy_size + rules["cards_added"] - sum(wanted.values())
    for key, number in wanted.items():
        if len(setup[key]) != number:
            _fail(line, f"setup: {key} has {len(setup[key])} cards, the rules say {number}")
    cards = Counter(card for key in wanted for card in setup[key])
    for card in cards:
        try:
            text = str(as_card(card))
        except (ValueError, AttributeError):
            text = None
        if text != card:
            _fail(line, f"setup: {card!r} is not a card")
    if deck_counts is None:
        return
    # The whole first copy and, because the total is right, `cards_added` cards of the second.
    for card in sorted(set(cards) | set(deck_counts)):
        one = deck_counts.get(card, 0)
        most = 2 * one if rules["cards_added"] else one
        if not one <= cards[card] <= most:
            _fail(
                line, f"setup: {cards[card]} cards {card}, the deck allows {one} to {most} of them"
            )


def _start(line, setup, deck_counts):
    """Check a setup event and return the game that it describes."""
    missing = [key for key in SETUP_KEYS if key not in setup]
    if missing:
        _fail(line, f"setup: missing keys {missing}")
    try:
        rules = {**default_rules(setup["players"]), **setup["rules"]}
        if setup["legions"] != rules["legions"]:
            _fail(line, f"setup: {setup['legions']} legions, the rules say {rules['legions']}")
        if len(setup["policies"]) not in (0, setup["players"]):
            _fail(line, f"setup: {len(setup['policies'])} policies, {setup['players']} players")
        _check_cards(line, setup, rules, deck_counts)
        keys = [key for key in SETUP_KEYS if key not in ("version", "players", "legions")]
        return ReferenceGame(setup["players"], **{key: setup[key] for key in keys})
    except (ValueError, TypeError, KeyError, IndexError) as error:
        _fail(line, f"setup: {error}")


def _wish(game, event):
    """Return the option that the next event of the trace implies for the pending decision."""
    mine = event.get("seat") == game.seat
    kind = event.get("event") if mine else None
    decision = game.decision
    if decision in ("display", "keep"):
        if kind != "draft":
            return None
        if decision == "keep":
            return ("keep", event.get("kept"))
        displayed = event.get("displayed") or []
        # Options shrink by one with each card displayed.
        done = len(event.get("drawn", [])) - len(game.options)
        return ("display", displayed[done]) if 0 <= done < len(displayed) else None
    if decision == "turn":
        return ("peek",) if kind == "peek" else ("turn",)
    if decision == "place":
        if kind != "place":
            return None
        to = event.get("to")
        return ("place", event.get("card"), event.get("legion") if to == "legion" else to)
    if decision == "buy":
        return ("buy", event.get("legion")) if kind == "buy" else ("pass",)
    if decision == "play":
        return ("play", event.get("card")) if kind == "play" else ("stop",)
    return ("react", event.get("card")) if kind == "react" else ("pass",)


def _choose(line, game, event):
    """Apply the option that the next event implies."""
    options = game.state()["options"]
    wish = _wish(game, event)
    matches = [i for i, option in enumerate(options) if option == wish]
    if not matches:
        _fail(
            line,
            f"seat {game.seat} decides {game.decision!r}; the trace has {json.dumps(event)}; "
            f"legal are {options}",
        )
    if game.decision == "keep":
        # Which of two equal cards was kept shows in the order of the others.
        for i in matches:
            others = [option[1] for j, option in enumerate(options) if j != i]
            if others == event.get("bottom"):
                game.apply(i)
                return
    game.apply(matches[0])


def _replay_one(lines, deck_counts):
    """Replay one trace, given as pairs of line number and event."""
    game = _start(*lines[0], deck_counts)
    for position, (line, event) in enumerate(lines):
        while len(game.events) <= position:
            if game.decision is None:
                _fail(line, f"the game is over, but the trace has {json.dumps(event)}")
            _choose(line, game, event)
        ours = game.events[position]
        keys = _difference(ours, event)
        if keys:
            _fail(
                line,
                f"differs in {', '.join(keys)}\n  trace:     {json.dumps(event)}"
                f"\n  reference: {json.dumps(ours)}",
            )
    last = lines[-1][0]
    if game.decision is not None:
        _fail(last, f"the trace stops, but seat {game.seat} has to decide {game.decision!r}")
    if len(game.events) > len(lines):
        _fail(last, f"the trace stops before {json.dumps(game.events[len(lines)])}")
    return game


def _traces(lines):
    """Split lines into traces, each a list of pairs of line number and event."""
    traces = []
    for number, line in enumerate(lines, 1):
        if isinstance(line, str) and not line.strip():
            continue
        try:
            event = json.loads(line) if isinstance(line, str) else line
        except json.JSONDecodeError as error:
            _fail(number, f"not JSON: {error}")
        if not isinstance(event, dict):
            _fail(number, f"not an event: {line!r}")
        if event.get("event") == "setup":
            traces.append([])
        if not traces:
            _fail(number, "a trace starts with setup")
        traces[-1].append((number, event))
    return traces


def replay(lines_or_path, deck_counts=None):
    """Replay traces and return the finished games.

    Parameters
    ----------
    lines_or_path : str, Path or iterable of str or dict
        A JSON Lines file, or its lines (or events).
    deck_counts : Counter of str, optional
        The cards of one copy of the deck. Without it a copy is taken to have 74 cards, whatever
        they are.

    Returns
    -------
    list of ReferenceGame

    Raises
    ------
    RefereeError
        At the first event that differs from what the reference emits.
    """
    if isinstance(lines_or_path, str | Path):
        lines = Path(lines_or_path).read_text(encoding="utf-8").splitlines()
    else:
        lines = lines_or_path
    return [_replay_one(trace, deck_counts) for trace in _traces(lines)]


def main(arguments):
    """Check the file named on the command line."""
    if len(arguments) != 1:
        print("usage: referee.py FILE", file=sys.stderr)
        return 2
    try:
        games = replay(arguments[0])
    except (RefereeError, OSError) as error:
        print(error)
        return 1
    print(f"{len(games)} games, all legal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
