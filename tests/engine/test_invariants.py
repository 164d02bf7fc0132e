"""Numbers that the engine keeps beside the cards agree with the cards, at every decision.

That the cards are where the rules put them is compared with the reference (see
test_against_reference).
"""

from collections import Counter

import numpy as np
import pytest

import paxsim
from paxsim.cards import ARMY, FLEET, INTRIGUE, LAND, WEALTH
from paxsim.engine.records import NOBODY, RING, result_dtype

VARIANTS = {
    "published": {},
    "one legion, no Rome at the start": {"legions": 1, "rome_hidden": 0, "rome_open": 0},
    "many legions": {"legions": 12, "cards_removed": 0},
    "rich": {"starting_money": 40, "basic_income": 5, "discount_step": 1},
    "poor": {"starting_money": 0, "basic_income": 0, "peek_income": 0, "empty_deck_income": 0},
    "reactions": {"reactions": True, "reaction_price": 0, "reactions_before_income": True},
    "sighted": {"religion_two": 0, "religion_three": 2},
    "no last group": {"rome_takes_last": False, "tie": "money", "rome_needs": 3},
    "long": {"cards_removed": 0, "cards_added": 74},
}


def random_game(players, level=None, rules=None, seed=1):
    """Yield a random game at each of its decisions, with long turns and some peeking."""
    chance = np.random.default_rng([seed, players])
    game = paxsim.Game(players, solo_level=level, rules=rules, seed=seed)
    while not game.over:
        yield game
        peeks = game.decision == "turn" and chance.random() < 0.9
        game.apply(0 if peeks else int(chance.integers(game.choice["count"])))
    yield game


def cards_by_category(game):
    """Return cards and symbols by category, wherever they are: they never change."""
    record, table = game.record, game.record["table"]
    hidden, players = record["hidden"], range(game.setting.players)
    top, left = int(table["deck_top"]), int(table["deck_left"])
    loose = [int(hidden["deck"][(top + i) % RING]) for i in range(left)]
    loose += hidden["removed"][: hidden["removed_count"]].tolist()
    loose += hidden["rome_hidden"][: table["rules"]["rome_hidden"]].tolist()
    for seat in players:
        me = record["seats"][seat]
        loose += me["hand"][: me["hand_count"]].tolist()
    for legion in range(table["legions"]):
        loose += table["legion_cards"][legion, : table["legion_size"][legion]].tolist()
    if game.decision in ("display", "keep", "place"):
        loose += game.choice["drawn"][: game.choice["drawn_count"]].tolist()
    cards, symbols = Counter(), Counter()
    for code in loose:
        card = paxsim.Card.from_code(code)
        cards[card.category] += 1
        symbols[card.category] += card.symbols
    for number, category in enumerate(paxsim.CATEGORIES):
        shown = table["cards"][: len(players), number].sum() + table["rome_cards"][number]
        cards[category] += int(shown)
        shown = table["symbols"][: len(players), number].sum() + table["rome_symbols"][number]
        symbols[category] += int(shown)
    return cards, symbols


def problems(game):
    """Yield the names of fields that contradict the cards."""
    table, seats = game.record["table"], game.record["seats"][: game.setting.players]
    players, rules = len(seats), table["rules"]
    symbols = table["symbols"][:players].astype(int)
    bonus = np.zeros_like(symbols)
    bonus[:, FLEET] = symbols[:, ARMY] // rules["bonus_step"]
    bonus[:, ARMY] = symbols[:, FLEET] // rules["bonus_step"]
    limit = np.maximum(symbols[:, LAND], symbols[:, INTRIGUE])
    intrigue = symbols[:, INTRIGUE]
    lists = [(table["shown"], table["shown_count"]), (table["copy"], table["copy_count"])]
    lists += zip(table["legion_cards"], table["legion_size"], strict=True)
    for seat, me in enumerate(seats):
        lists.append((table["diary"][seat], table["diary_count"][seat]))
        lists.append((me["hand"], me["hand_count"]))
        lists += [(me[name], me["buried_count"]) for name in ("buried", "buried_at")]
    choice = game.choice
    checks = {
        "seat": (seats["seat"] == np.arange(players)).all(),
        "money": (seats["money"] >= 0).all() and (table["money"][:players] == seats["money"]).all(),
        "hand_size": (table["hand_size"][:players] == seats["hand_count"]).all(),
        "discount": (
            table["discount"][:players] == symbols[:, WEALTH] // rules["discount_step"]
        ).all(),
        "strength": (table["strength"][:players] == symbols + bonus).all(),
        "strongest": (table["strongest"] == (symbols + bonus).max(axis=0)).all(),
        "allowance": all(
            (table["allowance"][:players, arms] == limit - symbols[:, arms]).all()
            for arms in (FLEET, ARMY)
        ),
        "primus": (
            intrigue.max() == 0
            if table["primus"] == NOBODY
            else intrigue[table["primus"]] == intrigue.max() > 0
        ),
        "legion_value": all(
            value == (cards >> 8).sum()
            for value, cards in zip(table["legion_value"], table["legion_cards"], strict=True)
        ),
        "lists": all(not cards[count:].any() for cards, count in lists),
        "choice": game.over or (1 <= game.seat <= players and choice["count"] >= 2),
    }
    return [name for name, fine in checks.items() if not fine]


@pytest.mark.parametrize("variant", VARIANTS)
def test_derived_numbers_agree_with_the_cards_at_every_decision(variant):
    for players, level in ((2, None), (5, None), (8, None), (1, 1), (1, 5)):
        total, count = None, 0
        for game in random_game(players, level, VARIANTS[variant]):
            assert problems(game) == [], f"{players} players, level {level}, decision {count}"
            total = total or cards_by_category(game)
            assert cards_by_category(game) == total
            count += 1
        assert count > 15


@pytest.mark.parametrize(
    ("part", "field", "value", "name"),
    [
        ("seats", "money", -1, "money"),
        ("table", "hand_size", 99, "hand_size"),
        ("table", "discount", 9, "discount"),
        ("table", "strength", 99, "strength"),
        ("table", "strongest", 99, "strongest"),
        ("table", "allowance", 99, "allowance"),
        ("table", "legion_value", 99, "legion_value"),
        ("seats", "hand", 9, "lists"),
    ],
)
def test_a_wrong_number_is_noticed(part, field, value, name):
    game = paxsim.Game(4, seed=1)
    assert problems(game) == []
    game.record[part][field][1] = value
    assert name in problems(game)


@pytest.mark.parametrize("rules", [{}, {"rome_needs": 6}, {"tie": "money", "rome_needs": 3}])
def test_every_game_has_exactly_one_outcome(table, rules):
    players, level = table
    setting = paxsim.make_setting(players, solo_level=level, rules=rules)
    results = paxsim.play_batch("random", players, solo_level=level, rules=rules, deals=300).results
    shares, rome_wins = results["shares"], results["rome_wins"].astype(bool)
    own, rome = results["symbols"][:, :players, :7], results["rome_symbols"][:, :7]
    held = (rome[:, None, :] >= own).all(axis=1)
    assert (held.sum(axis=1) == results["rome_categories"]).all()
    total = shares.sum(axis=1)
    assert ((shares >= 0) & (shares <= 1)).all() and (shares[:, players:] == 0).all()
    assert ((shares > 0).sum(axis=1) == results["winners"]).all()
    if level:
        assert (total == ~rome_wins).all()
        return
    assert (rome_wins == (held.sum(axis=1) >= setting.resolved()["rome_needs"])).all()
    alone = rome_wins & (results["primus"] == NOBODY)
    assert np.allclose(total[~alone], 1) and (total[alone] == 0).all()
    with_rome = np.flatnonzero(rome_wins & ~alone)
    assert (shares[with_rome, results["primus"][with_rome]] == 1).all()
    best = results["points"][:, :players].max(axis=1)
    winners = shares[:, :players] > 0
    assert (results["points"][:, :players] == best[:, None])[winners & ~rome_wins[:, None]].all()


def test_a_game_in_steps_has_the_score_of_the_same_game_in_a_batch():
    game = paxsim.Game(4, seed=2)
    while not game.over:
        game.apply(0)
    stepwise, (batch,) = game.result(), paxsim.play_batch("first", 4, seed=2).results
    for name in set(result_dtype.names) - {"deal", "rotation", "decisions"}:
        assert np.array_equal(stepwise[name], batch[name]), name
