"""Manifests of runs: what they must say to be worked with, and how two of them differ in words.

Anybody may have had a manifest in an editor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from paxsim.cards import CATEGORIES, MAX_COPY, MAX_NOTE
from paxsim.errors import PaxsimError
from paxsim.experiment.cutting import MAX_CHUNK_GAMES
from paxsim.files import read_regular
from paxsim.quoting import is_prose
from paxsim.rules import MAX_PLAYERS, load_rules
from paxsim.setting import MAX_NUMBER
from paxsim.shapes import ANYTHING, FLAG, NAME, TEXT, Each, Kind, misfit, one_of, optional, whole

_KINDS = (
    "simulate",
    "tournament",
    "compare",
    "compare_rules",
    "restrict",
    "solo",
    "metagame",
    "simulate_field",
    "vary_rules",
)
_SHARE = Kind(lambda found: isinstance(found, float) and 0 < found < 0.5, "between 0 and 0.5")
_DIFFERENCE = Kind(
    lambda found: isinstance(found, (int, float)) and -1 < found < 1, "between -1 and 1"
)
_POSITION = whole(0, MAX_PLAYERS - 1)
#: What every kind of question says besides its kind.
_QUESTIONS: dict[str, dict[str, Any]] = {
    "simulate": {"precision": optional(_SHARE)},
    "compare": {"delta": _DIFFERENCE, "sequential": FLAG},
    "simulate_field": {"lineups": whole(1, MAX_NUMBER)},
    "vary_rules": {"lineups": whole(1, MAX_NUMBER), "fields": Each([ANYTHING])},
    "restrict": {"without": [NAME], "positions": [optional(_POSITION)], "tuned": FLAG},
    "metagame": {"strategies": [NAME], "added": [NAME]},
}
#: What it says of every bundle.
_EACH_BUNDLE = {"restrict": ("without", "positions")}
#: Matches in a bundle, where the kind of question says how many.
_BUNDLE_SIZES = {
    "simulate": 1,
    "tournament": 1,
    "metagame": 1,
    "compare": 2,
    "compare_rules": 2,
    "restrict": 2,
}
_MATCH = {
    "players": whole(1, MAX_PLAYERS),
    "solo_level": optional(whole(1, 5)),
    "policies": [NAME],
    "policy_fingerprints": [TEXT],
    "deck": NAME,
    "deck_fingerprint": TEXT,
    "rules": Each(ANYTHING),
    "rules_fingerprint": TEXT,
    "orders": [[_POSITION]],
    "block_size": whole(1, MAX_NUMBER),
}
_CARD = re.compile(rf"({'|'.join(CATEGORIES)})/\d{{1,3}}/\d{{1,3}}")
_DECK = {
    "name": NAME,
    "path": TEXT,
    "note": Kind(lambda found: is_prose(found, MAX_NOTE), "a text"),
    "cards": Each(whole(1, MAX_COPY)),
}
_MANIFEST = {
    "command": TEXT,
    "chunk_games": whole(1, MAX_CHUNK_GAMES),
    "earlier_blocks": [[whole(1, MAX_NUMBER)]],
    "fingerprint": TEXT,
    "question": {"kind": one_of(*_KINDS)},
    "plan": {
        "version": NAME,
        "seed": whole(0, MAX_NUMBER),
        "games": whole(1, MAX_NUMBER),
        "blocks": [whole(1, MAX_NUMBER)],
        "bundles": [[_MATCH]],
    },
    "decks": Each(_DECK),
    "policies": Each(TEXT),
}


def load_json(path: Path, field: str) -> Any:
    """What a JSON file says; every way in which it can fail to say something is one clear line."""
    try:
        found = json.loads(read_regular(path).decode("utf-8"))
        json.dumps(found)  # what can be read may still be nested too deep to be worked with
        return found
    except OSError as error:
        raise PaxsimError(f"{field}: cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested too deep
        raise PaxsimError(f"{field}: {path} is damaged; allowed: the file as written") from None


def problem_of(manifest: dict[str, Any]) -> str | None:
    """What a manifest lacks, or what in it does not fit the rest."""
    return (
        misfit(manifest, _MANIFEST)
        or misfit(
            manifest["question"], _QUESTIONS.get(manifest["question"]["kind"], {}), "question"
        )
        or _contradiction(manifest)
    )


def _contradiction(manifest: dict[str, Any]) -> str | None:
    """What does not fit together in a manifest whose parts are fine by themselves."""
    plan, kind = manifest["plan"], manifest["question"]["kind"]
    bundles = plan["bundles"]
    if not bundles or not all(bundles) or len(plan["blocks"]) != len(bundles):
        return "plan.bundles: found others than plan.blocks; allowed: one number of blocks for each"
    stages = [*manifest["earlier_blocks"], plan["blocks"]]
    if any(len(stage) != len(bundles) for stage in stages) or not all(
        before <= now for pair in pairwise(stages) for before, now in zip(*pair, strict=True)
    ):
        return "earlier_blocks: found others than plan.blocks; allowed: as many numbers, not above"
    if any(len(bundle) != _BUNDLE_SIZES.get(kind, len(bundle)) for bundle in bundles):
        return f"question.kind: found {kind} with other matches; allowed: what was asked"
    lineups = manifest["question"].get("lineups", 1)
    if any(len(bundle) % lineups for bundle in bundles):
        return f"question.lineups: found {lineups}; allowed: what divides the matches"
    tried = manifest["question"].get("fields")
    if tried is not None and [len(v) * lineups for v in tried.values()] != [*map(len, bundles)]:
        return "question.fields: found other values than were played; allowed: what was asked"
    if kind == "compare" and len(bundles) > 1:
        return "plan.bundles: found several for a comparison; allowed: one"
    for key in _EACH_BUNDLE.get(kind, ()):
        if len(manifest["question"][key]) != len(bundles):
            return f"question.{key}: found others than plan.bundles; allowed: one for each"
    for match in chain.from_iterable(bundles):
        problem = _match_problem(match, manifest, kind)
        if problem:
            return problem
    games = sum(
        blocks * match["block_size"]
        for bundle, blocks in zip(bundles, plan["blocks"], strict=True)
        for match in bundle
    )
    return None if games == plan["games"] else f"plan.games: found {plan['games']} for {games}"


def _match_problem(match: dict[str, Any], manifest: dict[str, Any], kind: str) -> str | None:
    players = match["players"]
    where = "plan.bundles: a match"
    if (match["solo_level"] is None) != (players > 1) or (kind == "solo") > (players == 1):
        return f"{where}: solo_level: found {match['solo_level']} with {players} players"
    if kind in ("compare", "tournament", "metagame") and players == 1:
        return f"{where}: players: found 1; allowed in a {kind}: 2 to 8"
    for key in ("policies", "policy_fingerprints"):
        if len(match[key]) != players:
            return f"{where}: {key}: found {len(match[key])} for {players} players"
    if not match["orders"] or any(sorted(order) != [*range(players)] for order in match["orders"]):
        return f"{where}: orders: found {match['orders']}; allowed: orders of all positions"
    turns = {players} if len(set(match["policies"])) > 1 else {players, 1}
    if match["block_size"] not in {count * len(match["orders"]) for count in turns}:
        return f"{where}: block_size: found {match['block_size']}"
    for label in match["policies"]:
        if label not in manifest["policies"]:
            return f"policies: {label}: missing"
    if match["deck_fingerprint"] not in manifest["decks"]:
        return f"decks: {match['deck_fingerprint']}: missing"
    for card in manifest["decks"][match["deck_fingerprint"]]["cards"]:
        if not _CARD.fullmatch(card):
            return f"decks: cards: found {card!r}; allowed: category/symbols/value"
    try:
        load_rules(match["rules"])
    except PaxsimError as error:
        return f"{where}: {error}"
    return None


# --- how one run differs from another -------------------------------------------------------

#: At most so many differences are spelled out.
SHOWN = 4

_WORDS = {
    "kind": "the question",
    "solo_level": "the solo level",
    "orders": "the permutations",
}
#: What follows from something else that is named.
_IMPLIED = ("sources", "blocks", "block_size", "deck_fingerprint", "rules_fingerprint",
            "policy_fingerprints")  # fmt: skip


def longer_by(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Games that a new manifest asks for beyond those of an old one, if this is all it changes.

    Below 0 if it asks for fewer, and 0 where nothing or something else differs.
    """
    lengths = ("games", "blocks")
    same = old["question"] == new["question"] and all(
        old["plan"][key] == new["plan"].get(key) for key in old["plan"] if key not in lengths
    )
    if not same:
        return 0
    pairs = list(zip(old["plan"]["blocks"], new["plan"]["blocks"], strict=True))
    one_way = all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
    return new["plan"]["games"] - old["plan"]["games"] if one_way else 0


def describe_differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Say how a new manifest differs from an old one in what is played; empty if it does not.

    Parameters
    ----------
    old, new : dict
        Manifests, as read from JSON.
    """
    if old["plan"] == new["plan"] and old["question"] == new["question"]:
        return []
    found = list(dict.fromkeys(_of_manifests(old, new)))
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return [*found[:SHOWN], *more] or ["the number of blocks"]


def _of_manifests(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    yield from _of_values(old["question"], new["question"])
    bundles = "bundles"
    top_old = {key: value for key, value in old["plan"].items() if key != bundles}
    top_new = {key: value for key, value in new["plan"].items() if key != bundles}
    yield from _of_values(top_old, top_new)
    same_engine = top_old["sources"] == top_new["sources"]
    if not same_engine and top_old["version"] == top_new["version"]:
        yield "the engine has changed"
    matches_old, matches_new = (
        [match for bundle in manifest["plan"][bundles] for match in bundle]
        for manifest in (old, new)
    )
    yield from _of_groups(matches_old, matches_new)
    if len(matches_old) == len(matches_new):
        for one, other in zip(matches_old, matches_new, strict=True):
            yield from _of_matches(one, other)
            if same_engine:  # else the fingerprints of all policies differ
                yield from _of_policies(one, other, _pythons(old, new))


def _of_groups(old: list[dict], new: list[dict]) -> Iterator[str]:
    """Differences in who and how many play, where the number of line-ups differs."""
    if len(old) != len(new):
        for key in ("players", "policies", "solo_level"):
            values = [list(dict.fromkeys(_text(match[key]) for match in run)) for run in (old, new)]
            if values[0] != values[1]:
                yield _changed(key, *(" and ".join(v[:6]) for v in values))
        yield _changed("the number of line-ups", str(len(old)), str(len(new)))


def _of_matches(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    named = list(_of_values(old, new))
    yield from named
    if old["deck"] == new["deck"] and old["deck_fingerprint"] != new["deck_fingerprint"]:
        yield f"the cards of deck {old['deck']} have changed"
    if not named and old["rules_fingerprint"] != new["rules_fingerprint"]:
        yield "the published rules have changed"


def _of_policies(old: dict[str, Any], new: dict[str, Any], pythons: str) -> Iterator[str]:
    """Policies of the same name that are not the same."""
    if old["policies"] == new["policies"]:
        changed = zip(old["policies"], old["policy_fingerprints"], new["policy_fingerprints"],
                      strict=True)  # fmt: skip
        for label, before, now in changed:
            if before != now:
                said = f"the source of policy {label} has changed, or what it calls or reads"
                yield said + pythons


def _pythons(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The versions of Python, where they differ: a policy's bytecode then differs too."""
    before, now = (
        ".".join(manifest["machine"]["python"].split(".")[:2]) for manifest in (old, new)
    )
    return "" if before == now else f" (or only Python has: {before} was used, this is {now})"


def _of_values(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        if key not in _IMPLIED and old.get(key) != new.get(key):
            yield _changed(key, _text(old.get(key)), _text(new.get(key)))


def _changed(key: str, old: str, new: str) -> str:
    return f"{_WORDS.get(key, key)} was {old} and is now {new}"


def _text(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        text = ",".join(value)
    elif isinstance(value, dict):
        text = ",".join(f"{k}={json.dumps(v)}" for k, v in value.items()) or "as published"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
