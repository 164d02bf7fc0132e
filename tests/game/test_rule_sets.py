"""Rule sets and settings: loading, round trips, fingerprints, and what bad ones are told."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.positions import deck_of
from support.strategies import RELIGION, any_rules

import paxsim
from paxsim.rules import PLAYER_DEPENDENT, SPANS, Rules, field_names, load_rules
from paxsim.trace import trace_lines

BOOLS = ("reactions", "reactions_before_income", "rome_takes_last")
LISTS = ("draft_sizes", "solo_needs")
NUMBERS = [name for name in field_names() if name not in (*BOOLS, *LISTS, "tie")]


def complaint(function, *arguments, **keywords):
    """The message of the error that a call raises, which must be one line."""
    with pytest.raises(paxsim.PaxsimError) as error:
        function(*arguments, **keywords)
    message = str(error.value)
    assert message and "\n" not in message
    return message


# --- the published game ---------------------------------------------------------------------


@pytest.mark.parametrize("players", range(1, 9))
def test_the_defaults_are_the_published_game(players):
    many = players >= 5
    published = {
        "starting_money": 5,
        "rome_hidden": 3,
        "rome_open": 3 if many else 0,
        "cards_removed": {1: 30, 2: 20, 3: 10}.get(players, 0),
        "cards_added": {5: 15, 6: 30, 7: 45, 8: 60}.get(players, 0),
        "legions": 3 if players == 1 else players + 1,
        "draft_sizes": (2, 3, 4, 5, 5, 5, 5, 5),
        "basic_income": 2,
        "peek_income": 2,
        "empty_deck_income": 2,
        "senator_income": 1,
        "religion_two": 3,
        "religion_three": 6,
        "discount_step": 3,
        "bonus_step": 3,
        "rome_needs": 4,
        "points_category": 2,
        "points_stronger": 3,
        "points_fleet_army": 1,
        "points_primus": 1,
        "points_wealthiest": 4,
        "reaction_price": 1,
        "reactions": many,
        "reactions_before_income": False,
        "rome_takes_last": True,
        "tie": "shared",
    }
    resolved = Rules().resolve(players, 1 if players == 1 else None)
    assert {name: resolved[name] for name in published} == published
    assert set(published) | {"solo_needs"} == set(field_names())


@pytest.mark.parametrize(
    ("level", "needs", "displayed"), [(1, 3, 0), (2, 4, 0), (3, 5, 1), (4, 6, 2), (5, 7, 3)]
)
def test_a_solo_level_is_resolved_to_what_it_needs_and_displays(level, needs, displayed):
    resolved = Rules().resolve(1, level)
    assert (resolved["solo_needs"], resolved["solo_displayed"]) == (needs, displayed)


def test_the_published_game_changes_nothing_and_has_many_names():
    for source in (None, "", "published", {}, Rules()):
        rules = load_rules(source)
        assert rules == Rules()
        assert (rules.changed(), rules.describe(), rules.to_toml()) == ({}, "published", "")


# --- every field matters --------------------------------------------------------------------

#: A change of each field, and with how many players it shows.
CHANGES = {
    "starting_money": (6, 2),
    "rome_hidden": (4, 2),
    "rome_open": (1, 2),
    "cards_removed": (21, 2),
    "cards_added": (1, 2),
    "legions": (4, 2),
    "draft_sizes": ([3, 3], 2),
    "basic_income": (3, 2),
    "peek_income": (3, 2),
    "empty_deck_income": (3, 2),
    "senator_income": (2, 2),
    "religion_two": (2, 2),
    "religion_three": (4, 2),
    "discount_step": (2, 2),
    "bonus_step": (2, 2),
    "rome_needs": (5, 2),
    "points_category": (3, 2),
    "points_stronger": (4, 2),
    "points_fleet_army": (2, 2),
    "points_primus": (2, 2),
    "points_wealthiest": (5, 2),
    "solo_needs": ([0, 0, 0, 0, 0], 1),
    "reaction_price": (0, 5),
    "reactions": (True, 2),
    "rome_takes_last": (False, 2),
    "tie": ("money", 2),
}


def ends(players, rules):
    """How 2000 random games end."""
    return paxsim.play_batch("random", players, deals=2000, seed=5, rules=rules).results.tobytes()


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_changes_how_some_games_end(field):
    value, players = CHANGES[field]
    common = {}
    if field == "tie":  # make ties likely: the same points for other things, none for primus
        common = {"rome_needs": 8, "points_stronger": 0, "points_fleet_army": 0, "points_primus": 0}
    assert ends(players, common) != ends(players, {**common, field: value})


def test_the_one_other_field_is_tested_by_itself():
    assert set(field_names()) - set(CHANGES) == {"reactions_before_income"}


def test_reactions_before_income_change_the_order_of_events():
    def told(before):
        setting = paxsim.make_setting(5, rules={"reactions_before_income": before})
        lines = trace_lines(setting, paxsim.make_lineup("random", 5), 5, 0, 3, 0)
        return [json.loads(line)["event"] for line in lines]

    assert told(False) != told(True)
    assert sorted(told(False)) == sorted(told(True))


# --- loading --------------------------------------------------------------------------------


@given(any_rules)
def test_a_rule_set_survives_the_way_through_a_toml_file(tmp_path_factory, changes):
    rules = Rules(**changes)
    path = tmp_path_factory.mktemp("rules") / "house.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    assert load_rules(path) == rules
    assert load_rules(str(path)) == rules


@given(any_rules)
def test_a_rule_set_survives_the_way_through_the_command_line(changes):
    rules = Rules(**changes)
    assert load_rules(rules.describe()) == rules


@given(any_rules)
def test_a_rule_set_survives_the_way_through_a_dictionary(changes):
    rules = Rules(**changes)
    assert load_rules(changes) == rules
    assert load_rules(json.loads(json.dumps(rules.changed()))) == rules
    assert load_rules(rules) is rules


def test_a_text_of_pairs_may_hold_lists_blanks_and_any_type():
    rules = load_rules("rome_needs=5, draft_sizes=3,3,3, tie=money,reactions=True")
    assert rules == Rules(rome_needs=5, draft_sizes=(3, 3, 3), tie="money", reactions=True)


@given(any_rules)
def test_the_fields_that_differ_are_all_that_a_rule_set_lists(changes):
    rules = Rules(**changes)
    listed = rules.changed()
    assert set(listed) <= set(changes)
    for name, value in changes.items():
        assert listed.get(name, value) == value
        default = getattr(Rules(), name)
        is_default = value == (list(default) if isinstance(default, tuple) else default)
        assert (name in listed) != is_default


@given(any_rules, any_rules)
def test_a_fingerprint_depends_on_what_was_changed_and_on_nothing_else(one, other):
    first, second = Rules(**one), Rules(**other)
    assert (first.fingerprint == second.fingerprint) == (first == second)
    backwards = Rules(**dict(reversed(one.items())))
    assert backwards.fingerprint == first.fingerprint
    assert len(first.fingerprint) == 12


def test_naming_a_default_is_no_change():
    rules = Rules(starting_money=5, draft_sizes=[2, 3, 4, 5, 5, 5, 5, 5], tie="shared")
    assert rules == Rules() and rules.fingerprint == Rules().fingerprint


@pytest.mark.parametrize("field", PLAYER_DEPENDENT)
def test_the_published_value_of_a_player_count_is_no_change_for_that_count(field):
    rules = Rules(**{field: Rules().resolve(6)[field]})
    assert field in rules.changed()
    assert rules.changed_for(6) == {}
    assert field in rules.changed_for(2)


# --- what bad rule sets are told ------------------------------------------------------------


@pytest.mark.parametrize("field", NUMBERS)
def test_a_number_outside_its_range_is_named_with_the_range(field):
    low, high = SPANS[field]
    for found in (low - 1, high + 1):
        message = complaint(Rules, **{field: found})
        assert message == (f"rules: {field} must be between {low} and {high}, got {found}")
    for allowed in (low, high):
        # What three cards together need depends on what two need.
        together = RELIGION if field in RELIGION else (field,)
        assert getattr(Rules(**dict.fromkeys(together, allowed)), field) == allowed


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize("found", [True, False, 2.0, "2", [2]])
def test_a_number_must_be_a_whole_number(field, found):
    message = complaint(Rules, **{field: found})
    assert re.search(f"rules: {field} must be an integer .*got {re.escape(repr(found))}$", message)


@pytest.mark.parametrize("field", [name for name in field_names() if name not in PLAYER_DEPENDENT])
def test_a_field_that_does_not_depend_on_the_players_cannot_be_left_open(field):
    message = complaint(Rules, **{field: None})
    assert message.startswith("rules: ") and field in message and "None" in message


@pytest.mark.parametrize("field", BOOLS)
@pytest.mark.parametrize("found", [0, 1, "yes"])
def test_a_yes_or_no_must_be_true_or_false(field, found):
    assert complaint(Rules, **{field: found}) == (
        f"rules: {field} must be true or false, got {found!r}"
    )


@pytest.mark.parametrize(
    ("field", "found", "allowed"),
    [
        ("draft_sizes", [], "a list of 1 to 8 numbers"),
        ("draft_sizes", [2] * 9, "a list of 1 to 8 numbers"),
        ("draft_sizes", 3, "a list of 1 to 8 numbers"),
        ("draft_sizes", [2, 0], "between 1 and 12"),
        ("draft_sizes", [2, 13], "between 1 and 12"),
        ("draft_sizes", [2, True], "between 1 and 12"),
        ("solo_needs", [3, 4, 5, 6], "a list of 5 numbers"),
        ("solo_needs", "34567", "a list of 5 numbers"),
        ("solo_needs", [3, 4, 5, 6, 9], "between 0 and 8"),
    ],
)
def test_a_list_is_told_how_long_it_may_be_and_which_numbers_it_may_hold(field, found, allowed):
    message = complaint(Rules, **{field: found})
    assert message.startswith(f"rules: {field}") and allowed in message


def test_an_unknown_way_to_break_ties_is_answered_with_those_there_are():
    message = complaint(Rules, tie="share")
    assert message == (
        "rules: unknown tie 'share' (did you mean 'shared'?); choose from shared, money"
    )


@pytest.mark.parametrize("source", [{"rome_need": 5}, "rome_need=5"])
def test_an_unknown_field_is_answered_with_the_fields_there_are(source):
    message = complaint(load_rules, source)
    assert "unknown field 'rome_need' (did you mean 'rome_needs'?)" in message
    assert all(name in message for name in field_names())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rome_needs", "found 'rome_needs'; allowed: FILE.toml, or field=value pairs"),
        ("rome_needs=4,5", "found '5'; allowed: FILE.toml, or field=value pairs"),
        ("rome_needs=4,rome_needs=5", "rome_needs: given twice"),
        ("rome_needs=", "''"),
        ("rome_needs=four", "'four'"),
        ("rome_needs=true", "True"),
        ("draft_sizes=2,x", "'x'"),
        ("reactions=1", "reactions must be true or false, got 1"),
        ("=4", "unknown field ''"),
    ],
)
def test_a_text_that_is_no_rule_set_is_told_why(text, expected):
    message = complaint(load_rules, text)
    assert message.startswith("rules: ") and expected in message


def test_a_rules_file_is_named_with_what_is_wrong_in_it(tmp_path):
    path = tmp_path / "house.toml"
    assert complaint(load_rules, path) == (f"rules: cannot read {path}: No such file or directory")
    path.write_text("rome_needs = \n")
    message = complaint(load_rules, path)
    assert str(path) in message and "not valid TOML" in message and "line 1" in message
    path.write_text("rome_neds = 4\n")
    message = complaint(load_rules, path)
    assert str(path) in message and "did you mean 'rome_needs'?" in message
    path.write_bytes(b"\xff")
    assert complaint(load_rules, path) == f"rules: {path} is not a text file in UTF-8"


# --- settings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "players", "level"),
    [
        ({}, 4, None),
        ({"players": 1}, 1, 1),
        ({"solo_level": 3}, 1, 3),
        ({"players": 1, "solo_level": 5}, 1, 5),
        ({"players": 8}, 8, None),
    ],
)
def test_what_is_left_out_of_a_setting_is_filled_in(given_, players, level):
    setting = paxsim.make_setting(**given_)
    assert (setting.players, setting.solo_level) == (players, level)
    assert setting.deck.name == "assumed" and setting.rules == Rules()


@pytest.mark.parametrize("found", [0, 9, -1, 2.0, "2", True])
def test_a_player_count_is_one_to_eight(found):
    message = complaint(paxsim.make_setting, found)
    assert re.fullmatch(f"players must be .*between 1 and 8, got {re.escape(repr(found))}", message)


@pytest.mark.parametrize("found", [0, 6, 1.0, "1", True])
def test_a_solo_level_is_one_to_five(found):
    message = complaint(paxsim.make_setting, solo_level=found)
    assert re.fullmatch(
        f"solo-level must be .*between 1 and 5, got {re.escape(repr(found))}", message
    )


def test_a_solo_level_is_for_one_player():
    assert complaint(paxsim.make_setting, 3, solo_level=2) == (
        "solo-level is for 1 player, got level 2 with 3 players"
    )


def test_more_cards_cannot_be_added_than_a_second_copy_has():
    assert complaint(paxsim.make_setting, 5, rules={"cards_added": 75}) == (
        "rules: cards_added must be at most 74, the cards in deck assumed, got 75"
    )


def test_every_seat_needs_a_draft_size():
    message = complaint(paxsim.make_setting, 4, rules={"draft_sizes": [2, 3, 4]})
    assert message == "rules: draft_sizes needs 4 numbers with 4 players, got 3"
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
def test_a_setting_is_refused_exactly_when_its_cards_do_not_suffice(
    players, level, size, legions, drafts
):
    """Dealt by hand: every draft, then one card for every legion."""
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
        message = complaint(paxsim.make_setting, players, solo_level=solo, deck=deck, rules=rules)
        assert f"deck test leaves {size} cards for the draft and the legions" in message
        assert "allowed: at least" in message and "cards_removed" in message


@given(st.integers(0, 80))
def test_the_cards_set_aside_are_not_there_for_the_draft(removed):
    rules = {"cards_removed": removed}
    if removed <= 74 - 3 - 9:  # four players keep a card each, five legions get one
        assert paxsim.make_setting(4, rules=rules)
    else:
        found = max(74 - 3 - removed, 0)
        message = complaint(paxsim.make_setting, 4, rules=rules)
        assert f"leaves {found} cards for the draft and the legions" in message
