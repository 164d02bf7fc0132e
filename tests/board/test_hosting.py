"""People at the table: what they may do, what they are sent, and games that outlive a server."""

import copy
import io
import itertools
import json
import math
import random
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import referee
from support.commands import start
from support.hosted import Seat, make_host, served, wait_for_decision
from support.mistakes import mistake

import paxsim
from paxsim.board.host import Arrangement, Host, read_save
from paxsim.board.session import Session, chances, option_words
from paxsim.board.terminal import _decide, play_in_terminal
from paxsim.cards import Card
from paxsim.cli import run_command
from paxsim.engine.records import RING
from paxsim.game import Option

FORBIDDEN, BROKEN, NOT_NOW = 403, 400, 409


def play_to_the_end(host, rng, until=None):
    """Random decisions for every person; stops at the `until`-th."""
    decisions = 0
    while not host.session.over:
        if host.step():
            continue
        if decisions == until:
            return
        seat = host.session.game.seat
        decision = host.look(seat)["decision"]
        host.decide(seat, decision["number"], rng.choice(decision["options"])["index"])
        decisions += 1


# --- whole games ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "level"),
    [([None, "random"], None), (["first", None, "random", None, "first"], None), ([None], 3)],
    ids=["against one", "two among five", "solo"],
)
def test_a_finished_game_is_a_trace_that_the_referee_passes(policies, level, tmp_path):
    host = make_host(tmp_path, policies, solo_level=level)
    play_to_the_end(host, random.Random(1))
    lines = (tmp_path / "game.jsonl").read_text().splitlines()
    assert lines == list(map(json.dumps, host.session.game.events))
    assert len(referee.replay(lines)) == 1
    assert json.loads(lines[0])["policies"] == [policy or "person" for policy in policies]
    assert host.replay().page().count("Watch") == 0


def test_strategies_play_as_they_play_without_people(tmp_path):
    """A person who chooses what `first` chooses is as good as `first`."""
    host = make_host(tmp_path, [None, "weighted", "random"], seed=9)
    while not host.session.over:
        if not host.step():
            seat = host.session.game.seat
            host.decide(seat, len(host.session.taken), 0)
    result = paxsim.play("first,weighted,random", seed=9)
    totals = [p["points"]["total"] for p in host.session.game.events[-1]["players"]]
    assert totals == result.points


# --- what is sent ---------------------------------------------------------------------------


class Tracker:
    """Follows every single card of a trace, to say when a seat first sees it.

    A card is named by where it was dealt. Of equal cards in a hand nobody can tell which is played,
    so all of them count as seen.
    """

    def __init__(self, viewer, lines):
        self.viewer, self.seen = viewer, {}
        for self.time, event in enumerate(map(json.loads, lines)):
            getattr(self, event["event"], lambda event: None)(event)

    def look(self, ids):
        for one in ids:
            self.seen.setdefault(one, self.time)

    def setup(self, event):
        self.name = {
            (pile, i): card
            for pile in ("deck", "removed", "rome_hidden")
            for i, card in enumerate(event[pile])
        }
        self.deck = [("deck", i) for i in range(len(event["deck"]))]
        self.hands = {seat: [] for seat in range(1, event["players"] + 1)}
        self.rome = [("rome_hidden", i) for i in range(len(event["rome_hidden"]))]
        self.view = []

    def take(self, pile, card):
        one = next(one for one in pile if self.name[one] == card)
        pile.remove(one)
        return one

    def draw(self, seat, count):
        drawn, self.deck = self.deck[:count], self.deck[count:]
        if seat == self.viewer:
            self.look(drawn)
        return drawn

    def draft(self, event):
        drawn = self.draw(event["seat"], len(event["drawn"]))
        self.hands[event["seat"]].append(self.take(drawn, event["kept"]))
        self.deck += drawn

    def refill(self, event):
        self.look(self.deck[: len(event["cards"])])
        del self.deck[: len(event["cards"])]

    def peek(self, event):
        if event["seat"] == self.viewer:
            self.look(self.rome)

    def reveal(self, event):
        self.view += self.draw(event["seat"], len(event["cards"]))

    def place(self, event):
        one = self.take(self.view, event["card"])
        if event["to"] == "hand":
            self.hands[event["seat"]].append(one)
        elif event["to"] == "bottom":
            self.deck.append(one)
        else:
            self.look([one])

    def play(self, event):
        hand = self.hands[event["seat"]]
        alike = [one for one in hand if self.name[one] == event["card"]]
        self.look(alike)
        if alike:  # bought cards are not followed: they were seen before
            hand.remove(alike[0])

    react = play

    def score(self, event):
        self.look(self.rome + [one for hand in self.hands.values() for one in hand])


def swap_cards(game, one, other):
    """Exchange two cards of a game that was just dealt, where nobody has seen them."""
    record, setup = game.record, game.events[0]
    hidden, top = record["hidden"], int(record["table"]["deck_top"])
    drafted = int(game.choice["drawn_count"])
    for (pile, i), card in ((one, setup[other[0]][other[1]]), (other, setup[one[0]][one[1]])):
        code = Card(*(part if not part.isdecimal() else int(part) for part in card.split("/"))).code
        if pile == "deck":
            hidden["deck"][(top - drafted + i) % RING] = code
        else:
            hidden[pile][i] = code
    names = copy.deepcopy(setup)
    names[one[0]][one[1]], names[other[0]][other[1]] = (
        setup[other[0]][other[1]],
        setup[one[0]][one[1]],
    )
    game.events[0] = names
    symbols = hidden["rome_hidden_symbols"]
    symbols[:] = 0
    for card in names["rome_hidden"]:
        category, count, _ = card.split("/")
        symbols[paxsim.CATEGORIES.index(category)] += int(count)


def story_sent(host, viewer, options):
    """The bytes that a browser at a seat is sent after every decision, and the trace's length."""
    sent, epoch, since = [], "", 0
    for option in [*options, None]:
        told = host.look(viewer, epoch, since)
        epoch, since = told["epoch"], told["from"] + len(told["steps"])
        sent.append((len(host.session.game.events), json.dumps(told).encode()))
        if option is not None:
            host.decide(host.session.game.seat, len(host.session.taken), option)
    return sent


def test_cards_that_a_seat_has_not_seen_change_no_byte_that_it_is_sent(tmp_path):
    """Two such cards are exchanged in the deal, and the same is decided: nothing may differ.

    Only cards that nobody needs land or intrigue for, so that rivals have the same options.
    """
    people = [None, None, None]
    first = make_host(tmp_path, people, seed=21, name="first")
    play_to_the_end(first, random.Random(4))
    options, lines = list(first.session.taken), list(map(json.dumps, first.session.game.events))
    plain = story_sent(make_host(tmp_path, people, seed=21, name="plain"), 1, options)
    tracker = Tracker(1, lines)
    drafted = len(json.loads(lines[1])["drawn"])
    movable = {pile: [] for pile in ("deck", "removed", "rome_hidden")}
    for one, card in tracker.name.items():
        if not card.startswith(("fleet", "army")) and (one[0] != "deck" or one[1] >= drafted):
            movable[one[0]].append(one)
    rng = random.Random(7)
    messages = 0
    for number, piles in enumerate(3 * list(itertools.combinations_with_replacement(movable, 2))):
        one, other = (rng.choice(movable[pile]) for pile in piles)
        if tracker.name[one] == tracker.name[other]:
            continue
        world = make_host(tmp_path, people, seed=21, name=f"world{number}")
        swap_cards(world.session.game, one, other)
        world.session._tell_anew()
        unseen_until = min(tracker.seen.get(card, len(lines)) for card in (one, other))
        usable = [i for i, (told, _) in enumerate(plain) if told <= unseen_until]
        sent = story_sent(world, 1, options[: usable[-1]])
        assert [data for _, data in sent] == [plain[i][1] for i in usable], (one, other)
        messages += len(usable)
    assert messages > 400


def test_a_card_that_a_seat_sees_does_change_what_it_is_sent(tmp_path):
    """The test above can fail: cards that lie open from the start are told."""
    hosts = [make_host(tmp_path, [None, None], seed=2, name=name) for name in "ab"]
    setup = hosts[1].session.game.events[0]
    drawn = 2 + 3  # by both drafts; what comes next lies below the legions
    other = next(i for i in range(20, 40) if setup["deck"][i] != setup["deck"][drawn])
    swap_cards(hosts[1].session.game, ("deck", drawn), ("deck", other))
    hosts[1].session._tell_anew()
    sent = [story_sent(host, 1, [0, 0]) for host in hosts]
    assert sent[0][0] == sent[1][0] and sent[0][-1] != sent[1][-1]


def test_every_byte_over_the_wire_is_what_the_table_says(tmp_path):
    """Page, states and refusals hold nothing besides `Host.look`, which is tested above."""
    with served(lambda: make_host(tmp_path, [None, "random"], seed=8)) as (seats, _):
        browser = seats[1]
        twin = make_host(tmp_path, [None, "random"], seed=8, name="twin")
        _, page = browser.ask(f"/{browser.token}/")
        with served(lambda: make_host(tmp_path, [None, "first"], seed=9, name="other")) as (
            others,
            _,
        ):
            assert page == others[1].ask(f"/{others[1].token}/")[1], "a page depends on the game"
        rng = random.Random(2)
        while not twin.session.over:
            if twin.step():
                continue
            told = wait_for_decision(browser)
            del told["last"]
            assert told == twin.look(1)
            option = rng.choice(told["decision"]["options"])["index"]
            for decide in (browser.choose, lambda *a: twin.decide(1, *a)):
                decide(told["decision"]["number"], option)
        assert wait_for_decision(browser)["over"]
        assert b'"seed"' not in b"".join(browser.sent)


# --- what is refused ------------------------------------------------------------------------


def test_what_is_refused_leaves_the_game_as_it_was(tmp_path):
    with served(lambda: make_host(tmp_path, [None, None, "random"])) as (seats, _):
        me, rival = seats[1], seats[2]
        before = me.state()
        number = before["decision"]["number"]
        act = f"/{me.token}/act"
        stranger = Seat(me.port, "x" * len(me.token))
        refusals = {
            "token: unknown": (FORBIDDEN, stranger.ask(f"/{stranger.token}/state")),
            "token: unknown; allowed": (FORBIDDEN, stranger.ask(f"/{stranger.token}/", None)),
            "this link is for seat 1": (FORBIDDEN, me.ask(f"/{me.token}/state?seat=2")),
            "link is for seat 1; allowed": (
                FORBIDDEN,
                me.ask(act, {"act": "choose", "seat": 2, "decision": 0, "option": 0}),
            ),
            "option: found 99": (
                NOT_NOW,
                me.ask(act, dict(act="choose", decision=number, option=99)),
            ),
            "option: found 'x'": (
                NOT_NOW,
                me.ask(act, dict(act="choose", decision=number, option="x")),
            ),
            "seat: seat 1 decides now": (
                NOT_NOW,
                rival.ask(f"/{rival.token}/act", dict(act="choose", decision=number, option=0)),
            ),
            "that one is past": (NOT_NOW, me.ask(act, dict(act="choose", decision=7, option=0))),
            "decision: allowed": (BROKEN, me.ask(act, dict(act="choose", option=0))),
            "act: allowed": (BROKEN, me.ask(act, {"act": "cheat"})),
            "a JSON object": (BROKEN, me.ask(act, b"{not json")),
            "allowed: a JSON object": (BROKEN, me.ask(act, b"[" * 4000)),
            "at most 4096 bytes": (BROKEN, me.ask(act, b" " * 5000)),
            "since: allowed": (BROKEN, me.ask(f"/{me.token}/state?since=-1")),
            "undo: found nothing": (NOT_NOW, me.ask(act, {"act": "undo"})),
            "next: allowed": (NOT_NOW, me.ask(act, {"act": "next"})),
            "hint: allowed": (NOT_NOW, rival.ask(f"/{rival.token}/act", {"act": "hint"})),
            "replay: the game goes on": (NOT_NOW, me.ask(f"/{me.token}/replay")),
            "there is nothing here": (404, me.ask("/")),
            "is nothing here": (405, me.ask(f"/{me.token}/state", {}, method="DELETE")),
        }
        for said, (status, (found, content)) in refusals.items():
            assert found == status and said in json.loads(content)["error"], (said, content)
        status, _ = me.ask(f"/{me.token}/state", Host="evil.example")
        assert status == 400
        assert me.state() == before
        assert me.choose(number, 0)[0] == 200
        assert wait_for_decision(rival)["decision"]["number"] > number


def test_an_answer_to_a_decision_that_is_past_is_refused(tmp_path):
    host = make_host(tmp_path, [None, None])
    host.decide(1, 0, 0)
    for number in (0, 2):
        with pytest.raises(paxsim.PaxsimError, match="decision: that one is past"):
            host.decide(2, number, 0)
    host.decide(2, 1, 0)


@pytest.mark.parametrize(
    ("option", "decision", "words"),
    [
        (Option("buy", to=2), "buy", "Buy legion II for 5"),
        (Option("pass"), "buy", "Buy nothing"),
        (Option("pass"), "react", "Do not answer"),
        (Option("stop"), "play", "Play no card"),
        (Option("place", Card("land", 2, 4), 3), "place", "land 2/4 below legion III"),
    ],
)
def test_an_option_is_said_with_the_price_of_its_group_or_what_is_left_undone(
    option, decision, words
):
    assert option_words(option, decision, 0, {"prices": [3, 5, 7]}) == words


def test_the_server_listens_on_this_machine_only(tmp_path):
    with served(lambda: make_host(tmp_path, [None, "random"])) as (seats, _):
        assert seats[1].base.startswith("http://127.0.0.1:")
        status, page = seats[1].ask(f"/{seats[1].token}/")
        assert status == 200 and b"connect-src 'self'" in page


def test_tokens_can_not_be_guessed(tmp_path):
    with served(lambda: make_host(tmp_path, [None, None])) as (seats, _):
        tokens = {seat.token for seat in seats.values()}
        assert len(tokens) == 2 and all(len(token) == 24 for token in tokens)


def test_a_strategy_that_fails_stops_the_game_and_the_deal_stays_secret(tmp_path, monkeypatch):
    def fail(self):
        raise paxsim.PaxsimError("policy x failed; to see this game: --seed 4711")

    monkeypatch.setattr(Session, "ask_strategy", fail)
    with served(lambda: make_host(tmp_path, ["random", None])) as (seats, said):
        told = seats[2].state()
        while not told["failed"]:
            told = seats[2].state(f"?epoch={told['epoch']}&since=0&last={told['last']}")
        assert said == ["policy x failed; to see this game: --seed 4711"]
        assert b"4711" not in b"".join(seats[2].sent)


# --- taking back ----------------------------------------------------------------------------


def test_what_is_taken_back_and_decided_again_is_the_same_game(tmp_path):
    one = make_host(tmp_path, [None, "random", "weighted"], name="one")
    play_to_the_end(one, random.Random(3))
    other = make_host(tmp_path, [None, "random", "weighted"], name="other")
    rng = random.Random(5)
    taken = list(one.session.taken)
    while not other.session.over:
        if other.step():
            continue
        number = len(other.session.taken)
        if rng.random() < 0.3:
            other.decide(1, number, rng.choice(other.look(1)["decision"]["options"])["index"])
            while other.step():
                pass
            if other.session.over:
                other = make_host(tmp_path, [None, "random", "weighted"], name=f"again{number}")
                continue
            epoch = other.epoch
            other.undo(1)
            assert len(other.session.taken) == number and other.epoch != epoch
            assert other.look(1, epoch, 5)["from"] == 0, "an old story goes on"
        other.decide(1, number, taken[number])
    assert other.session.game.events == one.session.game.events


def test_nobody_takes_back_what_another_person_has_seen(tmp_path):
    host = make_host(tmp_path, [None, None])
    host.decide(1, 0, 0)
    assert host.look(1)["can_undo"]
    host.decide(2, 1, 0)
    assert not host.look(1)["can_undo"]
    with pytest.raises(paxsim.PaxsimError, match="undo: found nothing of seat 1"):
        host.undo(1)


# --- games that go on -----------------------------------------------------------------------


@pytest.mark.parametrize("until", [0, 1, 9, None])
def test_a_saved_game_goes_on_where_it_was(until, tmp_path):
    policies = ["weighted", None, "random"]
    host = make_host(tmp_path, policies)
    play_to_the_end(host, random.Random(6), until)
    arrangement, games = read_save(tmp_path / "game.json")
    assert arrangement == host.arrangement
    again = make_host(tmp_path, policies, games=games)
    while again.step():
        pass
    assert again.look(2) == host.look(2)
    assert again.session.can_undo(2) == host.session.can_undo(2)
    play_to_the_end(again, random.Random(7))
    play_to_the_end(host, random.Random(7))
    assert again.session.game.events == host.session.game.events


@pytest.mark.whole
def test_killing_the_server_loses_nothing(tmp_path):
    """A process of its own is killed without warning, and another one goes on."""

    def link_of(process):
        for line in process.stdout:
            if line.startswith("seat 1: "):
                return Seat(int(line.split(":")[3].split("/")[0]), line.split("/")[-2])
        raise AssertionError(process.stderr.read())

    words = ["play", "--players", "2", "--policies", "random", "--seed", "5", "--save", "my.json"]
    process = start(*words, cwd=tmp_path)
    try:
        browser = link_of(process)
        for _ in range(6):
            told = wait_for_decision(browser)
            assert browser.choose(told["decision"]["number"], 0)[0] == 200
        told = wait_for_decision(browser)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    process = start("play", "--resume", "my.json", cwd=tmp_path)
    try:
        again = wait_for_decision(link_of(process))
        for part in ("steps", "decision", "can_undo", "head"):
            assert again[part] == told[part]
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "paxsim play --resume my.json" in out and err == ""


def test_a_save_that_does_not_fit_is_refused(tmp_path, capsys):
    host = make_host(tmp_path, [None, "random"])
    play_to_the_end(host, random.Random(6), 5)
    path = tmp_path / "game.json"
    good = json.loads(path.read_text())
    spoil = {
        "is damaged; allowed": b"{",
        "format: found 'x'": {**good, "format": "x"},
        "arrangement.seed: found -1": {**good, "arrangement": {**good["arrangement"], "seed": -1}},
        "games: found none": {**good, "games": []},
        "differs from what was saved": {
            **good, "arrangement": {**good["arrangement"], "policies": [None, "first"]}
        },
        "unknown policy 'nobody'": {
            **good, "arrangement": {**good["arrangement"], "policies": [None, "nobody"]}
        },
        "option: found 77": {**good, "games": [[77]]},
        "found one too many": {**good, "games": [*good["games"], []]},
        "has other cards": {**good, "deck_fingerprint": "0"},
    }  # fmt: skip
    for said, content in spoil.items():
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        assert said in mistake(capsys, "play", "--resume", path, "--terminal")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seat", "5"], "seat: found 5"),
        (["--seat", "1,1"], "seat: found 1,1; allowed: each seat once"),
        (["--seat", "x"], "seat: found 'x'"),
        (["--players", "4", "--policies", "random,first"], "policies: found 2 for 3 seats"),
        (
            ["--policies", "random,first", "--seat", "9"],
            "seat must be between 1 and 3, got 9",
        ),
        (["--players", "2", "--seat", "1,2", "--policies", "first"], "with no seat left"),
        (
            ["--policies", ",".join(["first"] * 8)],
            "policies: found 8; allowed beside 1 seat of people: at most 7",
        ),
        (
            ["--policies", ",".join(["first"] * 7), "--seat", "1,3"],
            "policies: found 7; allowed beside 2 seats of people: at most 6",
        ),
        (["--campaign", "--players", "2"], "campaign: found 2 players"),
        (["--port", "70000"], "port: found 70000"),
        (["--resume", "missing.json"], "save: cannot read missing.json"),
        (["--resume", "missing.json", "--seed", "4"], "seed: found with --resume"),
        (["--save", "{there}"], "is there already; allowed: another name, or --resume"),
        (["--out", "{there}", "--save", "new.json"], "is there already; allowed: another name"),
        (["--out", "a.json", "--save", "a.json"], "allowed: two names"),
        (["--out", "nowhere/a.jsonl"], "out: cannot write nowhere/a.jsonl: No such file"),
        (["--out", "."], "out: . is a folder; allowed: the name of a file"),
        (["--policies", "nobody"], "unknown policy 'nobody'"),
    ],
)
def test_an_arrangement_that_makes_no_sense_is_refused(words, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.txt").write_text("mine")
    words = [word.replace("{there}", "there.txt") for word in words]
    assert said in mistake(capsys, "play", *words, "--terminal")
    assert (tmp_path / "there.txt").read_text() == "mine"


# --- solo, and the campaign -----------------------------------------------------------------


def options_of(policy, level, seed, deal):
    """What a strategy decides in a solo game, and whether it wins."""
    session = Session(
        paxsim.make_setting(solo_level=level), [paxsim.get_policy(policy)], seed, deal
    )
    while not session.over:
        session.ask_strategy()
    return session.taken, not session.game.result()["rome_wins"]


def test_a_campaign_goes_from_level_to_level_until_one_is_lost(tmp_path):
    """The person decides as `hermit` does, from a seed with which it wins twice, then loses."""
    for seed in range(400):
        played = [options_of("hermit", level, seed, level - 1) for level in (1, 2, 3)]
        if [won for _, won in played] == [True, True, False]:
            break
    host = make_host(tmp_path, [None], seed=seed, solo_level=1, campaign=True)
    for level, (options, won) in enumerate(played, start=1):
        assert host.look(1)["head"]["solo_level"] == level
        for option in options:
            host.decide(1, len(host.session.taken), option)
        assert host.session.over and host.look(1)["next_level"] == won
        again = make_host(
            tmp_path, [None], seed, "game", read_save(tmp_path / "game.json")[1],
            solo_level=1, campaign=True,
        )  # fmt: skip
        assert again.look(1) == host.look(1)
        if won:
            host.next_level()
    with pytest.raises(paxsim.PaxsimError, match="after a level that was won"):
        host.next_level()
    games = referee.replay(tmp_path / "game.jsonl")
    assert len(games) == 3


@pytest.mark.parametrize(
    ("level", "rome_wins", "goes_on"), [(4, False, True), (4, True, False), (5, False, False)]
)
def test_a_campaign_ends_with_a_defeat_or_with_the_last_level(level, rome_wins, goes_on):
    game = SimpleNamespace(result=lambda: {"rome_wins": rome_wins})
    session = SimpleNamespace(over=True, game=game, setting=SimpleNamespace(solo_level=level))
    assert Arrangement([None], 1, solo_level=1, campaign=True).goes_on(session) is goes_on


# --- hints, and the terminal ----------------------------------------------------------------


def test_a_hint_says_the_chance_of_every_option_and_changes_nothing(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=1)
    play_to_the_end(host, random.Random(6), 12)
    before = host.session.game._bytes.tobytes()
    hints = host.hint(1)
    assert host.session.game._bytes.tobytes() == before
    asked = {option["index"] for option in host.look(1)["decision"]["options"]}
    assert {hint["index"] for hint in hints} == asked
    wins = [hint["win"] for hint in hints]
    assert wins == sorted(wins, reverse=True)
    assert all(
        0 <= h["win"] <= 1 and 0 <= h["error"] < 0.05 and h["rollouts"] == 200 for h in hints
    )
    assert "rollouts" in hints[0]["words"] and "%" in hints[0]["words"]


def test_more_rollouts_say_the_same_with_a_smaller_error(tmp_path):
    """Whether to peek in the middle of a game, which is worse beyond doubt."""
    host = make_host(tmp_path, [None, "random"], seed=1)
    play_to_the_end(host, random.Random(6), 25)
    assert host.session.game.decision == "turn"
    few, many = (chances(host.session.game, rollouts) for rollouts in (40, 160))
    for one, other in zip(few, many, strict=True):
        assert one.option == other.option and other.rollouts == 4 * one.rollouts
        assert abs(one.win - other.win) < 3 * math.hypot(one.error, other.error)
        assert other.error < 0.8 * one.error
    turn, peek = many
    assert (turn.option, peek.option) == (0, 1)
    assert turn.win - peek.win > 3 * math.hypot(turn.error, peek.error)


def test_a_game_in_the_terminal(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=4)
    rng, said = random.Random(1), []
    script = iter(["0", "x", "000000001999", "u", "h", ""])

    def answer(text):
        said.append(text)
        return next(script, None) or str(rng.randint(1, 2))

    play_in_terminal(host, said.append, answer)
    text = "\n".join(said)
    assert host.session.over and len(referee.replay(tmp_path / "game.jsonl")) == 1
    for answer in ("0", "x", "000000001999"):
        assert f"found '{answer}'; allowed: 1 to 2; u takes back, h asks for a hint" in text
    assert "undo: found nothing of seat 1" in text and "200 rollouts, on with" in text
    assert host.session.game.events[-1] and said[-1].startswith("Rome holds")


def test_a_trace_that_can_not_be_written_in_the_end_keeps_nobody_at_the_table(
    tmp_path, monkeypatch
):
    host = make_host(tmp_path, [None], solo_level=1)

    def on_a_full_disk():
        raise paxsim.PaxsimError("out: cannot write game.jsonl: No space left on device")

    monkeypatch.setattr(host, "_write_trace", on_a_full_disk)
    said, answers = [], itertools.repeat("1", 500)
    play_in_terminal(host, said.append, lambda text: next(answers))
    assert said[-2].endswith("No space left on device")
    assert said[-1] == "The solo game is lost, with 22 points."
    assert read_save(tmp_path / "game.json")[1] == [host.session.taken]


def test_a_trace_goes_to_what_is_no_file_without_a_look_at_it(tmp_path):
    """Whoever reads a FIFO waits for ever, and what a device says was not written before."""
    host = make_host(tmp_path, [None, "first"])
    play_to_the_end(host, random.Random(1))
    games = [host.session.taken]
    assert Host(host.arrangement, tmp_path / "a.json", Path("/dev/null"), games).session.over


def test_who_leaves_the_terminal_finds_the_game_again(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=4)
    answers = iter(["1", "1", "u", "1", "q"])
    play_in_terminal(host, lambda text: None, lambda text: next(answers))
    _, games = read_save(tmp_path / "game.json")
    again = make_host(tmp_path, [None, "random"], 4, "game", games)
    while again.step():
        pass
    assert again.look(1) | {"epoch": host.epoch} == host.look(1) and not host.session.over


def test_where_input_ends_the_game_is_left_and_it_is_said_how_to_go_on(
    tmp_path, monkeypatch, capsys
):
    kept = tmp_path / "kept.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    how = ["--players", "2", "--policies", "random", "--seed", "3", "--terminal", "--save"]
    assert run_command(["play", *how, str(kept)]) == 0
    said, complaint = capsys.readouterr()
    assert (
        f"paxsim play --resume {kept}" in said.splitlines()[-1] and "interrupted" not in complaint
    )
    assert "Draft, 51 cards in the deck." in said and "Round 0" not in said
    assert len(read_save(kept)[1]) == 1


def test_a_number_in_the_terminal_is_a_place_in_the_list_of_options():
    """Of options that can't be told apart one is listed, so the last may have any index."""
    taken = []
    host = SimpleNamespace(decide=lambda *decided: taken.append(decided))
    options = [{"index": index, "words": ""} for index in (0, 3)]
    decision = {"asked": "Which?", "number": 5, "options": options}
    assert _decide(host, 1, decision, lambda text: None, lambda text: "2")
    assert taken == [(1, 5, 3)]


def test_several_people_at_one_terminal_are_asked_to_look_away(tmp_path):
    host = make_host(tmp_path, [None, None], seed=4)
    asked = []

    def answer(text):
        asked.append(text)
        return "q" if len(asked) > 8 else "1"

    play_in_terminal(host, lambda text: None, answer)
    assert "Seat 1 decides. Press Enter when only seat 1 is looking. " in asked
    assert "Seat 2 decides. Press Enter when only seat 2 is looking. " in asked


def test_nobody_at_the_table_is_no_game():
    with pytest.raises(paxsim.PaxsimError, match="at least one seat for a person"):
        Arrangement(["random", "first"], 1)
