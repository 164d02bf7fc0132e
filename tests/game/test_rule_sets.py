"""Rule sets and settings: values, loading, fingerprints and mistakes."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.hypothesis_strategies import RELIGION, any_rules
from support.positions import deck_of

import paxsim
from paxsim.rules import PLAYER_DEPENDENT, SPANS, WORDS, Rules, field_names, load_rules
from paxsim.trace import trace_lines

BOOLS = ("reactions", "reactions_before_income", "rome_takes_last", "rome_wins_zero_ties")
LISTS = ("draft_sizes", "solo_needs")
NUMBERS = [name for name in field_names() if name not in (*BOOLS, *LISTS, *WORDS)]


def error_of(function, *arguments, **keywords):
    """Return the one-line message of the error that a call raises."""
    with pytest.raises(paxsim.PaxsimError) as error:
        function(*arguments, **keywords)
    assert str(error.value) and "\n" not in str(error.value)
    return str(error.value)


# --- the published game ---------------------------------------------------------------------


@pytest.mark.parametrize("players", range(1, 9))
def test_defaults_are_the_published_game(players):
    many = players >= 5
    published = {
        "starting_money": 5, "rome_hidden": 3, "rome_open": 3 if many else 0,
        "cards_removed": {1: 30, 2: 20, 3: 10}.get(players, 0),
        "cards_added": {5: 15, 6: 30, 7: 45, 8: 60}.get(players, 0),
        "legions": 3 if players == 1 else players + 1,
        "draft_sizes": (2, 3, 4, 5, 5, 5, 5, 5),
        "basic_income": 2, "peek_income": 2, "empty_deck_income": 2, "senator_income": 1,
        "religion_two": 3, "religion_three": 6, "discount_step": 3, "bonus_step": 3,
        "rome_needs": 4, "points_category": 2, "points_stronger": 3, "points_fleet_army": 1,
        "points_primus": 1, "points_wealthiest": 4, "reaction_price": 1, "reactions": many,
        "reactions_before_income": False, "rome_takes_last": True, "tie": "shared",
        "rome_wins_zero_ties": True, "religion_last_two": "together", "draft_to_bottom": "drawn",
    }  # fmt: skip
    resolved = Rules().resolve(players, 1 if players == 1 else None)
    assert {name: resolved[name] for name in published} == published
    assert set(published) | {"solo_needs"} == set(field_names())


@pytest.mark.parametrize(
    ("level", "needs", "displayed"), [(1, 3, 0), (2, 4, 0), (3, 5, 1), (4, 6, 2), (5, 7, 3)]
)
def test_solo_level_sets_its_needs_and_displayed_cards(level, needs, displayed):
    resolved = Rules().resolve(1, level)
    assert (resolved["solo_needs"], resolved["solo_displayed"]) == (needs, displayed)


def test_published_game_has_no_changes():
    for source in (None, "", "published", {}, Rules()):
        rules = load_rules(source)
        assert rules == Rules()
        assert (rules.changed(), rules.describe(), rules.to_toml()) == ({}, "published", "")


# --- every field matters --------------------------------------------------------------------

#: A change of each field, and with how many players it shows.
CHANGES = {
    "starting_money": (6, 2), "rome_hidden": (4, 2), "rome_open": (1, 2),
    "cards_removed": (21, 2), "cards_added": (1, 2), "legions": (4, 2),
    "draft_sizes": ([3, 3], 2), "basic_income": (3, 2), "peek_income": (3, 2),
    "empty_deck_income": (3, 2), "senator_income": (2, 2), "religion_two": (2, 2),
    "religion_three": (4, 2), "discount_step": (2, 2), "bonus_step": (2, 2),
    "rome_needs": (5, 2), "points_category": (3, 2), "points_stronger": (4, 2),
    "points_fleet_army": (2, 2), "points_primus": (2, 2), "points_wealthiest": (5, 2),
    "solo_needs": ([0, 0, 0, 0, 0], 1), "reaction_price": (0, 5), "reactions": (True, 2),
    "rome_takes_last": (False, 2), "tie": ("money", 2), "rome_wins_zero_ties": (False, 1),
    "religion_last_two": ("one_by_one", 2), "draft_to_bottom": ("chosen", 2),
}  # fmt: skip


def ends(players, rules):
    """Return the results of 2000 random games."""
    return paxsim.play_batch("random", players, deals=2000, seed=5, rules=rules).results.tobytes()


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_changes_the_end_of_some_games(field):
    value, players = CHANGES[field]
    common = {}
    if field == "tie":  # make ties likely: the same points for other things, none for primus
        common = {"rome_needs": 8, "points_stronger": 0, "points_fleet_army": 0, "points_primus": 0}
    assert ends(players, common) != ends(players, {**common, field: value})


def test_reactions_before_income_changes_the_order_of_events():
    assert set(field_names()) - set(CHANGES) == {"reactions_before_income"}

    def events(before):
        setting = paxsim.make_setting(5, rules={"reactions_before_income": before})
        lines = trace_lines(setting, paxsim.make_lineup("random", 5), 5, 0, 3, 0)
        return [json.loads(line)["event"] for line in lines]

    assert events(False) != events(True)
    assert sorted(events(False)) == sorted(events(True))


# --- loading --------------------------------------------------------------------------------


@given(any_rules)
def test_rules_can_be_read_back_from_every_format(tmp_path_factory, changes):
    rules = Rules(**changes)
    path = tmp_path_factory.mktemp("rules") / "house.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    as_json = json.loads(json.dumps(rules.changed()))
    for source in (path, str(path), rules.describe(), changes, as_json):
        assert load_rules(source) == rules
    assert load_rules(rules) is rules


def test_text_of_pairs_has_lists_blanks_and_every_type():
    rules = load_rules("rome_needs=5, draft_sizes=3,3,3, tie=money,reactions=True")
    assert rules == Rules(rome_needs=5, draft_sizes=(3, 3, 3), tie="money", reactions=True)


@given(any_rules)
def test_changed_lists_the_fields_that_differ(changes):
    rules = Rules(**changes)
    listed = rules.changed()
    assert set(listed) <= set(changes)
    for name, value in changes.items():
        assert listed.get(name, value) == value
        default = getattr(Rules(), name)
        is_default = value == (list(default) if isinstance(default, tuple) else default)
        assert (name in listed) != is_default


@given(any_rules, any_rules)
def test_fingerprint_depends_on_the_changes_alone(one, other):
    first, second = Rules(**one), Rules(**other)
    assert (first.fingerprint == second.fingerprint) == (first == second)
    backwards = Rules(**dict(reversed(one.items())))
    assert backwards.fingerprint == first.fingerprint
    assert len(first.fingerprint) == 12


def test_default_value_is_no_change():
    rules = Rules(starting_money=5, draft_sizes=[2, 3, 4, 5, 5, 5, 5, 5], tie="shared")
    assert rules == Rules() and rules.fingerprint == Rules().fingerprint


@pytest.mark.parametrize("field", PLAYER_DEPENDENT)
def test_published_value_of_a_player_count_is_no_change_for_it(field):
    rules = Rules(**{field: Rules().resolve(6)[field]})
    assert field in rules.changed()
    assert rules.changed_for(6) == {}
    assert field in rules.changed_for(2)


# --- mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize("field", NUMBERS)
def test_numbers_have_a_range(field):
    low, high = SPANS[field]
    for value in (low - 1, high + 1):
        message = error_of(Rules, **{field: value})
        assert message == f"rules: {field} must be between {low} and {high}, got {value}"
    for value in (low, high):
        # religion_three may not be less than religion_two
        fields = RELIGION if field in RELIGION else (field,)
        assert getattr(Rules(**dict.fromkeys(fields, value)), field) == value
    for value in (True, False, 2.0, "2", [2]):
        message = error_of(Rules, **{field: value})
        assert message.startswith(f"rules: {field} must be an integer ")
        assert message.endswith(f"got {value!r}")


@pytest.mark.parametrize("field", [name for name in field_names() if name not in PLAYER_DEPENDENT])
def test_fields_that_do_not_depend_on_the_players_need_a_value(field):
    message = error_of(Rules, **{field: None})
    assert message.startswith("rules: ") and field in message and "None" in message


@pytest.mark.parametrize("field", BOOLS)
@pytest.mark.parametrize("value", [0, 1, "yes"])
def test_booleans_are_true_or_false(field, value):
    message = f"rules: {field} must be true or false, got {value!r}"
    assert error_of(Rules, **{field: value}) == message


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"draft_sizes": []}, "a list of 1 to 8 numbers"),
        ({"draft_sizes": [2] * 9}, "a list of 1 to 8 numbers"),
        ({"draft_sizes": 3}, "a list of 1 to 8 numbers"),
        ({"draft_sizes": [2, 0]}, "between 1 and 12"),
        ({"draft_sizes": [2, 13]}, "between 1 and 12"),
        ({"draft_sizes": [2, True]}, "between 1 and 12"),
        ({"solo_needs": [3, 4, 5, 6]}, "a list of 5 numbers"),
        ({"solo_needs": "34567"}, "a list of 5 numbers"),
        ({"solo_needs": [3, 4, 5, 6, 9]}, "between 0 and 8"),
        ({"tie": "share"}, "unknown tie 'share' (did you mean 'shared'?)"),
        ({"religion_last_two": "one"}, "'one'; choose from together, one_by_one"),
        ({"draft_to_bottom": True}, "unknown draft_to_bottom 'True'"),
        ({"religion_two": 5, "religion_three": 4}, "religion_three (4)"),
    ],
)
def test_other_mistakes_in_fields(fields, part):
    message = error_of(Rules, **fields)
    assert message.startswith("rules: ") and part in message


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ({"rome_need": 5}, "unknown field 'rome_need' (did you mean 'rome_needs'?)"),
        ("rome_need=5", "unknown field 'rome_need' (did you mean 'rome_needs'?)"),
        ("=4", "unknown field ''"),
        ("rome_needs", "field=value"),
        ("rome_needs=4,5", "got '5'"),
        ("rome_needs=4,rome_needs=5", "rome_needs is given twice"),
        ("rome_needs=", "got ''"),
        ("rome_needs=four", "got 'four'"),
        ("rome_needs=true", "got True"),
        ("draft_sizes=2,x", "got 'x'"),
        ("reactions=1", "reactions must be true or false, got 1"),
    ],
)
def test_mistakes_in_sources(source, part, tmp_path):
    message = error_of(load_rules, source)
    assert message.startswith("rules") and part in message


def test_mistake_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text("rome_neds = 4\n")
    message = error_of(load_rules, path)
    assert str(path) in message and "did you mean 'rome_needs'?" in message


# --- settings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "players", "level"),
    [
        ({}, 4, None),
        ({"players": 1}, 1, 1),
        ({"solo_level": 3}, 1, 3),
        ({"players": 1, "solo_level": 5}, 1, 5),
        ({"players": 8}, 8, None),
    ],
)
def test_defaults_of_a_setting(arguments, players, level):
    setting = paxsim.make_setting(**arguments)
    assert (setting.players, setting.solo_level) == (players, level)
    assert setting.deck.name == "assumed" and setting.rules == Rules()


@pytest.mark.parametrize(
    ("field", "high", "values"),
    [("players", 8, [0, 9, -1, 2.0, "2", True]), ("solo_level", 5, [0, 6, 1.0, "1", True])],
)
def test_players_and_level_have_a_range(field, high, values):
    for value in values:
        message = error_of(paxsim.make_setting, **{field: value})
        assert message.endswith(f"between 1 and {high}, got {value!r}")


@pytest.mark.parametrize(
    ("players", "more", "part"),
    [
        (3, {"solo_level": 2}, "solo-level"),
        (5, {"rules": {"cards_added": 75}}, "cards_added must be at most 74"),
        (4, {"rules": {"draft_sizes": [2, 3, 4]}}, "draft_sizes needs 4 numbers"),
    ],
)
def test_parts_of_a_setting_have_to_fit_together(players, more, part):
    assert part in error_of(paxsim.make_setting, players, **more)
    assert paxsim.make_setting(3, rules={"draft_sizes": [2, 3, 4]})
    assert paxsim.make_setting(1, rules={"draft_sizes": [1]})


@given(
    players=st.integers(1, 8),
    level=st.integers(1, 5),
    size=st.integers(1, 40),
    legions=st.integers(1, 12),
    drafts=st.lists(st.integers(1, 12), min_size=8, max_size=8),
)
# The first seat keeps one of the five cards that the second would draw.
@example(players=2, level=1, size=5, legions=1, drafts=[1, 5, 1, 1, 1, 1, 1, 1])
def test_setting_is_refused_exactly_if_it_has_too_few_cards(players, level, size, legions, drafts):
    """Deal every draft by hand, then one card for every legion."""
    solo = level if players == 1 else None
    rules = {"legions": legions, "draft_sizes": drafts, "rome_hidden": 0, "rome_open": 0}
    rules |= {"cards_removed": 0, "cards_added": 0}
    displayed = max(0, level - 2) if solo else 0
    sizes = [displayed + 2] if solo else drafts[:players]
    left, enough = size, True
    for draft in sizes:
        enough = enough and draft <= left
        left -= 1 + displayed
    enough = enough and legions <= left
    deck = deck_of(*["land/1/1"] * size)
    if enough:
        game = paxsim.Game(players, solo_level=solo, deck=deck, rules=rules)
        while game.decision in ("display", "keep"):
            game.apply(0)
        assert game.state()["round"] == 1
    else:
        message = error_of(paxsim.make_setting, players, solo_level=solo, deck=deck, rules=rules)
        assert f"deck test leaves {size} cards for the draft and the legions" in message
        assert "cards_removed" in message


@given(st.integers(0, 80))
def test_removed_cards_are_missing_in_the_draft(removed):
    rules = {"cards_removed": removed}
    if removed <= 74 - 3 - 9:  # four players keep a card each, five legions get one
        assert paxsim.make_setting(4, rules=rules)
    else:
        left = max(74 - 3 - removed, 0)
        message = error_of(paxsim.make_setting, 4, rules=rules)
        assert f"leaves {left} cards for the draft and the legions" in message
