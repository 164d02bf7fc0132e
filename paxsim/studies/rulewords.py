"""The rules in words, for findings and charts: what a field of a rule set counts or says."""

from __future__ import annotations

from typing import Any

#: What a number of the rules counts, as one says it after the number.
COUNTED = {
    "starting_money": "Aurei at the start",
    "rome_hidden": "hidden cards of Rome at the start",
    "rome_open": "open cards of Rome at the start",
    "cards_removed": "cards set aside unseen",
    "legions": "legions",
    "basic_income": "Aurei for a turn without a card",
    "peek_income": "Aurei for peeking",
    "senator_income": "Aurei more after a senator",
    "religion_two": "religion symbols that let one draw two cards",
    "discount_step": "wealth symbols for 1 Aureus off",
    "bonus_step": "fleets for a bonus army, and the reverse",
    "rome_needs": "categories that Rome needs to win",
    "points_category": "points for a category displayed",
    "points_stronger": "points for a category stronger than Rome",
    "points_fleet_army": "points for a fleet or army symbol",
    "points_primus": "points for primus conspiratus",
    "points_wealthiest": "points for the most money",
}
SINGULAR = {"Aurei": "Aureus", "points": "point", "categories": "category", "legions": "legion"}
#: What a ruling says.
SAID = {
    ("reactions", True): "others react to a senator",
    ("reactions_before_income", True): "reactions come before the income",
    ("rome_takes_last", False): "Rome takes no group after the last round",
    ("tie", "money"): "ties on points go to the richer",
}


def counted(field: str) -> str:
    """What a number of the rules counts; its name where there are no words."""
    return COUNTED.get(field, field)


def in_words(field: str, value: Any) -> str:
    """A rule in words: ``5 categories that Rome needs to win``."""
    if (field, value) in SAID:
        return SAID[field, value]
    if field not in COUNTED:
        return f"{field} = {value}"
    what, space, rest = COUNTED[field].partition(" ")
    return f"{value} {SINGULAR.get(what, what) if str(value) == '1' else what}{space}{rest}"


def change_in_words(text: str) -> str:
    """A change that a table gives as ``rome_needs=5``, in words."""
    field, _, value = text.partition("=")
    return in_words(field, {"true": True, "false": False}.get(value.lower(), value))


def named_change(text: str) -> str:
    """The same with the name of the field beside it."""
    return f"{change_in_words(text)} ({text})"
