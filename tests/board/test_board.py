"""A game to look at: what every seat sees, what is said of it, and traces that are refused."""

import copy
import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import onlookers
from support.mistakes import mistake

import paxsim
from paxsim.board import Replay, replay_page
from paxsim.board.replay import events_of, story_of
from paxsim.board.view import EVERYTHING, Onlooker, seen_by, with_rome_turned_up
from paxsim.board.words import in_words, roman
from paxsim.cards import CATEGORIES
from paxsim.cli import run_command
from paxsim.engine.records import DISPLAY, KEEP
from paxsim.engine.turn import price_of_group
from paxsim.trace import TracedGame, _Teller, trace_game, trace_lines

CARD = re.compile(r"(wealth|fleet|army|religion|senator|land|intrigue)/\d+/\d+")


def lines_of(players=3, level=None, policies="random", seed=5, **setting):
    lineup = paxsim.make_lineup(policies, players)
    return list(
        trace_lines(
            paxsim.make_setting(players, solo_level=level, **setting), lineup, seed, 0, 1, 0
        )
    )


@pytest.fixture(scope="module")
def events():
    return [json.loads(line) for line in lines_of(3, policies="weighted,random,tribune")]


# --- what a seat sees -----------------------------------------------------------------------


def names(cards):
    return Counter(str(paxsim.Card.from_code(card)) for card in cards)


def compare_with_record(mine, record):
    """The view against the engine's own records."""
    table, view = record["table"], mine.view
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
        if mine.viewer:
            value, discount = table["legion_value"][legion], table["discount"][mine.viewer - 1]
            assert view["prices"][legion] == price_of_group.py_func(value, discount)
    assert view["deck"] == table["deck_left"] and view["round"] == table["round"]
    assert view["primus"] == table["primus"] + 1


def compare_with_onlooker(mine, other):
    """The view against an onlooker that was written for the tests of the search."""
    me = mine.viewer
    assert Counter(mine.hands[me]) == names((+other.hand).elements())
    for rival, cards in other.rivals.items():
        known = Counter(card for card in mine.hands[rival + 1] if card is not None)
        assert known == names((+cards).elements())
    said = [None if card is None else str(paxsim.Card.from_code(card)) for card in other.deck]
    assert mine.deck == said
    known = [card for card in mine.rome_hidden if card is not None]
    assert Counter(known) == names(other.peeked.elements())


#: Thirteen cards for two: a draft meets cards that the one before it has put under the deck.
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
def test_a_viewer_sees_what_an_onlooker_at_that_seat_knows(
    players, level, deals, setting, monkeypatch
):
    setting = paxsim.make_setting(players, solo_level=level, **setting)
    policies = (["weighted", "random", "tribune", "builder"] * 2)[:players]
    lineup = paxsim.make_lineup(policies if players > 1 else "random", players)
    met = Counter()
    for deal in range(deals):
        met += follow_viewers(setting, lineup, deal, monkeypatch)
    assert met["events"] > 60 and met["known in the deck"] > 100


def follow_viewers(setting, lineup, deal, monkeypatch):
    """Compare all viewers with all onlookers at every decision of a game."""
    teller = _Teller(setting, lineup.at_seats(0), 8, deal, 0)
    lines = []

    class Table(onlookers.Table):
        def tell(self, words):
            super().tell(words)
            lines.extend(teller.tell(words).splitlines())

    viewers = [Onlooker(seat) for seat in range(setting.players + 1)]
    met = Counter()
    with monkeypatch.context() as patch:
        patch.setattr(onlookers, "Table", Table)
        for record, table, _ in onlookers.look_on(setting, lineup, 8, deal):
            for line in lines[met["events"] :]:
                for viewer in viewers:
                    viewer.tell(json.loads(line))
            met["events"] = len(lines)
            if record["hidden"]["decision"] in (DISPLAY, KEEP):
                continue  # a draft is told when it is done
            for viewer in viewers:
                compare_with_record(viewer, record)
                if viewer.viewer != EVERYTHING:
                    compare_with_onlooker(viewer, table.onlookers[viewer.viewer - 1])
                    met["known in the deck"] += len(viewer.view["deck_known"])
            everything = viewers[EVERYTHING]
            assert None not in everything.deck and None not in sum(everything.hands.values(), [])
    return met


def test_rivals_see_no_card_that_is_face_down(events):
    """By event: how many cards seat 1 sees of what the others do, at most."""
    seen = {}
    for event in events:
        if event.get("seat", 1) != 1:
            key = event["event"] + {"legion": " below"}.get(event.get("to"), "")
            cards = len(CARD.findall(json.dumps(seen_by(1, event))))
            seen[key] = max(cards, seen.get(key, 0))
    assert seen["draft"] == seen["reveal"] == seen["place"] == seen["peek"] == 0
    assert seen["place below"] == seen["play"] == 1 and seen["buy"] > 0


def test_the_numbers_that_name_a_deal_are_told_to_nobody_at_the_table(events):
    setup = seen_by(2, events[0])
    assert "seed" not in setup and "game" not in setup and not CARD.search(json.dumps(setup))
    assert seen_by(EVERYTHING, events[0]) == events[0]


def test_who_peeks_sees_romes_cards_from_then_on_and_the_others_at_the_end(events):
    peeks = [i for i, event in enumerate(events) if event["event"] == "peek"]
    peeker = events[peeks[0]]["seat"]
    hidden = events[0]["rome_hidden"]
    seen = {seat: [] for seat in (1, 2, 3)}
    onlookers_at = {seat: Onlooker(seat) for seat in seen}
    for event in with_rome_turned_up(events):
        for seat, onlooker in onlookers_at.items():
            onlooker.tell(event)
            seen[seat].append(None not in onlooker.view["rome_hidden"])
    assert seen[peeker].index(True) == peeks[0]
    never = [seat for seat in seen if seat not in {events[i]["seat"] for i in peeks}]
    assert all(seen[seat].index(True) == len(events) - 1 for seat in never)  # before the score
    assert onlookers_at[1].view["rome_hidden"] == hidden


def test_the_steps_of_a_page_add_up_to_every_viewers_view(events):
    steps = story_of(events)
    for viewer in range(4):
        onlooker, view = Onlooker(viewer), {}
        for event, step in zip(with_rome_turned_up(events), steps, strict=True):
            said = onlooker.tell(event)["said"]
            view |= step["all"] | (step["by"][viewer] if "by" in step else {})
            assert view == {**onlooker.view, "event": event["event"], "said": said}


# --- a game step by step --------------------------------------------------------------------


@pytest.mark.parametrize(("players", "level"), [(2, None), (5, None), (1, 3)])
def test_a_game_step_by_step_has_the_trace_of_its_batch(players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    lineup = paxsim.make_lineup("first", players)
    game = TracedGame(setting, lineup.labels, 4, 2, 0)
    halfway = None
    while not game.over:
        game.apply(0)
        if game.record["table"]["round"] == 3 and halfway is None:
            halfway = game.copy()
    wanted = list(trace_lines(setting, lineup, 4, 2, 1, 0))
    assert list(map(json.dumps, game.events)) == wanted
    assert len(halfway.events) < len(wanted)
    while not halfway.over:
        halfway.apply(0)
    assert halfway.events == game.events
    with pytest.raises(paxsim.PaxsimError, match="the game is over"):
        game.apply(0)


def test_an_option_that_there_is_not_changes_nothing():
    game = TracedGame(paxsim.make_setting(2), ["a", "b"], 1, 0, 0)
    before = game._bytes.tobytes(), list(game.events)
    for option in (99, -1, "0", None, 10**30):
        with pytest.raises(paxsim.PaxsimError, match="option"):
            game.apply(option)
    assert (game._bytes.tobytes(), game.events) == before


# --- words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "text"), [(1, "I"), (4, "IV"), (9, "IX"), (12, "XII")])
def test_legions_have_roman_numbers(number, text):
    assert roman(number) == text


SENTENCES = {
    "Seat 2 drafts land 1/2 and army 2/4, keeps land 1/2 and puts army 2/4 under the deck.": dict(
        event="draft", drawn=["land/1/2", "army/2/4"], kept="land/1/2", bottom=["army/2/4"]
    ),
    "Seat 2 drafts 3 cards, keeps a card and puts 2 cards under the deck.": dict(
        event="draft", drawn=[None] * 3, kept=None, bottom=[None, None]
    ),
    "Seat 2 drafts land 1/2, displays land 1/2 and keeps a card.": dict(
        event="draft", drawn=["land/1/2"], displayed=["land/1/2"], kept=None, bottom=[]
    ),
    "Seat 2 peeks at Rome's hidden cards. It now has 1 Aureus.": dict(
        event="peek", seen=[None] * 3, money=1
    ),
    "Seat 2 draws a card.": dict(event="reveal", cards=[None]),
    "Seat 2 puts fleet 1/1 below legion IV.": dict(
        event="place", card="fleet/1/1", to="legion", legion=4
    ),
    "The deck is empty: seat 2 takes 2 Aurei and has 7.": dict(
        event="compensation", aurei=2, money=7
    ),
    "Seat 2 buys legion I for nothing: land 1/1. It has 3 left.": dict(
        event="buy", legion=1, cards=["land/1/1"], price=0, money=3
    ),
    "Seat 2 plays land 1/1 for 1 Aureus, 0 left.": dict(
        event="play", card="land/1/1", price=1, money=0
    ),
    "Seat 2 is primus conspiratus, from seat 1.": {"event": "primus", "from": 1},
    "Seat 2 has no income, and 4 Aurei.": dict(event="income", aurei=0, money=4),
    "Seat 2 answers the senator: plays land 1/1 for 1 Aureus, 3 left.": dict(
        event="react", card="land/1/1", price=1, money=3
    ),
    "Rome takes legion II, worth 3: land 1/1 and land 1/2.": dict(
        event="rome_takes", legion=2, cards=["land/1/1", "land/1/2"], value=3
    ),
    "The game ends after 9 rounds: 1 empty legion, 0 cards in the deck.": dict(
        event="end", rounds=9, empty_legions=1, deck_left=0
    ),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_is_said_of_an_event(sentence):
    assert in_words({"seat": 2, **SENTENCES[sentence]}) == sentence


def score(**changes):
    players = [{"seat": seat, "points": {"total": 10 * seat}} for seat in (1, 2)]
    outcome = dict(rome_wins=False, rome_categories=1, winners=[2], players=players)
    return in_words({"event": "score", **outcome, **changes})


def test_what_is_said_of_the_end():
    assert score() == "Rome holds 1 category, so the players win: seat 2 wins with 20 points."
    shared = score(winners=[1, 2], rome_categories=2)
    assert shared.endswith(
        "2 categories, so the players win: seat 1 and seat 2 share the win with 10 points."
    )
    assert score(rome_wins=True, winners=[]) == "Rome holds 1 category and wins: alone."
    assert score(solo_won=False) == "The solo game is lost, with 10 points."


def test_the_terminal_and_the_page_say_the_same(capsys, tmp_path):
    game = ["--players", "2", "--policies", "random", "--seed", "3"]
    assert run_command(["trace", *game, "--text"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert run_command(["replay", *game, "--out", str(tmp_path / "game.html")]) == 0
    steps = data_of((tmp_path / "game.html").read_text("utf-8"))["steps"]
    on_page = [{**step["all"], **step.get("by", [{}])[0]}["said"] for step in steps]
    assert on_page[:-2] + on_page[-1:] == said  # but for Rome's cards, which the page turns up
    assert on_page[-2].startswith("Rome turns up ")


# --- the page -------------------------------------------------------------------------------


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_stands_alone(events):
    page = replay_page(json.dumps(event) for event in events)
    addresses = set(re.findall(r"(?:https?:)?//[\w.]+[^\s\"']*", page.replace("</", "")))
    assert {a for a in addresses if a.startswith("http")} == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page and "<link" in page
    assert not re.search(r"\ssrc=|@import|url\(", page)


def test_names_from_a_trace_are_shown_and_never_obeyed(events):
    named = copy.deepcopy(events)
    named[0]["policies"][0] = "</script><script>alert(1)</script>"
    page = Replay(named).page()
    assert "<script>alert" not in page and "</script><" not in data_of(page)["head"]["names"][1]
    assert data_of(page)["head"]["names"][0] == named[0]["policies"][0]
    assert "<script>alert" not in Replay(named)._repr_html_()


def test_a_notebook_shows_the_game_that_was_played():
    result = paxsim.play("random,first,builder", seed=3, deal=4, rotation=2)
    shown = result._repr_html_()
    assert shown.startswith("<iframe") and "builder · random · first" in shown
    totals = [player["points"]["total"] for player in result.replay().events[-1]["players"]]
    assert totals == result.points


@pytest.mark.parametrize(
    "options",
    [
        ["--players", "3", "--policies", "random,first,builder", "--rotation", "2", "--deal", "7"],
        ["--solo-level", "2", "--policies", "random", "--seed", "12"],
        ["--players", "2", "--policies", "weighted:money=0.5,first", "--rules", "rome_needs=5"],
        ["--players", "2", "--policies", "first", "--deck", "cheap"],
    ],
    ids=["rotation", "solo", "rules", "deck"],
)
def test_the_command_on_the_page_makes_the_game_again(options, tmp_path, capsys):
    assert run_command(["trace", *options, "--out", str(tmp_path / "a.jsonl")]) == 0
    replay = Replay.read(tmp_path / "a.jsonl")
    words = replay.command.replace("game.html", str(tmp_path / "b.html")).split()
    assert words[:2] == ["paxsim", "replay"] and run_command(words[1:]) == 0
    assert data_of((tmp_path / "b.html").read_text("utf-8"))["steps"] == story_of(replay.events)


def test_a_game_with_a_person_is_made_again_from_its_file(events, tmp_path):
    named = copy.deepcopy(events)
    named[0]["policies"][0] = "person"
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(f"{json.dumps(event)}\n" for event in named))
    assert Replay.read(path).command == f"paxsim replay {path} --out game.html"


def test_a_file_of_several_games_needs_a_number(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    assert run_command(["trace", "--players", "2", "--games", "3", "--out", str(path)]) == 0
    said = mistake(capsys, "replay", path, "--out", tmp_path / "no.html")
    assert "found 3 games; allowed: --number 1 to 3" in said
    assert "number: found 4" in mistake(capsys, "replay", path, "--number", 4)
    assert "number: found 0" in mistake(capsys, "replay", path, "--number", 0)
    out = tmp_path / "two.html"
    assert run_command(["replay", str(path), "--number", "2", "--out", str(out)]) == 0
    wanted = list(trace_game(paxsim.make_setting(2), paxsim.make_lineup("random", 2), 0, 1, 0))
    assert data_of(out.read_text("utf-8"))["steps"] == story_of(wanted)
    assert not (tmp_path / "no.html").exists()


def test_a_game_of_a_run_is_watched_by_its_number(tmp_path, capsys):
    run = ["--players", "2", "--policies", "random,first", "--seed", "3", "--games", "40"]
    assert run_command(["run", *run, "--jobs", "1", "--out", str(tmp_path / "run")]) == 0
    out = tmp_path / "game.html"
    assert run_command(["replay", str(tmp_path / "run"), "--game", "7", "--out", str(out)]) == 0
    data = data_of(out.read_text("utf-8"))
    capsys.readouterr()
    assert run_command(["trace", "--run", str(tmp_path / "run"), "--game", "7"]) == 0
    traced = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert data["steps"] == story_of(traced)
    assert data["head"]["command"].endswith(f"run --game 7 --out {out}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.jsonl"], "trace: cannot read missing.jsonl"),
        (["--number", "2"], "number: found 2 with no trace"),
        (["--game", "2"], "game: found 2 with no run"),
        (["{trace}", "--game", "2"], "game: found 2 with a trace"),
        (["{trace}", "--seed", "2"], "seed: found 2 with a trace"),
        (["--players", "9"], "players: found 9"),
        (["{trace}", "--out", "/nowhere/at/all.html"], "out: cannot write"),
    ],
)
def test_what_makes_no_sense_together_is_refused(arguments, said, events, tmp_path, capsys):
    trace = tmp_path / "game.jsonl"
    trace.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    words = [str(trace) if word == "{trace}" else word for word in arguments]
    assert said in mistake(capsys, "replay", *words)


# --- traces that are broken, or foul --------------------------------------------------------


def first(events, name):
    return next(event for event in events if event["event"] == name)


def wrong_card(event):
    event["card"] = "land/9/9"


#: What is done to a trace, and what is then said of it.
FOUL = {
    "a card from nowhere": (lambda e: wrong_card(first(e, "play")), "not in the hand of seat"),
    "a card not drawn": (lambda e: wrong_card(first(e, "place")), "not in what was drawn"),
    "another card drawn": (lambda e: first(e, "reveal").update(cards=["land/9/9"]), "next is"),
    "a group that is not there": (
        lambda e: first(e, "buy").update(cards=["land/9/9"]),
        "allowed: what lies below legion",
    ),
    "money that does not add up": (lambda e: first(e, "income").update(money=77), "found 77"),
    "other cards seen": (
        lambda e: first(e, "peek").update(seen=["land/9/9"] * 3),
        "allowed: Rome's hidden cards",
    ),
    "primus from another": (lambda e: first(e, "primus").update({"from": 2}), "from: found 2"),
    "a seat that there is not": (lambda e: first(e, "income").update(seat=7), "seat: found 7"),
    "a legion that there is not": (lambda e: first(e, "buy").update(legion=9), "legion: found 9"),
    "a hand that nobody has": (
        lambda e: first(e, "score")["players"][0].update(hand=["land/9/9"]),
        "allowed: the hand of seat 1",
    ),
    "no such card": (lambda e: first(e, "play").update(card="gold/1/1"), "allowed: a card such"),
    "no such event": (lambda e: first(e, "play").update(event="dance"), "event: allowed: setup"),
    "a rule that there is not": (lambda e: e[0].update(rules={"x": 1}), "rules: field"),
    "another number of legions": (lambda e: e[0].update(legions=2), "legions: found 2"),
    "too few policies": (lambda e: e[0].update(policies=["a"]), "policies: found 1"),
    "a field missing": (lambda e: first(e, "buy").pop("price"), "price: missing"),
    "the end missing": (lambda e: e.pop(), "is the last one, and not the score"),
    "something after the end": (lambda e: e.append(e[-2]), "after the score"),
    "the beginning missing": (lambda e: e.pop(0), "allowed first: 'setup'"),
    "a deck that ends early": (lambda e: e[0].update(deck=e[0]["deck"][:1]), "the deck has"),
    "nothing at all": (lambda e: e.clear(), "found no event"),
}


@pytest.mark.parametrize("what", FOUL)
def test_a_foul_trace_is_refused_in_one_line_and_nothing_is_written(what, events, tmp_path, capsys):
    spoil, said = FOUL[what]
    spoiled = copy.deepcopy(events)
    spoil(spoiled)
    path, out = tmp_path / "foul.jsonl", tmp_path / "game.html"
    path.write_text("".join(f"{json.dumps(event)}\n" for event in spoiled))
    assert said in mistake(capsys, "replay", path, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"{", b"[1]\n", b'"text"\n', b'{"event": 5}\n', b"[" * 100_000]
)
def test_what_is_no_trace_is_refused_in_one_line(content, tmp_path, capsys):
    (tmp_path / "game.jsonl").write_bytes(content)
    assert "trace: " in mistake(capsys, "replay", tmp_path / "game.jsonl")


@settings(max_examples=50)
@given(st.data())
def test_whatever_is_changed_in_a_trace_it_is_shown_or_refused(events, data):
    spoiled = copy.deepcopy(events)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(spoiled) - 1))
        how = data.draw(st.sampled_from(["drop", "twice", "swap", "field"]))
        if how == "drop" and len(spoiled) > 1:
            del spoiled[place]
        elif how == "twice":
            spoiled.insert(place, spoiled[place])
        elif how == "swap":
            other = data.draw(st.integers(0, len(spoiled) - 1))
            spoiled[place], spoiled[other] = spoiled[other], spoiled[place]
        else:
            key = data.draw(st.sampled_from(sorted(spoiled[place])))
            value = data.draw(
                st.sampled_from(
                    [None, 0, 1, 3, -1, 99, "x", [], {}, "land/1/2", ["land/1/2"], True]
                )
            )
            spoiled[place] = {**spoiled[place], key: value}
    try:
        story_of(events_of(map(json.dumps, spoiled)))
    except paxsim.PaxsimError as error:
        assert "\n" not in str(error)
