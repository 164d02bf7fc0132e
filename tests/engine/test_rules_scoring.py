"""Winners: bonuses, the comparison with Rome, points, ties, and solo."""

import pytest
from support.positions import scored

from paxsim.cards import CATEGORIES

ONE_OF_EACH = [f"{category}/1/1" for category in CATEGORIES]


def symbols(result, seat=None):
    """Symbols by category, those at 0 left out: a seat's, or Rome's."""
    numbers = result["rome_symbols"] if seat is None else result["symbols"][seat - 1]
    return {name: int(numbers[i]) for i, name in enumerate(CATEGORIES) if numbers[i]}


def shares(result, players=2):
    return result["shares"][:players].tolist()


# --- the rulebooks' worked example ----------------------------------------------------------

ROME = ["senator/2/3", *["fleet/2/3"] * 2, "army/2/3", "army/1/1", "religion/1/1", "wealth/1/1"]
LIVINIA = [
    "religion/2/3",
    "wealth/2/3",
    "land/2/3",
    "land/1/1",
    "fleet/2/3",
    "fleet/1/1",
    "army/1/1",
]
DECIMUS = ["army/2/3", "army/1/2", "intrigue/2/3", "intrigue/1/1", "senator/1/1", "religion/1/1"]
DECIMUS += ["wealth/1/1"]
EXAMPLE = {"rome": ROME, "money": [3, 6], "primus": 2}


def test_the_worked_example_of_the_rulebooks():
    result = scored(LIVINIA, DECIMUS, **EXAMPLE)
    rome = symbols(result)
    assert (rome["senator"], rome["fleet"], rome["army"]) == (2, 4 + 1, 3 + 1)
    assert result["rome_categories"] == 3 and not result["rome_wins"]
    parts = ("categories", "stronger", "fleet_army", "primus", "wealthiest")
    points = [[int(result[f"points_{part}"][seat]) for part in parts] for seat in (0, 1)]
    assert points == [[10, 9, 3 + 2, 0, 0], [10, 3, 1 + 3, 1, 4]]
    assert result["points"][:2].tolist() == [24, 22]
    assert shares(result) == [1.0, 0.0]


def test_decimus_would_win_the_worked_example_with_rome():
    result = scored(LIVINIA, DECIMUS, **EXAMPLE, rules={"rome_needs": 3})
    assert result["rome_wins"]
    assert shares(result) == [0.0, 1.0]
    assert result["points"][:2].tolist() == [24, 22]  # what they would have been


# --- bonuses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fleets", "armies", "with_bonus"),
    [
        (0, 0, (0, 0)),
        (2, 2, (2, 2)),
        (3, 0, (3, 1)),
        (0, 3, (1, 3)),
        (3, 3, (4, 4)),
        (8, 7, (10, 9)),
        (6, 4, (7, 6)),  # a bonus gives no further bonus
    ],
)
def test_three_fleets_give_an_army_and_three_armies_a_fleet(fleets, armies, with_bonus):
    cards = ["fleet/1/1"] * fleets + ["army/1/1"] * armies
    result = scored(cards, [], rome=cards)
    for sums in (symbols(result, 1), symbols(result)):
        assert (sums.get("fleet", 0), sums.get("army", 0)) == with_bonus


def test_bonuses_count_as_points_and_against_rome_but_display_no_category():
    result = scored(["fleet/2/3", "fleet/1/1"], [], money=[0, 9])
    assert result["points_categories"][0] == 2  # fleets only
    assert result["points_stronger"][0] == 6  # fleets and the bonus army
    assert result["points_fleet_army"][0] == 4


# --- does Rome win? -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("categories", "rome_wins"), [(7, False), (4, False), (3, True), (0, True)]
)
def test_rome_wins_when_it_holds_four_categories_also_without_symbols(categories, rome_wins):
    # Religion, senator, land ... come last, so that no bonus disturbs the count.
    result = scored(ONE_OF_EACH[7 - categories :], [])
    assert result["rome_categories"] == 7 - categories
    assert bool(result["rome_wins"]) == rome_wins


@pytest.mark.parametrize(
    ("rome", "held"),  # seat 1 displays wealth, fleet and army, the others nothing
    [
        ([], 0),
        (["land/1/1"], 1),  # one symbol is enough where no player has one
        (["wealth/1/1", "religion/1/1", "senator/1/1", "land/1/1"], 4),  # 1 : 1 counts as ever
        (["fleet/2/3", "fleet/1/1"], 2),  # and a bonus is a symbol
    ],
)
def test_by_the_other_ruling_a_category_without_symbols_is_nobodys(rome, held):
    result = scored(ONE_OF_EACH[:3], [], rome=rome, rules={"rome_wins_zero_ties": False})
    assert (result["rome_categories"], int(result["rome_held"]).bit_count()) == (held, held)
    assert bool(result["rome_wins"]) == (held == 4)
    assert result["points_stronger"][1] == 0  # nor is anybody stronger there
    assert scored(ONE_OF_EACH[:3], [], rome=rome)["rome_wins"]


def test_the_ruling_on_categories_without_symbols_cannot_decide_a_solo_game():
    for display in (ONE_OF_EACH, ONE_OF_EACH[1:]):
        ends = [scored(display, level=1, rules={"rome_wins_zero_ties": r}) for r in (True, False)]
        assert [bool(end["rome_wins"]) for end in ends] == [len(display) < 7] * 2
        assert [end["rome_categories"] for end in ends] == [7 - len(display), 0]


def test_rome_holds_a_category_with_as_many_symbols_as_the_strongest_player():
    wealth, land = CATEGORIES.index("wealth"), CATEGORIES.index("land")
    result = scored(["wealth/1/1"], ["wealth/2/3", "land/2/3"], rome=["wealth/2/4", "land/1/1"])
    assert result["rome_held"] >> wealth & 1
    assert not result["rome_held"] >> land & 1


def test_one_player_stronger_than_rome_is_enough_to_take_a_category_from_it():
    result = scored(ONE_OF_EACH[:2], ONE_OF_EACH[4:6], [], primus=3)
    assert result["rome_categories"] == 3 and not result["rome_wins"]


def test_several_players_in_one_category_take_it_only_once():
    result = scored(ONE_OF_EACH[4:], ONE_OF_EACH[4:], ONE_OF_EACH[4:])
    assert result["rome_categories"] == 4 and result["rome_wins"]


def test_romes_hidden_cards_are_turned_up_and_count():
    display = ["wealth/1/1", "senator/1/1", "land/1/1", "religion/1/1"]
    assert not scored(display, [])["rome_wins"]
    result = scored(display, [], hidden=["wealth/1/4"], rome=["wealth/1/1"])
    assert symbols(result) == {"wealth": 2}
    assert result["rome_wins"]


def test_romes_bonuses_count_in_the_comparison():
    display = ["army/1/1", "senator/1/1", "land/1/1", "religion/1/1"]
    assert not scored(display, [], rome=["fleet/2/3"])["rome_wins"]
    assert scored(display, [], rome=["fleet/2/3", "fleet/1/1"])["rome_wins"]


def test_with_rome_the_holder_of_primus_conspiratus_wins_whatever_the_points():
    result = scored(["wealth/2/4", "land/2/4"], ["intrigue/1/1"], money=[50, 0], primus=2)
    assert result["rome_wins"] and result["points"][0] > result["points"][1]
    assert shares(result) == [0.0, 1.0] and result["winners"] == 1


def test_rome_wins_alone_without_a_holder_of_primus_conspiratus():
    result = scored(["wealth/2/4"], [])
    assert result["rome_wins"]
    assert shares(result) == [0.0, 0.0] and result["winners"] == 0


@pytest.mark.parametrize(("needs", "rome_wins"), [(0, True), (3, True), (4, False), (8, False)])
def test_what_rome_needs_is_a_rule(needs, rome_wins):
    result = scored(ONE_OF_EACH[3:], [], rules={"rome_needs": needs})
    assert result["rome_categories"] == 3
    assert bool(result["rome_wins"]) == rome_wins


# --- points ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "displays", "rome", "primus", "points"),
    [
        ("categories", (["wealth/2/4", "wealth/1/1", "land/1/1"], []), [], None, [4, 0]),
        ("stronger", (["wealth/2/4", "land/2/4", "religion/1/1", "senator/1/1"], []),
         ["wealth/1/1", "land/2/3", "senator/2/3"], None, [6, 0]),
        ("stronger", (["wealth/1/1"], ["wealth/2/4"]), [], None, [3, 3]),
        ("fleet_army", (["fleet/2/3", "army/2/4", "army/2/4"], ["land/2/4"]), [], None, [7, 0]),
        ("primus", ([], []), [], 2, [0, 1]),
        ("primus", ([], []), [], None, [0, 0]),
    ],
)  # fmt: skip
def test_points_of_each_kind(part, displays, rome, primus, points):
    result = scored(*displays, rome=rome, primus=primus)
    assert result[f"points_{part}"][:2].tolist() == points


@pytest.mark.parametrize(
    ("money", "hand_sizes", "points"),
    [
        ([5, 4, 3], [0, 0, 0], [4, 0, 0]),
        ([5, 4, 3], [0, 2, 0], [0, 4, 0]),  # each hand card counts 1, whatever its value
        ([5, 4, 3], [0, 1, 2], [4, 4, 4]),  # all who tie for the largest sum
        ([5, 5, 0], [0, 0, 4], [4, 4, 0]),
        ([0, 0, 0], [0, 0, 0], [4, 4, 4]),
    ],
)
def test_four_points_for_the_largest_sum_of_money_and_hand_cards(money, hand_sizes, points):
    hands = [["intrigue/2/4"] * size for size in hand_sizes]
    result = scored([], [], [], money=money, hands=hands)
    assert result["points_wealthiest"][:3].tolist() == points
    assert result["money"][:3].tolist() == money  # hand cards are not added to it


@pytest.mark.parametrize(
    ("field", "part", "points"),
    [
        ("points_category", "categories", 7 * 10),
        ("points_stronger", "stronger", 7 * 10),
        ("points_fleet_army", "fleet_army", 2 * 10),
        ("points_primus", "primus", 10),
        ("points_wealthiest", "wealthiest", 10),
    ],
)
def test_every_kind_of_points_is_a_rule_and_enters_the_total(field, part, points):
    usual = scored(ONE_OF_EACH, [], money=[1, 0], primus=1)
    result = scored(ONE_OF_EACH, [], money=[1, 0], primus=1, rules={field: 10})
    assert result[f"points_{part}"][0] == points
    assert result["points"][0] - usual["points"][0] == points - usual[f"points_{part}"][0]


# --- ties -----------------------------------------------------------------------------------

# Seats 1 and 2 have one point more than seat 3 without the money.
TIED = [["land/1/1", *ONE_OF_EACH], ["wealth/1/1", *ONE_OF_EACH], ONE_OF_EACH[:4]]


@pytest.mark.parametrize("tie", ["shared", "money"])
def test_a_tie_on_points_is_shared(tie):
    result = scored(*TIED, money=[2, 2, 0], rules={"tie": tie})
    assert shares(result, 3) == [0.5, 0.5, 0.0] and result["winners"] == 2


def test_three_tied_winners_get_a_third_each():
    result = scored(ONE_OF_EACH, ONE_OF_EACH, ONE_OF_EACH)
    assert shares(result, 3) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("tie", "expected"), [("shared", [0.5, 0.5, 0.0]), ("money", [0.0, 1.0, 0.0])]
)
def test_the_other_ruling_breaks_a_tie_by_money_with_hand_cards_counted(tie, expected):
    # Seat 3 is the wealthiest, so that money decides between seats 1 and 2 only as a tie-break.
    hands = [[], ["land/1/1", "land/1/1"], []]
    result = scored(*TIED, money=[4, 3, 20], hands=hands, rules={"tie": tie})
    assert result["points"][0] == result["points"][1] > result["points"][2]
    assert shares(result, 3) == expected


def test_money_breaks_ties_among_those_tied_only():
    result = scored(*TIED, money=[3, 3, 50], rules={"tie": "money"})
    assert shares(result, 3) == [0.5, 0.5, 0.0]


# --- solo -----------------------------------------------------------------------------------


def solo(level, stronger, display=ONE_OF_EACH, rules=None):
    """A solo game at whose end the player exceeds Rome in this many categories."""
    matched = [f"{name}/1/1" for name in CATEGORIES[: 7 - stronger]]
    return scored(display, rome=matched, level=level, rules=rules)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("stronger", range(8))
def test_each_solo_level_asks_for_one_category_more_than_the_one_before(level, stronger):
    result = solo(level, stronger)
    won = stronger >= level + 2
    assert result["points_stronger"][0] == 3 * stronger
    assert (shares(result, 1), bool(result["rome_wins"])) == ([float(won)], not won)
    assert result["winners"] == won


@pytest.mark.parametrize("missing", CATEGORIES)
def test_a_solo_win_needs_every_category_in_the_display(missing):
    display = [f"{name}/1/1" for name in CATEGORIES if name != missing] + ["land/1/1"]
    display = [text for text in display if not text.startswith(missing)]
    assert shares(scored(display, level=1), 1) == [0.0]
    assert shares(scored([*display, f"{missing}/1/1"], level=1), 1) == [1.0]


@pytest.mark.parametrize(("bonus_of", "from_"), [("army", "fleet"), ("fleet", "army")])
def test_a_bonus_is_no_substitute_for_a_category_in_the_solo_display(bonus_of, from_):
    display = [f"{name}/1/1" for name in CATEGORIES if name != bonus_of] + [f"{from_}/2/3"]
    result = scored(display, level=1)
    assert symbols(result, 1)[bonus_of] == 1 and result["points_stronger"][0] == 21
    assert shares(result, 1) == [0.0]


def test_bonuses_count_in_the_solo_comparison_with_rome():
    display = [*ONE_OF_EACH, "fleet/2/3"]  # 3 fleets: 2 armies with the bonus
    rome = ["army/1/1"]
    assert shares(scored(display, rome=rome, level=5), 1) == [1.0]
    assert shares(scored(ONE_OF_EACH, rome=rome, level=5), 1) == [0.0]


def test_what_a_solo_level_needs_is_a_rule():
    assert shares(solo(2, 3), 1) == [0.0]
    assert shares(solo(2, 3, rules={"solo_needs": [7, 3, 7, 7, 7]}), 1) == [1.0]
    assert shares(solo(1, 6, rules={"solo_needs": [7, 3, 7, 7, 7]}), 1) == [0.0]
