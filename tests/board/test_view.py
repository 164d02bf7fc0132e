"""Views of a game from its seats, and events as sentences."""

import json
import re
from collections import Counter

import pytest
from support.positions import random_game

import paxsim
from paxsim.board.replay import steps_of
from paxsim.board.view import EVERYTHING, Observer, visible_to, with_rome_turned_up
from paxsim.board.words import in_words, roman
from paxsim.cards import CATEGORIES
from paxsim.engine.turn import price_of_group
from paxsim.trace import TracedGame, trace_game, trace_lines

CARD = re.compile(rf"({'|'.join(CATEGORIES)})/\d+/\d+")


@pytest.fixture(scope="module")
def events():
    lineup = paxsim.make_lineup("weighted,random,tribune", 3)
    return list(trace_game(paxsim.make_setting(3), lineup, 5, 0, 0))


# --- what a seat sees -----------------------------------------------------------------------


def names(cards):
    return Counter(str(paxsim.Card.from_code(card)) for card in cards)


def compare_with_record(observer, record):
    """Compare a view with the engine's own records."""
    table, view = record["table"], observer.view
    for seat in range(table["players"]):
        me = record["seats"][seat]
        assert view[f"money {seat + 1}"] == me["money"]
        assert len(view[f"hand {seat + 1}"]) == me["hand_count"]
        assert view[f"strength {seat + 1}"] == table["strength"][seat][:7].tolist()
        rows = Counter(card.split("/")[0] for card in view[f"display {seat + 1}"])
        assert [rows[name] for name in CATEGORIES] == table["cards"][seat][:7].tolist()
        assert view[f"peeked {seat + 1}"] == bool(me["peeked"])
    for legion in range(table["legions"]):
        lying = table["legion_cards"][legion][: table["legion_size"][legion]]
        assert Counter(view[f"legion {legion + 1}"]) == names(lying)
        if observer.viewer:
            value, discount = table["legion_value"][legion], table["discount"][observer.viewer - 1]
            assert view["prices"][legion] == price_of_group.py_func(value, discount)
    assert view["deck"] == table["deck_left"] and view["round"] == table["round"]
    assert view["primus"] == table["primus"] + 1


#: Thirteen cards for two: a draft reaches cards that the one before it has put under the deck.
SMALL = dict(
    deck=paxsim.Deck(
        "small", tuple(paxsim.Card(name, 1, value) for name in CATEGORIES for value in (0, 3))
    ),
    rules={"cards_removed": 0, "rome_hidden": 1, "draft_sizes": [7, 9]},
)


@pytest.mark.parametrize(
    ("players", "level", "deals", "setting"),
    [(2, None, 1, {}), (4, None, 1, {}), (6, None, 1, {}), (1, 4, 1, {}), (2, None, 12, SMALL)],
    ids=["two", "four", "six", "solo", "small deck"],
)
def test_observers_agree_with_the_engine(players, level, deals, setting):
    setting = paxsim.make_setting(players, solo_level=level, **setting)
    counts = Counter()
    for deal in range(deals):
        counts += follow_observers(setting, deal)
    assert counts["events"] > 60 and counts["known in the deck"] > 100


def follow_observers(setting, deal):
    """Compare all observers at every decision of a game; return counts of what was compared.

    Seats see what the search knows: see test_knowledge.py.
    """
    observers = [Observer(seat) for seat in range(setting.players + 1)]
    everything = observers[EVERYTHING]
    counts = Counter()
    for game, events in random_game(setting, 8, deal):
        counts["events"] += len(events)
        for observer in observers:
            for event in events:
                observer.observe(event)
            compare_with_record(observer, game.record)
            if observer is not everything:
                counts["known in the deck"] += len(observer.view["deck_known"])
        assert None not in everything.deck and None not in sum(everything.hands.values(), [])
    return counts


def test_rivals_see_no_hidden_card(events):
    """Count the cards that seat 1 sees of the other seats, at most per event."""
    most = Counter()
    for event in events:
        if event.get("seat", 1) != 1:
            key = event["event"] + {"legion": " below"}.get(event.get("to"), "")
            most[key] = max(most[key], len(CARD.findall(json.dumps(visible_to(1, event)))))
    assert most["draft"] == most["reveal"] == most["place"] == most["peek"] == 0
    assert most["place below"] == most["play"] == 1 and most["buy"] > 0


def test_players_do_not_see_the_numbers_that_name_the_deal(events):
    setup = visible_to(2, events[0])
    assert "seed" not in setup and "game" not in setup and not CARD.search(json.dumps(setup))
    assert visible_to(EVERYTHING, events[0]) == events[0]


def test_rome_is_seen_from_a_peek_on_or_at_the_end(events):
    peeks = [i for i, event in enumerate(events) if event["event"] == "peek"]
    peeker = events[peeks[0]]["seat"]
    sees_rome = {seat: [] for seat in (1, 2, 3)}
    observers = {seat: Observer(seat) for seat in sees_rome}
    for event in with_rome_turned_up(events):
        for seat, observer in observers.items():
            observer.observe(event)
            sees_rome[seat].append(None not in observer.view["rome_hidden"])
    assert sees_rome[peeker].index(True) == peeks[0]
    never = [seat for seat in sees_rome if seat not in {events[i]["seat"] for i in peeks}]
    assert all(sees_rome[seat].index(True) == len(events) - 1 for seat in never)
    assert observers[1].view["rome_hidden"] == events[0]["rome_hidden"]


def test_steps_add_up_to_every_view(events):
    steps = steps_of(events)
    for viewer in range(4):
        observer, view = Observer(viewer), {}
        for event, step in zip(with_rome_turned_up(events), steps, strict=True):
            text = observer.observe(event)["text"]
            view |= step["all"] | (step["by"][viewer] if "by" in step else {})
            assert view == {**observer.view, "event": event["event"], "text": text}


@pytest.mark.parametrize(("players", "level"), [(2, None), (5, None), (1, 3)])
def test_traced_game_and_its_copy_have_the_trace_of_the_batch(players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    lineup = paxsim.make_lineup("first", players)
    game = TracedGame(setting, lineup.labels, 4, 2, 0)
    for option in (99, -1, "0", None, 10**30):
        with pytest.raises(paxsim.PaxsimError, match="option"):
            game.apply(option)
    copies = []
    while not game.over:
        if game.record["table"]["round"] == 3 and not copies:
            copies.append(game.copy())
        game.apply(0)
    while not copies[0].over:
        copies[0].apply(0)
    expected = list(trace_lines(setting, lineup, 4, 2, 1, 0))
    assert list(map(json.dumps, game.events)) == list(map(json.dumps, copies[0].events)) == expected


# --- sentences ------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "text"), [(1, "I"), (4, "IV"), (9, "IX"), (12, "XII")])
def test_roman_numerals(number, text):
    assert roman(number) == text


def score(**changes):
    players = [{"seat": seat, "points": {"total": 10 * seat}} for seat in (1, 2)]
    outcome = dict(rome_wins=False, rome_categories=1, winners=[2], players=players)
    return {"event": "score", **outcome, **changes}


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            dict(
                event="draft", drawn=["land/1/2", "army/2/4"], kept="land/1/2", bottom=["army/2/4"]
            ),
            "Seat 2 drafts land 1/2 and army 2/4, keeps land 1/2 and puts army 2/4 under the deck.",
        ),
        (
            dict(event="draft", drawn=[None] * 3, kept=None, bottom=[None, None]),
            "Seat 2 drafts 3 cards, keeps a card and puts 2 cards under the deck.",
        ),
        (
            dict(event="draft", drawn=["land/1/2"], displayed=["land/1/2"], kept=None, bottom=[]),
            "Seat 2 drafts land 1/2, displays land 1/2 and keeps a card.",
        ),
        (
            dict(event="peek", seen=[None] * 3, money=1),
            "Seat 2 peeks at Rome's hidden cards and now has 1 Aureus.",
        ),
        (
            dict(event="buy", legion=1, cards=["land/1/1"], price=0, money=3),
            "Seat 2 buys legion I for free: land 1/1.",
        ),
        (
            dict(event="play", card="land/1/1", price=1, money=0),
            "Seat 2 plays land 1/1 for 1 Aureus (0 left).",
        ),
        ({"event": "primus", "from": 1}, "Seat 2 becomes primus conspiratus, replacing seat 1."),
        (
            dict(event="end", rounds=9, empty_legions=1, deck_left=0),
            "The game ends after 9 rounds with 1 empty legion and 0 cards in the deck.",
        ),
        (score(), "Rome holds 1 category, so the players win: seat 2 wins with 20 points."),
        (
            score(winners=[1, 2], rome_categories=2),
            "Rome holds 2 categories, so the players win: seat 1 and seat 2 share the win with "
            "10 points.",
        ),
        (score(rome_wins=True, winners=[]), "Rome holds 1 category and wins alone."),
        (score(solo_won=False), "The solo game is lost with 10 points."),
    ],
)
def test_events_as_sentences(event, sentence):
    assert in_words({"seat": 2, **event}) == sentence


def test_a_sentence_has_only_visible_cards(events):
    """Every event of a game has a sentence, for all cards and as every seat sees it."""
    for event in events:
        for viewer in range(4):
            visible = visible_to(viewer, event)
            cards = CARD.findall(json.dumps(visible))
            sentence = in_words(visible)
            assert sentence.endswith(".") and "None" not in sentence
            named = re.findall(rf"({'|'.join(CATEGORIES)}) \d+/\d+", sentence)
            assert set(named) <= set(cards)
