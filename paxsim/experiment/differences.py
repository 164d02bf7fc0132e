"""How one run differs from another, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

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
