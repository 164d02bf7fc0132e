"""Hypothesis strategies: decks, rule sets and settings that can be played."""

from hypothesis import reject
from hypothesis import strategies as st

import paxsim
from paxsim.rules import SPANS

#: A strategy for every rule field: values near the published ones, and the edges.
RULE_VALUES = {
    "starting_money": st.integers(0, 12),
    "rome_hidden": st.integers(0, 6),
    "rome_open": st.integers(0, 6),
    "cards_removed": st.integers(0, 30),
    "cards_added": st.integers(0, 60),
    "legions": st.integers(1, 12),
    "draft_sizes": st.lists(st.integers(1, 6), min_size=8, max_size=8),
    "basic_income": st.integers(0, 4),
    "peek_income": st.integers(0, 4),
    "empty_deck_income": st.integers(0, 4),
    "senator_income": st.integers(0, 4),
    "religion_two": st.integers(0, 6),
    "religion_three": st.integers(0, 8),
    "discount_step": st.integers(1, 5),
    "bonus_step": st.integers(1, 5),
    "rome_needs": st.integers(0, 8),
    "points_category": st.integers(0, 5),
    "points_stronger": st.integers(0, 5),
    "points_fleet_army": st.integers(0, 5),
    "points_primus": st.integers(0, 5),
    "points_wealthiest": st.integers(0, 5),
    "solo_needs": st.lists(st.integers(0, 8), min_size=5, max_size=5),
    "reaction_price": st.integers(0, 3),
    "reactions": st.booleans(),
    "reactions_before_income": st.booleans(),
    "rome_takes_last": st.booleans(),
    "tie": st.sampled_from(["shared", "money"]),
    "rome_wins_zero_ties": st.booleans(),
    "religion_last_two": st.sampled_from(["together", "one_by_one"]),
    "draft_to_bottom": st.sampled_from(["drawn", "chosen"]),
}


def _not_contradictory(changes):
    """Three cards together need no fewer symbols than two."""
    two, three = (changes.get(name, getattr(paxsim.Rules(), name)) for name in RELIGION)
    return {**changes, "religion_three": two} if three < two else changes


RELIGION = ("religion_two", "religion_three")
rule_changes = st.fixed_dictionaries({}, optional=RULE_VALUES).map(_not_contradictory)


def _any_value(name):
    """Every value that a field allows."""
    if name == "draft_sizes":
        return st.lists(st.integers(*SPANS[name]), min_size=1, max_size=8)
    if name == "solo_needs":
        return st.lists(st.integers(*SPANS[name]), min_size=5, max_size=5)
    return st.integers(*SPANS[name]) if name in SPANS else RULE_VALUES[name]


#: Any rule set that the checks let through, playable or not.
any_rules = st.fixed_dictionaries(
    {}, optional={name: _any_value(name) for name in RULE_VALUES}
).map(_not_contradictory)

cards = st.builds(
    paxsim.Card, st.sampled_from(paxsim.CATEGORIES), st.integers(1, 4), st.integers(0, 6)
)


@st.composite
def odd_decks(draw):
    """Small decks that no printer would make: a few kinds of cards, a few of each."""
    kinds = draw(st.lists(st.tuples(cards, st.integers(1, 8)), min_size=1, max_size=12))
    copy = sorted(card for card, count in kinds for _ in range(count))
    return paxsim.Deck(name="odd", cards=tuple(copy))


shipped_decks = st.sampled_from(paxsim.list_decks()).map(paxsim.load_deck)
decks = shipped_decks | odd_decks()


@st.composite
def playable_settings(draw):
    """A setting that can be dealt: what does not fit the deck is made smaller."""
    players = draw(st.integers(1, 8))
    solo_level = draw(st.integers(1, 5)) if players == 1 else None
    deck = draw(decks)
    changes = draw(rule_changes)
    copy = len(deck.cards)
    in_force = paxsim.Rules(**changes).resolve(players, solo_level)
    if in_force["cards_added"] > copy:
        in_force["cards_added"] = changes["cards_added"] = draw(st.integers(0, copy))
    drafts = in_force["draft_sizes"]
    if players == 1:
        drafts = [in_force["solo_displayed"] + 2]
    needed = max(
        max(seat + drafts[seat] for seat in range(players)),
        players + in_force["solo_displayed"] + in_force["legions"],
    )
    dealt = copy + in_force["cards_added"] - in_force["rome_hidden"] - in_force["rome_open"]
    if dealt < needed:
        reject()
    if in_force["cards_removed"] > dealt - needed:
        changes["cards_removed"] = draw(st.integers(0, dealt - needed))
    return paxsim.make_setting(players, solo_level=solo_level, deck=deck, rules=changes)
