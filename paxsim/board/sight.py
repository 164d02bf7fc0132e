"""What a seat sees of what happens: the one place that decides which cards are hidden from whom.

A card that is not seen is None where its name would stand. Seats count from 1; the viewer
`EVERYTHING` sees all cards, as a trace does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

#: The viewer from whom nothing is hidden.
EVERYTHING = 0

#: The setup's numbers name the deal: whoever has them can deal it again and look.
_NAMES_THE_DEAL = ("seed", "game")
#: Cards that lie face down for all when the game begins.
_FACE_DOWN = ("removed", "rome_hidden", "deck")


def seen_by(viewer: int, event: dict[str, Any]) -> dict[str, Any]:
    """The event as a viewer sees it, in the format of a trace.

    Parameters
    ----------
    viewer : int
        A seat from 1, or `EVERYTHING`.
    event : dict
        An event of a trace, or `turn_up` of `with_rome_turned_up`.
    """
    if viewer == EVERYTHING or event.get("seat") == viewer:
        return event
    name = event["event"]
    if name == "setup":
        seen = {key: value for key, value in event.items() if key not in _NAMES_THE_DEAL}
        return _hide(seen, *_FACE_DOWN)
    if name == "draft":
        return _hide(event, "drawn", "kept", "bottom")
    if name == "peek":
        return _hide(event, "seen")
    if name == "reveal":
        return _hide(event, "cards")
    if name == "place" and event["to"] != "legion":
        return _hide(event, "card")
    return event


def _hide(event: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The event with the cards under these keys face down."""
    hidden = {}
    for key in keys:
        cards = event[key]
        hidden[key] = [None] * len(cards) if isinstance(cards, list) else None
    return {**event, **hidden}


def with_rome_turned_up(events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The events of a trace, and before the score that all see the cards that Rome had hidden.

    A trace has no event for it, because its reader has known them from the setup.
    """
    rome_hidden: list[str] = []
    for event in events:
        if event["event"] == "setup":
            rome_hidden = event["rome_hidden"]
        elif event["event"] == "score":
            yield {"event": "turn_up", "cards": rome_hidden}
        yield event
