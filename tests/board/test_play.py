"""Games with people: sessions, the server, saves, campaigns and the terminal."""

import copy
import io
import itertools
import json
import random
import signal
import socket
import time
from types import SimpleNamespace

import pytest
from support.board_server import SeatClient, make_host, serve, wait_for_decision
from support.commands import mistake, start

import paxsim
from paxsim.board.server import ADDRESS, BAD_REQUEST, CONFLICT, FORBIDDEN
from paxsim.board.session import Session, option_text, read_save
from paxsim.board.terminal import _decide, play_in_terminal
from paxsim.cards import Card
from paxsim.cli import run_command
from paxsim.engine.records import RING
from paxsim.game import Option


def play_to_the_end(host, rng, until=None):
    """Make random decisions for every person; stop before the `until`-th."""
    decisions = 0
    while not host.session.over:
        if host.step():
            continue
        if decisions == until:
            return
        seat = host.session.game.seat
        decision = host.state(seat)["decision"]
        host.decide(seat, decision["number"], rng.choice(decision["options"])["index"])
        decisions += 1


def without_version(state):
    return {key: value for key, value in state.items() if key != "version"}


# --- whole games ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "level"),
    [([None, "random"], None), (["first", None, "random", None, "first"], None), ([None], 3)],
    ids=["against one", "two among five", "solo"],
)
def test_finished_game_is_written_as_a_trace(policies, level, tmp_path):
    host = make_host(tmp_path, policies, solo_level=level)
    play_to_the_end(host, random.Random(1))
    lines = (tmp_path / "game.jsonl").read_text().splitlines()
    assert lines == list(map(json.dumps, host.session.game.events))
    assert json.loads(lines[-1])["event"] == "score"
    assert json.loads(lines[0])["policies"] == [policy or "person" for policy in policies]
    assert host.replay().events == host.session.game.events


def test_person_is_asked_for_the_order_of_draft_cards_under_the_deck(tmp_path):
    host = make_host(tmp_path, ["first", None], seed=4, rules={"draft_to_bottom": "chosen"})
    play_to_the_end(host, random.Random(1), 1)
    decision = host.state(2)["decision"]
    assert decision["question"] == "Which card goes under the deck next?"
    assert [" under the deck" in option["text"] for option in decision["options"]] == [True] * 2


def test_policies_play_as_they_do_without_people(tmp_path):
    """A person who chooses what `first` chooses gets the points of `first`."""
    host = make_host(tmp_path, [None, "weighted", "random"], seed=9)
    while not host.session.over:
        if not host.step():
            seat = host.session.game.seat
            host.decide(seat, len(host.session.options), 0)
    result = paxsim.play("first,weighted,random", seed=9)
    totals = [p["points"]["total"] for p in host.session.game.events[-1]["players"]]
    assert totals == result.points


# --- what is sent ---------------------------------------------------------------------------


class Tracker:
    """Follows every card of a trace, to say when a seat first sees it.

    A card is named by where it was dealt. Of equal cards in a hand it is unknown which one is
    played, so all of them count as seen.
    """

    def __init__(self, viewer, lines):
        self.viewer, self.seen = viewer, {}
        for self.time, event in enumerate(map(json.loads, lines)):
            getattr(self, event["event"], lambda event: None)(event)

    def look(self, cards):
        for card in cards:
            self.seen.setdefault(card, self.time)

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

    def take(self, pile, name):
        card = next(card for card in pile if self.name[card] == name)
        pile.remove(card)
        return card

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
        card = self.take(self.view, event["card"])
        if event["to"] == "hand":
            self.hands[event["seat"]].append(card)
        elif event["to"] == "bottom":
            self.deck.append(card)
        else:
            self.look([card])

    def play(self, event):
        hand = self.hands[event["seat"]]
        equal = [card for card in hand if self.name[card] == event["card"]]
        self.look(equal)
        if equal:  # bought cards are not followed: they were seen before
            hand.remove(equal[0])

    react = play

    def score(self, event):
        self.look(self.rome + [card for hand in self.hands.values() for card in hand])


def swap_cards(game, one, other):
    """Exchange two cards of a game that was just dealt, before they are seen."""
    record, setup = game.record, game.events[0]
    hidden, top = record["hidden"], int(record["table"]["deck_top"])
    drafted = int(game.choice["drawn_count"])
    names = copy.deepcopy(setup)
    for (pile, i), (source, j) in ((one, other), (other, one)):
        card = setup[source][j]
        names[pile][i] = card
        category, *numbers = card.split("/")
        code = Card(category, *map(int, numbers)).code
        if pile == "deck":
            hidden["deck"][(top - drafted + i) % RING] = code
        else:
            hidden[pile][i] = code
    game.events[0] = names
    symbols = hidden["rome_hidden_symbols"]
    symbols[:] = 0
    for card in names["rome_hidden"]:
        category, count, _ = card.split("/")
        symbols[paxsim.CATEGORIES.index(category)] += int(count)


def states_sent(host, viewer, options):
    """Return what a seat is sent after every decision, as bytes, and the length of the trace."""
    sent = []
    for option in [*options, None]:
        sent.append((len(host.session.game.events), json.dumps(host.state(viewer)).encode()))
        if option is not None:
            host.decide(host.session.game.seat, len(host.session.options), option)
    return sent


def test_unseen_cards_change_no_byte_that_a_seat_is_sent(tmp_path):
    """Exchange two cards in the deal and decide the same: the seat must be sent the same.

    Only cards without land and intrigue are exchanged, so that rivals have the same options.
    """
    people = [None, None, None]
    game = make_host(tmp_path, people, seed=21, name="first")
    play_to_the_end(game, random.Random(4))
    options, lines = list(game.session.options), list(map(json.dumps, game.session.game.events))
    plain = states_sent(make_host(tmp_path, people, seed=21, name="plain"), 1, options)
    tracker = Tracker(1, lines)
    drafted = len(json.loads(lines[1])["drawn"])
    movable = {pile: [] for pile in ("deck", "removed", "rome_hidden")}
    for card, name in tracker.name.items():
        if not name.startswith(("fleet", "army")) and (card[0] != "deck" or card[1] >= drafted):
            movable[card[0]].append(card)
    rng = random.Random(7)
    messages = 0
    for number, piles in enumerate(itertools.combinations_with_replacement(movable, 2)):
        one, other = (rng.choice(movable[pile]) for pile in piles)
        if tracker.name[one] == tracker.name[other]:
            continue
        world = make_host(tmp_path, people, seed=21, name=f"world{number}")
        swap_cards(world.session.game, one, other)
        unseen_until = min(tracker.seen.get(card, len(lines)) for card in (one, other))
        usable = [i for i, (length, _) in enumerate(plain) if length <= unseen_until]
        sent = states_sent(world, 1, options[: usable[-1]])
        assert [data for _, data in sent] == [plain[i][1] for i in usable], (one, other)
        messages += len(usable)
    assert messages > 130


def test_seen_cards_change_what_a_seat_is_sent(tmp_path):
    """Check that the test above can fail: cards that lie open from the start are sent."""
    hosts = [make_host(tmp_path, [None, None], seed=2, name=name) for name in "ab"]
    deck = hosts[1].session.game.events[0]["deck"]
    drawn = 2 + 3  # by both drafts; the next card lies below a legion
    other = next(i for i in range(20, 40) if deck[i] != deck[drawn])
    swap_cards(hosts[1].session.game, ("deck", drawn), ("deck", other))
    sent = [states_sent(host, 1, [0, 0]) for host in hosts]
    assert sent[0][0] == sent[1][0] and sent[0][-1] != sent[1][-1]


def test_server_sends_the_state_of_the_host_and_nothing_else(tmp_path):
    """Compare every state with `Host.state`, which is tested above."""
    with (
        serve(lambda: make_host(tmp_path, [None, "random"], seed=8)) as (seats, _),
        serve(lambda: make_host(tmp_path, [None, "first"], seed=9, name="other")) as (others, _),
    ):
        client = seats[1]
        twin = make_host(tmp_path, [None, "random"], seed=8, name="twin")
        page = client.ask(f"/{client.token}/")
        assert page == others[1].ask(f"/{others[1].token}/"), "the page depends on the game"
        rng = random.Random(2)
        while not twin.session.over:
            if twin.step():
                continue
            state = wait_for_decision(client)
            assert state == twin.state(1)
            option = rng.choice(state["decision"]["options"])["index"]
            for decide in (client.choose, lambda *a: twin.decide(1, *a)):
                decide(state["decision"]["number"], option)
        assert wait_for_decision(client)["over"]
        assert b'"seed"' not in b"".join(client.sent)


def test_state_waits_for_a_change(tmp_path, monkeypatch):
    monkeypatch.setattr("paxsim.board.server.PATIENCE", 0.3)
    with serve(lambda: make_host(tmp_path, [None, None])) as (seats, _):
        state = seats[1].state()
        assert seats[1].state(state["version"]) == state
        assert seats[2].choose(0, 0)[0] == CONFLICT
        assert seats[1].choose(0, 0)[0] == 200
        assert seats[1].state(state["version"])["version"] != state["version"]


# --- what is refused ------------------------------------------------------------------------


def test_refused_requests_leave_the_game_as_it_was(tmp_path):
    with serve(lambda: make_host(tmp_path, [None, None, "random"])) as (seats, _):
        me, rival = seats[1], seats[2]
        assert me.base.startswith("http://127.0.0.1:") and me.token != rival.token
        assert len(me.token) == len(rival.token) == 24
        before = me.state()
        number = before["decision"]["number"]
        act, rivals_act = f"/{me.token}/act", f"/{rival.token}/act"
        stranger = "x" * len(me.token)
        choice = {"act": "choose", "decision": number, "option": 0}
        foreign = "http://evil.example", "null", f"http://127.0.0.1:{me.port + 1}", me.base[:-1]
        refused = [
            (FORBIDDEN, me.ask(f"/{stranger}/state")),
            (FORBIDDEN, me.ask(f"/{stranger}/")),
            (FORBIDDEN, me.ask(f"/{stranger}/act", choice)),
            (CONFLICT, me.ask(act, choice | {"option": 99})),
            (CONFLICT, me.ask(act, choice | {"option": "x"})),
            (CONFLICT, rival.ask(rivals_act, choice)),
            (CONFLICT, me.ask(act, choice | {"decision": 7})),
            (BAD_REQUEST, me.ask(act, {"act": "choose", "option": 0})),
            (BAD_REQUEST, me.ask(act, {"act": "cheat"})),
            (BAD_REQUEST, me.ask(act, b"{not json")),
            (BAD_REQUEST, me.ask(act, b"[" * 4000)),
            (BAD_REQUEST, me.ask(act, b" " * 5000)),
            (CONFLICT, me.ask(act, {"act": "undo"})),
            (CONFLICT, me.ask(act, {"act": "next"})),
            (CONFLICT, rival.ask(rivals_act, {"act": "hint"})),
            (CONFLICT, me.ask(f"/{me.token}/replay")),
            *((FORBIDDEN, me.ask(act, choice, Origin=origin)) for origin in foreign),
            (FORBIDDEN, me.ask(f"/{me.token}/state", Origin=foreign[0])),
            (404, me.ask("/")),
            (405, me.ask(f"/{me.token}/state", {}, method="DELETE")),
        ]
        for case, (expected, (status, content)) in enumerate(refused):
            message = json.loads(content)["error"]
            assert status == expected and message and "\n" not in message, (case, content)
        status, _ = me.ask(f"/{me.token}/state", Host="evil.example")
        assert status == 400
        assert me.state() == before
        assert me.ask(act, choice, Origin=f"http://{ADDRESS}:{me.port}")[0] == 200
        assert wait_for_decision(rival)["decision"]["number"] > number


def test_closed_connection_is_no_error(tmp_path, capsys):
    with serve(lambda: make_host(tmp_path, [None, "random"])) as (seats, reported):
        before = seats[1].state()
        for request in (f"POST /{seats[1].token}/act", f"GET /{seats[1].token}/state?version=1"):
            with socket.create_connection((ADDRESS, seats[1].port)) as connection:
                head = f"{request} HTTP/1.1\r\nHost: {ADDRESS}\r\nContent-Length: 99\r\n\r\n{{"
                connection.sendall(head.encode())
                time.sleep(0.1)  # the request is being read
        assert seats[1].state() == before and reported == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("option", "decision", "text"),
    [
        (Option("buy", to=2), "buy", "Buy legion II for 5"),
        (Option("pass"), "buy", "Buy nothing"),
        (Option("pass"), "react", "Do not react"),
        (Option("stop"), "play", "Play no card"),
        (Option("react", Card("land", 2, 4)), "react", "Play land 2/4 for 1"),
        (Option("place", Card("land", 2, 4), "bottom"), "place", "Put land 2/4 under the deck"),
        (Option("place", Card("land", 2, 4), 3), "place", "Put land 2/4 below legion III"),
    ],
)
def test_option_as_text(option, decision, text):
    assert option_text(option, decision, 1, {"prices": [3, 5, 7]}) == text


def test_failing_policy_stops_the_game_and_the_deal_stays_secret(tmp_path, monkeypatch):
    def fail(self):
        raise paxsim.PaxsimError("policy x failed; to see this game: --seed 4711")

    monkeypatch.setattr(Session, "ask_policy", fail)
    with serve(lambda: make_host(tmp_path, ["random", None])) as (seats, reported):
        state = seats[2].state()
        while not state["failed"]:
            state = seats[2].state(state["version"])
        assert reported == ["policy x failed; to see this game: --seed 4711"]
        assert b"4711" not in b"".join(seats[2].sent)


# --- undo -----------------------------------------------------------------------------------


def test_undone_and_repeated_decisions_give_the_same_game(tmp_path):
    one = make_host(tmp_path, [None, "random", "weighted"], name="one")
    play_to_the_end(one, random.Random(3))
    other = make_host(tmp_path, [None, "random", "weighted"], name="other")
    rng = random.Random(5)
    options, undone = one.session.options, 0
    while not other.session.over:
        if other.step():
            continue
        number = len(other.session.options)
        state = other.state(1)
        if rng.random() < 0.3 and other.session.game.record["table"]["deck_left"] > 10:
            other.decide(1, number, rng.choice(state["decision"]["options"])["index"])
            while other.step():
                pass
            other.undo(1)
            undone += 1
            assert without_version(other.state(1)) == without_version(state)
            assert other.version > state["version"]
        other.decide(1, number, options[number])
    assert undone > 5 and other.session.game.events == one.session.game.events


def test_decision_before_another_persons_cannot_be_undone(tmp_path):
    host = make_host(tmp_path, [None, None])
    host.decide(1, 0, 0)
    assert host.state(1)["can_undo"]
    host.decide(2, 1, 0)
    assert not host.state(1)["can_undo"]
    with pytest.raises(paxsim.PaxsimError, match="nothing to undo"):
        host.undo(1)


# --- saves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("until", [0, 1, 9, None])
def test_saved_game_continues_where_it_was(until, tmp_path):
    policies = ["weighted", None, "random"]
    host = make_host(tmp_path, policies)
    play_to_the_end(host, random.Random(6), until)
    arrangement, games = read_save(tmp_path / "game.json")
    assert arrangement == host.arrangement
    again = make_host(tmp_path, policies, games=games)
    while again.step():
        pass
    assert without_version(again.state(2)) == without_version(host.state(2))
    play_to_the_end(again, random.Random(7))
    play_to_the_end(host, random.Random(7))
    assert again.session.game.events == host.session.game.events


@pytest.mark.whole
def test_killing_the_server_loses_nothing(tmp_path):
    """Kill the process without warning; another one continues."""

    def link_of(process):
        for line in process.stdout:
            if line.startswith("seat 1: "):
                return SeatClient(int(line.split(":")[3].split("/")[0]), line.split("/")[-2])
        raise AssertionError(process.stderr.read())

    words = ["play", "--players", "2", "--policies", "random", "--seed", "5", "--save", "my.json"]
    process = start(*words, cwd=tmp_path)
    try:
        client = link_of(process)
        for _ in range(6):
            state = wait_for_decision(client)
            assert client.choose(state["decision"]["number"], 0)[0] == 200
        state = wait_for_decision(client)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    process = start("play", "--resume", "my.json", cwd=tmp_path)
    try:
        assert without_version(wait_for_decision(link_of(process))) == without_version(state)
    finally:
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "paxsim play --resume my.json" in out and err == ""


def test_damaged_save_is_refused_in_one_line(tmp_path, capsys):
    host = make_host(tmp_path, [None, "random"])
    play_to_the_end(host, random.Random(6), 5)
    path, code = tmp_path / "game.json", tmp_path / "evil.py"
    code.write_text(f"open({str(tmp_path / 'imported')!r}, 'w')")
    good = json.loads(path.read_text())

    def arranged(**changes):
        return {**good, "arrangement": {**good["arrangement"], **changes}}

    cases = {
        "damaged": [b"{", {**good, "games": 5}, {"format": good["format"]}, arranged(x=1)],
        "format 'x'": [{**good, "format": "x"}],
        "seed": [arranged(seed=-1)],
        "solo-level": [arranged(policies=[None], campaign=True, solo_level=[1])],
        "dictionary": [arranged(rules="mine.toml")],
        "decision": [arranged(policies=[None, "first"])],
        "unknown policy": [arranged(policies=[None, "nobody"])],
        "--trust-policies": [arranged(policies=[None, f"{code}:evil"])],
        "option": [{**good, "games": [[77]]}],
        "more games": [{**good, "games": [*good["games"], []]}],
        "has changed": [{**good, "deck_fingerprint": "0"}],
    }
    for message, contents in cases.items():
        for content in contents:
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            path.write_bytes(text)
            assert message in mistake(capsys, "play", "--resume", path, "--terminal")
            assert path.read_bytes() == text
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seat", "5"], "seat"),
        (["--seat", "1,1"], "seat"),
        (["--seat", "x"], "seat"),
        (["--players", "4", "--policies", "random,first"], "got 2"),
        (["--policies", "random,first", "--seat", "9"], "seat"),
        (["--players", "2", "--seat", "1,2", "--policies", "first"], "policies"),
        (["--policies", ",".join(["first"] * 8)], "policies"),
        (["--policies", ",".join(["first"] * 7), "--seat", "1,3"], "policies"),
        (["--campaign", "--players", "2"], "campaign"),
        (["--port", "70000"], "port"),
        (["--resume", "missing.json"], "missing.json"),
        (["--resume", "missing.json", "--seed", "4"], "seed"),
        (["--save", "there.txt"], "there.txt"),
        (["--out", "there.txt", "--save", "new.json"], "there.txt"),
        (["--out", "a.json", "--save", "a.json"], "a.json"),
        (["--out", "nowhere/a.jsonl"], "nowhere/a.jsonl"),
        (["--out", "."], "out"),
        (["--policies", "nobody"], "nobody"),
        (["--players", "2", "--seat", ""], "seat"),
    ],
)
def test_impossible_arrangement_is_refused(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.txt").write_text("mine")
    assert message in mistake(capsys, "play", *words, "--terminal")
    assert (tmp_path / "there.txt").read_text() == "mine"


# --- campaigns ------------------------------------------------------------------------------


def options_of(policy, level, seed, deal):
    """Return the options of a policy in a solo game, and whether it wins."""
    session = Session(
        paxsim.make_setting(solo_level=level), [paxsim.get_policy(policy)], seed, deal
    )
    while not session.over:
        session.ask_policy()
    return session.options, not session.game.result()["rome_wins"]


def test_campaign_goes_from_level_to_level_until_one_is_lost(tmp_path):
    """Decide as `hermit` does, from a seed with which it wins twice, then loses."""
    for seed in range(400):
        levels = [options_of("hermit", level, seed, level - 1) for level in (1, 2, 3)]
        if [won for _, won in levels] == [True, True, False]:
            break
    host = make_host(tmp_path, [None], seed=seed, solo_level=1, campaign=True)
    for level, (options, won) in enumerate(levels, start=1):
        assert host.state(1)["head"]["solo_level"] == level
        for option in options:
            host.decide(1, len(host.session.options), option)
        assert host.session.over and host.state(1)["next_level"] == won
        again = make_host(
            tmp_path, [None], seed, "game", read_save(tmp_path / "game.json")[1],
            solo_level=1, campaign=True,
        )  # fmt: skip
        assert without_version(again.state(1)) == without_version(host.state(1))
        if won:
            host.next_level()
    with pytest.raises(paxsim.PaxsimError, match="next level"):
        host.next_level()
    assert (tmp_path / "game.jsonl").read_text().count('"event": "score"') == 3


# --- hints, and the terminal ----------------------------------------------------------------


def test_hint_has_the_chance_of_every_option_and_changes_nothing(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=1)
    play_to_the_end(host, random.Random(6), 12)
    before = host.session.game._bytes.tobytes()
    chances = host.hint(1)
    assert host.session.game._bytes.tobytes() == before
    options = {option["index"] for option in host.state(1)["decision"]["options"]}
    assert {hint["index"] for hint in chances} == options
    wins = [hint["win"] for hint in chances]
    assert wins == sorted(wins, reverse=True)
    assert all(0 <= hint["win"] <= 1 and 0 <= hint["error"] < 0.05 for hint in chances)
    assert "200 rollouts" in chances[0]["text"] and "%" in chances[0]["text"]


def test_game_in_the_terminal(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=4)
    rng, output = random.Random(1), []
    script = iter(["0", "x", "000000001999", "u", "h", ""])

    def answer(text):
        output.append(text)
        return next(script, None) or str(rng.randint(1, 2))

    play_in_terminal(host, output.append, answer)
    text = "\n".join(output)
    assert host.session.over
    assert (tmp_path / "game.jsonl").read_text().count('"event": "score"') == 1
    assert "Draft, 51 cards in the deck." in text and "Round 0" not in text
    for wrong in ("0", "x", "000000001999"):
        assert f"got '{wrong}'" in text
    assert "nothing to undo" in text and "200 rollouts" in text
    assert output[-1].startswith("Rome holds")


def test_player_who_quits_finds_the_game_again(tmp_path):
    host = make_host(tmp_path, [None, "random"], seed=4)
    answers = iter(["1", "1", "u", "1", "q"])
    play_in_terminal(host, lambda text: None, lambda text: next(answers))
    _, games = read_save(tmp_path / "game.json")
    again = make_host(tmp_path, [None, "random"], 4, "game", games)
    while again.step():
        pass
    assert without_version(again.state(1)) == without_version(host.state(1))
    assert not host.session.over


def test_end_of_input_quits(tmp_path, monkeypatch, capsys):
    save = tmp_path / "kept.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    options = ["--players", "2", "--policies", "random", "--seed", "3", "--terminal", "--save"]
    assert run_command(["play", *options, str(save)]) == 0
    out, err = capsys.readouterr()
    assert f"paxsim play --resume {save}" in out and "interrupted" not in err
    assert len(read_save(save)[1]) == 1


def test_numbers_in_the_terminal_are_places_in_the_list():
    """Of equal options only one is listed, so the last may have any index."""
    decisions = []
    host = SimpleNamespace(decide=lambda *decision: decisions.append(decision))
    options = [{"index": index, "text": ""} for index in (0, 3)]
    decision = {"question": "Which?", "number": 5, "options": options}
    assert _decide(host, 1, decision, lambda text: None, lambda text: "2")
    assert decisions == [(1, 5, 3)]


def test_several_people_at_one_terminal_look_in_turn(tmp_path):
    host = make_host(tmp_path, [None, None], seed=4)
    prompts = []

    def answer(text):
        prompts.append(text)
        return "q" if len(prompts) > 8 else "1"

    play_in_terminal(host, lambda text: None, answer)
    for seat in (1, 2):
        assert any("Press Enter" in text and f"only seat {seat}" in text for text in prompts)


def test_full_disk_at_the_end_ends_the_game_with_a_message(tmp_path, monkeypatch):
    host = make_host(tmp_path, [None], solo_level=1)

    def fail():
        raise paxsim.PaxsimError("no space left on device")

    monkeypatch.setattr(host, "_write_trace", fail)
    output, answers = [], itertools.repeat("1", 500)
    play_in_terminal(host, output.append, lambda text: next(answers))
    assert output[-2] == "no space left on device"
    assert output[-1].startswith("The solo game is")
    assert read_save(tmp_path / "game.json")[1] == [host.session.options]
