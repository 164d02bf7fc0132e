"""Decks: those of the package, deck files, fingerprints, and mistakes in files."""

import copy
import pickle
from collections import Counter
from dataclasses import replace
from importlib import resources

import pytest
from conftest import deck_counts
from hypothesis import given
from hypothesis import strategies as st
from support.hypothesis_strategies import cards, odd_decks

import paxsim
from paxsim.cards import (
    COPY_COUNTS,
    MAX_COPY,
    MAX_SYMBOLS,
    MAX_VALUE,
    parse_deck,
    unpublished_cards,
)

LAND = {"category": "land", "symbols": 1, "value": 2, "count": 4}


def error_of(function, *arguments, **keywords):
    """Return the one-line message of the error that a call raises."""
    with pytest.raises(paxsim.PaxsimError) as error:
        function(*arguments, **keywords)
    assert str(error.value) and "\n" not in str(error.value)
    return str(error.value)


# --- the shipped decks ----------------------------------------------------------------------


def test_shipped_deck_is_a_complete_copy_of_published_cards(shipped_deck):
    counts = Counter(card.category for card in shipped_deck.cards)
    assert counts == COPY_COUNTS and len(shipped_deck.cards) == 74
    assert unpublished_cards(shipped_deck) == []
    assert shipped_deck.name in paxsim.list_decks() and shipped_deck.note


def test_shipped_decks_are_different_and_the_default_comes_first():
    decks = [paxsim.load_deck(name) for name in paxsim.list_decks()]
    assert len({deck.fingerprint for deck in decks}) == len(decks)
    assert [deck.name for deck in decks] == paxsim.list_decks()
    assert paxsim.load_deck() == decks[0] == paxsim.load_deck("assumed")
    assert paxsim.load_deck(decks[1]) is decks[1]


def test_assumed_deck_is_the_table_of_the_rules():
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
def test_code_of_a_card_is_reversible(card):
    assert paxsim.Card.from_code(card.code) == card
    assert 0 <= card.code < 2**16
    assert str(card) == f"{card.category}/{card.symbols}/{card.value}"


@given(deck=odd_decks(), extra=cards)
def test_fingerprint_depends_on_the_cards_alone(deck, extra):
    renamed = paxsim.Deck(name="other", cards=deck.cards[::-1], note="another note")
    assert renamed.fingerprint == deck.fingerprint
    longer = paxsim.Deck(name=deck.name, cards=(*deck.cards, extra))
    assert longer.fingerprint != deck.fingerprint
    assert len(deck.fingerprint) == 12 and int(deck.fingerprint, 16) >= 0


def test_equal_cards_deal_equal_games():
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


def test_deck_file_is_read_as_documented(tmp_path):
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


def test_file_with_published_counts_can_be_played(tmp_path):
    rows = "".join(
        f'[[cards]]\ncategory = "{category}"\nsymbols = 1\nvalue = 3\ncount = {count}\n'
        for category, count in COPY_COUNTS.items()
    )
    path = write(tmp_path, f'\ufeffname = "equal"\n{rows}')  # some editors write the mark
    deck = paxsim.load_deck(path)
    assert len(deck.cards) == 74 and deck.source == str(path)
    assert paxsim.play("first", 4, deck=deck).rounds > 0


def mistake_in(data):
    message = error_of(parse_deck, data, where="my.toml")
    assert message.startswith("deck ")
    return message


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"category": "lands"}, ["category", "did you mean 'land'?"]),
        ({"category": "gold"}, ["'gold'", "wealth, fleet, army, religion, senator"]),
        ({"category": 3}, ["category", "'3'"]),
        ({"symbols": 0}, ["symbols must be between 1 and 31, got 0"]),
        ({"symbols": 32}, ["between 1 and 31, got 32"]),
        ({"symbols": True}, ["symbols must be an integer", "True"]),
        ({"symbols": 1.5}, ["symbols must be an integer", "1.5"]),
        ({"value": -1}, ["value must be between 0 and 255, got -1"]),
        ({"value": 256}, ["between 0 and 255, got 256"]),
        ({"value": "2"}, ["value must be an integer", "'2'"]),
        ({"count": 0}, ["count must be between 1 and 120, got 0"]),
        ({"count": 121}, ["between 1 and 120, got 121"]),
        ({"cuont": 1}, ["did you mean 'count'?"]),
    ],
)
def test_mistake_in_a_card_names_its_entry(changes, parts):
    message = mistake_in({"name": "x", "complete": False, "cards": [LAND, {**LAND, **changes}]})
    assert message.startswith("deck my.toml: cards entry 2: ")
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("field", LAND)
def test_missing_field_of_a_card_is_named(field):
    row = {key: value for key, value in LAND.items() if key != field}
    message = mistake_in({"name": "x", "complete": False, "cards": [row]})
    assert f"cards entry 1 has no {field}" in message


@pytest.mark.parametrize(
    "name",
    ["", 7, None, "x" * 101, "two words", "\x1b[31mred", "two\nlines", "\u202egnp", "nul\0", "a/b",
     "$x$", "<b>", "[b]", "\u00e4", "=1+1"],
)  # fmt: skip
def test_name_has_only_letters_digits_and_dashes(name):
    for build in (
        lambda: parse_deck({"name": name, "complete": False, "cards": [LAND]}, "my.toml"),
        lambda: paxsim.Deck(name, (paxsim.Card("land", 1, 1),)),
    ):
        message = error_of(build)
        assert "name must be" in message and message.isprintable()
    assert paxsim.Deck("Mine_2-b", (paxsim.Card("land", 1, 1),)).name == "Mine_2-b"


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"note": 7}, "note must be"),
        ({"note": "\x1b]0;title\a"}, "note must be"),
        ({"note": "x" * 4001}, "note must be"),
        ({"complete": "no"}, "complete must be true or false, got 'no'"),
        ({"complete": 0}, "complete must be true or false, got 0"),
        ({"cards": []}, "cards must be a list"),
        ({"cards": "land"}, "cards must be a list"),
        ({"cards": ["land"]}, "cards entry 1 must be a table"),
        ({"card": []}, "did you mean 'cards'?"),
        ({"cards": [{**LAND, "count": 61}, {**LAND, "count": 60}]}, "121 cards"),
    ],
)
def test_mistake_in_a_deck_names_its_field(changes, part):
    assert part in mistake_in({"name": "x", "complete": False, "cards": [LAND], **changes})


def test_incomplete_deck_has_to_say_so():
    message = mistake_in({"name": "x", "cards": [LAND]})
    assert "land 4 instead of 12" in message and "complete = false" in message
    assert len(parse_deck({"name": "x", "complete": False, "cards": [LAND]}, "x").cards) == 4
    assert "cards must be a list" in mistake_in({"name": "x"})


def test_deck_made_in_python_has_the_same_limits():
    """The engine has room for two copies of 120 cards."""
    cards = (paxsim.Card("land", 1, 1),) * (MAX_COPY + 1)
    assert "121 cards" in error_of(paxsim.Deck, "huge", cards)
    assert len(paxsim.Deck("large", cards[1:]).cards) == MAX_COPY


def test_other_cards_need_another_name_than_a_shipped_deck(tmp_path):
    shipped = resources.files("paxsim").joinpath("decks", "assumed.toml").read_text("utf-8")
    copied = write(tmp_path, shipped)
    deck = paxsim.load_deck("assumed")
    assert paxsim.load_deck(copied) == replace(deck, path=str(copied))
    write(tmp_path, shipped.replace("value = 4", "value = 3"))
    for build in (
        lambda: paxsim.load_deck(copied),
        lambda: paxsim.Deck("assumed", deck.cards[1:]),
        lambda: replace(paxsim.load_deck("cheap"), name="assumed"),
    ):
        assert error_of(build).startswith("deck assumed has other cards")


@pytest.mark.parametrize("name", paxsim.list_decks())
def test_copies_of_a_shipped_deck_are_equal(name):
    deck = paxsim.load_deck(name)
    copies = [paxsim.Deck(name, deck.cards[::-1], deck.note), replace(deck), copy.deepcopy(deck),
              pickle.loads(pickle.dumps(deck))]  # fmt: skip
    assert all(other == deck and hash(other) == hash(deck) for other in copies)


def test_unknown_deck_is_answered_with_all_names():
    message = error_of(paxsim.load_deck, "asumed")
    assert "unknown deck 'asumed' (did you mean 'assumed'?)" in message
    assert all(name in message for name in [*paxsim.list_decks(), "FILE.toml"])


@pytest.mark.parametrize("load", [paxsim.load_deck, paxsim.load_rules])
@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file or directory"),
        (b'name = "x"\n[[cards\n', "not valid TOML"),
        (b"name = '\xff'", "not a text file in UTF-8"),
        (b"x = " + b"[" * 5000, "not valid TOML"),
        (b"x = " + b"1" * 5000, "not valid TOML"),
        (b"name = '\0'", "not valid TOML"),
    ],
)
def test_unreadable_file_is_named(load, content, part, tmp_path):
    path = tmp_path / "my.toml"
    if content is not None:
        path.write_bytes(content)
    message = error_of(load, path)
    assert str(path) in message and part in message
