"""Decks: the shipped ones, deck files, fingerprints, and what is said about a bad file."""

import copy
import pickle
from collections import Counter
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from conftest import deck_counts
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import cards, odd_decks

import paxsim
from paxsim.cards import COPY_COUNTS, MAX_COPY, MAX_SYMBOLS, MAX_VALUE, parse_deck
from paxsim.cli import run_command

LAND = {"category": "land", "symbols": 1, "value": 2, "count": 4}


def one_line(error):
    """The message of an error, which must be one line."""
    message = str(error.value)
    assert message and "\n" not in message
    return message


# --- the shipped decks ----------------------------------------------------------------------


def test_the_default_deck_comes_first_in_the_list():
    assert paxsim.list_decks()[0] == "assumed"
    assert paxsim.load_deck() == paxsim.load_deck("assumed")


def test_every_shipped_deck_is_a_complete_copy_of_published_cards(shipped_deck):
    found = Counter(card.category for card in shipped_deck.cards)
    assert found == COPY_COUNTS and len(shipped_deck.cards) == 74
    assert {card.symbols for card in shipped_deck.cards} <= {1, 2}
    assert {card.value for card in shipped_deck.cards} <= {1, 2, 3, 4}


def test_every_shipped_deck_says_its_name_and_where_its_numbers_come_from(shipped_deck):
    assert shipped_deck.name in paxsim.list_decks()
    assert shipped_deck.note


def test_no_two_shipped_decks_are_alike():
    decks = [paxsim.load_deck(name) for name in paxsim.list_decks()]
    assert len({deck.fingerprint for deck in decks}) == len(decks)
    assert [deck.name for deck in decks] == paxsim.list_decks()


def test_the_assumed_deck_is_the_table_of_the_rules():
    ten = {"1/1": 2, "1/2": 4, "2/3": 2, "2/4": 2}
    twelve = {"1/1": 3, "1/2": 4, "2/3": 3, "2/4": 2}
    table = dict.fromkeys(("wealth", "fleet", "army", "religion", "senator"), ten)
    table |= {"land": twelve, "intrigue": twelve}
    expected = {
        f"{category}/{kind}": count
        for category, kinds in table.items()
        for kind, count in kinds.items()
    }
    deck = paxsim.load_deck("assumed")
    assert deck_counts(deck) == expected
    symbols = {c: sum(card.symbols for card in deck.of_category(c)) for c in table}
    assert symbols == {**dict.fromkeys(table, 14), "land": 17, "intrigue": 17}


# --- cards and fingerprints -----------------------------------------------------------------


@given(
    st.builds(
        paxsim.Card,
        st.sampled_from(paxsim.CATEGORIES),
        st.integers(1, MAX_SYMBOLS),
        st.integers(0, MAX_VALUE),
    )
)
def test_a_card_survives_the_way_through_the_engines_number(card):
    assert paxsim.Card.from_code(card.code) == card
    assert 0 <= card.code < 2**16


def test_a_card_reads_category_symbols_value():
    assert str(paxsim.Card("land", 1, 2)) == "land/1/2"


@given(deck=odd_decks(), extra=cards)
def test_a_fingerprint_depends_on_the_cards_alone(deck, extra):
    renamed = paxsim.Deck(name="other", cards=deck.cards[::-1], note="another note")
    assert renamed.fingerprint == deck.fingerprint
    longer = paxsim.Deck(name=deck.name, cards=(*deck.cards, extra))
    assert longer.fingerprint != deck.fingerprint
    assert len(deck.fingerprint) == 12 and int(deck.fingerprint, 16) >= 0


def test_decks_with_the_same_cards_deal_the_same_games():
    rows = [{**LAND, "category": c, "count": 10} for c in ("land", "wealth", "army", "senator")]
    decks = [
        parse_deck({"name": name, "complete": False, "cards": order}, "here")
        for name, order in (("a", rows), ("b", rows[::-1]))
    ]
    states = [paxsim.Game(2, seed=4, deck=deck, rules="cards_removed=5").state() for deck in decks]
    assert states[0] == states[1]


# --- deck files -----------------------------------------------------------------------------


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_deck_file_is_read_as_documented(tmp_path):
    path = write(
        tmp_path,
        """
        name = "mine"
        note = "counted from my copy"
        complete = false
        [[cards]]
        category = "land"      # a comment
        symbols = 1
        value = 2
        count = 4
        [[cards]]
        category = "army"
        symbols = 2
        value = 0
        count = 1
        """,
    )
    for source in (path, str(path)):
        deck = paxsim.load_deck(source)
        assert (deck.name, deck.note) == ("mine", "counted from my copy")
        assert deck.cards == (paxsim.Card("army", 2, 0), *[paxsim.Card("land", 1, 2)] * 4)
        assert deck.counts == {("land", 1, 2): 4, ("army", 2, 0): 1}


def test_a_deck_is_loaded_as_it_is():
    deck = paxsim.load_deck("assumed")
    assert paxsim.load_deck(deck) is deck


def test_an_owner_can_replace_the_deck_by_a_file_with_the_published_counts(tmp_path):
    rows = "".join(
        f'[[cards]]\ncategory = "{category}"\nsymbols = 1\nvalue = 3\ncount = {count}\n'
        for category, count in COPY_COUNTS.items()
    )
    deck = paxsim.load_deck(write(tmp_path, f'name = "all alike"\n{rows}'))
    assert len(deck.cards) == 74
    assert paxsim.play("first", 4, deck=deck).rounds > 0


def bad_deck(data):
    with pytest.raises(paxsim.PaxsimError) as error:
        parse_deck(data, where="my.toml")
    return one_line(error)


@pytest.mark.parametrize(
    ("changes", "field", "found", "allowed"),
    [
        ({"category": "lands"}, "category", "'lands'", "did you mean 'land'?"),
        ({"category": "gold"}, "category", "'gold'", "wealth, fleet, army, religion, senator"),
        ({"category": 3}, "category", "'3'", "wealth, fleet"),
        ({"symbols": 0}, "symbols", "0", "between 1 and 31"),
        ({"symbols": 32}, "symbols", "32", "between 1 and 31"),
        ({"symbols": True}, "symbols", "True", "an integer"),
        ({"symbols": 1.5}, "symbols", "1.5", "an integer"),
        ({"value": -1}, "value", "-1", "between 0 and 255"),
        ({"value": 256}, "value", "256", "between 0 and 255"),
        ({"value": "2"}, "value", "'2'", "an integer"),
        ({"count": 0}, "count", "0", "between 1 and 120"),
        ({"count": 121}, "count", "121", "between 1 and 120"),
        ({"cuont": 1}, "field", "'cuont'", "did you mean 'count'?"),
    ],
)
def test_a_bad_card_is_named_with_its_entry_what_was_found_and_what_is_allowed(
    changes, field, found, allowed
):
    message = bad_deck({"name": "x", "complete": False, "cards": [LAND, {**LAND, **changes}]})
    assert message.startswith("deck my.toml: cards entry 2: ") and field in message
    assert found in message and allowed in message


@pytest.mark.parametrize("field", LAND)
def test_a_card_without_a_field_is_told_which_one_is_missing(field):
    row = {key: value for key, value in LAND.items() if key != field}
    message = bad_deck({"name": "x", "complete": False, "cards": [row]})
    assert f"cards entry 1: {field}: missing" in message
    assert "category, symbols, value, count" in message


@pytest.mark.parametrize(
    ("changes", "field", "found", "allowed"),
    [
        ({"name": ""}, "name", "''", "a non-empty text"),
        ({"name": 7}, "name", "7", "a non-empty text"),
        ({"name": "x" * 1000}, "name", "'xxx", "at most"),
        ({"note": 7}, "note", "7", "a text"),
        ({"complete": "no"}, "complete", "'no'", "true or false"),
        ({"complete": 0}, "complete", "0", "true or false"),
        ({"cards": []}, "cards", "none", "[[cards]]"),
        ({"cards": "land"}, "cards", "none", "[[cards]]"),
        ({"cards": ["land"]}, "cards entry 1", "'land'", "a table with category"),
        ({"card": []}, "field", "'card'", "did you mean 'cards'?"),
    ],
)
def test_a_bad_deck_field_is_named_with_what_was_found_and_what_is_allowed(
    changes, field, found, allowed
):
    message = bad_deck({"name": "x", "complete": False, "cards": [LAND], **changes})
    assert message.startswith("deck my.toml: ") and field in message
    assert found in message and allowed in message


def test_a_deck_without_a_name_or_without_cards_is_rejected():
    assert "deck my.toml: name: missing; allowed: name = " in bad_deck({"cards": [LAND]})
    assert "cards: found none" in bad_deck({"name": "x"})


def test_other_cards_need_another_name_than_a_deck_of_the_package(tmp_path):
    shipped = resources.files("paxsim").joinpath("decks", "assumed.toml").read_text("utf-8")
    copied = tmp_path / "copied.toml"
    copied.write_text(shipped, "utf-8")
    assert paxsim.load_deck(copied) == replace(paxsim.load_deck("assumed"), path=str(copied))
    copied.write_text(shipped.replace("value = 4", "value = 3"), "utf-8")
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.load_deck(copied)
    said = "name: found 'assumed', a deck of the package with other cards; allowed: any other name"
    assert str(error.value) == f"deck {copied}: {said}"
    cards = paxsim.load_deck("assumed").cards
    for other in (
        lambda: paxsim.Deck("assumed", cards[1:]),
        lambda: replace(paxsim.load_deck("assumed"), cards=(*cards, cards[0])),
        lambda: replace(paxsim.load_deck("cheap"), name="assumed"),
    ):
        with pytest.raises(paxsim.PaxsimError) as error:
            other()
        assert str(error.value) == f"deck assumed: {said}"


@pytest.mark.parametrize("name", paxsim.list_decks())
def test_equal_copies_of_a_deck_of_the_package_keep_its_name(name):
    deck = paxsim.load_deck(name)
    copies = [
        paxsim.Deck(name, deck.cards[::-1], deck.note),
        replace(deck),
        copy.deepcopy(deck),
        pickle.loads(pickle.dumps(deck)),
    ]
    assert [made == deck for made in copies] == [True] * 4
    assert paxsim.Deck(name, deck.cards, "another note").fingerprint == deck.fingerprint


def test_a_deck_with_other_counts_is_accepted_only_when_it_says_so():
    message = bad_deck({"name": "x", "cards": [LAND]})
    assert "land 4 instead of 12" in message and "wealth 0 instead of 10" in message
    assert "complete = false" in message
    assert len(parse_deck({"name": "x", "complete": False, "cards": [LAND]}, "x").cards) == 4


def test_a_deck_that_is_too_large_for_the_engine_is_rejected():
    rows = [{**LAND, "count": 61}, {**LAND, "count": 60}]
    message = bad_deck({"name": "x", "complete": False, "cards": rows})
    assert "found 121 cards" in message and f"at most {MAX_COPY}" in message


def test_a_deck_made_in_python_is_held_to_the_same_size():
    """Two copies of more than 120 cards do not fit the deck of the engine."""
    with pytest.raises(paxsim.PaxsimError, match="121 cards") as error:
        paxsim.Deck(name="huge", cards=(paxsim.Card("land", 1, 1),) * (MAX_COPY + 1))
    one_line(error)


def load_bad(source):
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.load_deck(source)
    return one_line(error)


def test_an_unknown_deck_is_answered_with_the_names_there_are():
    message = load_bad("asumed")
    assert "unknown deck 'asumed' (did you mean 'assumed'?)" in message
    assert all(name in message for name in paxsim.list_decks())
    assert "FILE.toml" in message


def test_a_missing_deck_file_is_named(tmp_path):
    path = tmp_path / "none.toml"
    assert load_bad(path) == f"deck: cannot read {path}: No such file or directory"


def test_a_broken_deck_file_is_named_with_the_place_of_the_mistake(tmp_path):
    path = write(tmp_path, 'name = "x"\n[[cards\n')
    message = load_bad(path)
    assert str(path) in message and "not valid TOML" in message and "line 2" in message


def test_a_deck_file_that_is_no_text_is_named(tmp_path):
    path: Path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00\x81")
    assert load_bad(path) == f"deck: {path} is not a text file in UTF-8"


def test_a_deck_file_may_begin_with_the_mark_that_some_editors_write(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text('\ufeffname = "x"\ncomplete = false\n' + land(40), "utf-8")
    assert paxsim.load_deck(path).name == "x"


def land(count):
    return f'[[cards]]\ncategory = "land"\nsymbols = 1\nvalue = 2\ncount = {count}\n'


@pytest.mark.parametrize(
    ("count", "code", "said"),
    [
        (4, 2, "no game can be played with it: deck few leaves 0 cards for the draft"),
        (14, 0, "can be played with 4 players and no others (deck few: found 0 cards"),
    ],
)
def test_the_check_of_a_deck_says_how_many_can_play_with_it(tmp_path, capsys, count, code, said):
    path = tmp_path / "few.toml"
    path.write_text('name = "few"\ncomplete = false\n' + land(count), "utf-8")
    assert run_command(["deck", "check", str(path)]) == code
    assert said in "".join(capsys.readouterr())
