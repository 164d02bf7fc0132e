"""The searching seat: it sees what its seat sees, repeats itself, and is a policy like others."""

import itertools
import pickle
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import THOROUGH, imagined
from support.attacks import policy_file
from support.mistakes import mistake
from support.strategies import playable_settings

import paxsim
from paxsim.cli import run_command
from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import MAX_PARAMS, RING, address_of
from paxsim.game import walk
from paxsim.playing import play_deals
from paxsim.policies import files
from paxsim.trace import trace_game

FLAT = "search:rollouts=2:self=random:opponents=random"
SEARCHERS = {
    "fixed": "search:rollouts=2:self=weighted:opponents=weighted",
    "mixture": "search:rollouts=3:opponents=weighted+tribune+random",
    "adaptive": "search:rollouts=2:self=hermit",
    "several plans": "search:rollouts=2:self=random+weighted:opponents=random",
    "tree": "search:kind=tree:rollouts=3:opponents=weighted+random",
}
#: Deals of every table at which searchers are tried to be caught cheating.
DEALS = 2 if THOROUGH else 1
#: A policy that looks at everything it is handed, and chooses by that.
CURIOUS = """
total = 0
for seat in range(table.diary.shape[0]):
    for i in range(table.diary.shape[1]):
        total += table.diary[seat, i] * (i % 7)
for legion in range(table.legion_cards.shape[0]):
    for i in range(table.legion_cards.shape[1]):
        total += table.legion_cards[legion, i]
for i in range(table.shown.size):
    total += table.shown[i]
for i in range(me.buried.size):
    total += me.buried[i] + 3 * me.buried_at[i] + 5 * me.hand[i]
for i in range(me.rome_peeked.size):
    total += 11 * me.rome_peeked[i]
for i in range(me.rome_hidden.size):
    total += 13 * me.rome_hidden[i]
for i in range(choice.options.size):
    total += choice.options[i]
for i in range(choice.drawn.size):
    total += choice.drawn[i]
return total % choice.count
"""


# --- it does not cheat ------------------------------------------------------------------------


def unknown_places(record, known, seat):
    """Where the cards lie that a seat can't place, as pairs of an array and an index."""
    hidden, table = record["hidden"], record["table"]
    places = [(hidden["removed"], i) for i in range(hidden["removed_count"])]
    if not record["seats"][seat]["peeked"]:
        places += [(hidden["rome_hidden"], i) for i in range(table["rules"]["rome_hidden"])]
    for i in range(table["deck_left"]):
        slot = (int(table["deck_top"]) + i) % RING
        if not known["deck"][slot]:
            places.append((hidden["deck"], slot))
    for rival in set(range(table["players"])) - {seat}:
        sure = Counter(known["hand"][rival][: known["hand_count"][rival]].tolist())
        hand = record["seats"][rival]["hand"]
        for i in range(record["seats"][rival]["hand_count"]):
            if sure[int(hand[i])]:
                sure[int(hand[i])] -= 1
            else:
                places.append((hand, i))
    return places


def change_what_is_hidden(record, known, random):
    """Deal all cards anew that the deciding seat can't place; fill its rivals' notes with noise."""
    seat = int(record["hidden"]["seat"])
    places = unknown_places(record, known, seat)
    assert len(places) == known["places"]
    cards = [int(array[i]) for array, i in places]
    for (array, i), card in zip(places, random.permutation(cards), strict=True):
        array[i] = card
    for rival in set(range(len(record["seats"]))) - {seat}:
        other = record["seats"][rival]
        other["memory"] = random.random(other["memory"].shape)
        other["params"] = random.random(MAX_PARAMS)
        other["stream"] = random.integers(1, 2**60, 4)
        noise = random.integers(0, 120, 40)
        for name in ("buried", "buried_at"):
            other[name][:40] = noise
        other["buried_count"] = 40
        other["rome_hidden"] = random.integers(0, 9, 8)
        record["choices"][rival]["options"] = random.integers(0, 120, RING)
        record["choices"][rival]["drawn_count"] = 3


def asker(spec):
    """A function that asks a searcher about the decision at hand of a game."""
    searcher, progress = paxsim.get_policy(spec), np.zeros(1, progress_dtype)
    progress[0]["policies"], context = searcher.address(), searcher.context()

    def decide(game):
        game.record["seats"][game.seat - 1]["params"] = context.params
        return ask_policy(game._address, address_of(progress))

    return decide


@pytest.mark.parametrize("kind", SEARCHERS)
def test_no_decision_depends_on_what_the_seat_can_not_know(kind):
    decide, workspace = asker(SEARCHERS[kind]), imagined.new_workspace(FLAT)
    random = np.random.default_rng(8)
    asked, plain, hidden = 0, Counter(), 0
    tables = [(1, 3), (2, None), (3, None), (4, None), (5, None), (8, None)]
    for players, level in tables:
        setting = paxsim.make_setting(players, solo_level=level)
        seated = itertools.islice(itertools.cycle(["weighted", "random", "augur"]), players)
        lineup = paxsim.make_lineup(list(seated), players)
        for deal in range(DEALS):
            for number, game in enumerate(walk(setting, lineup, 5, deal, 0)):
                if game.over:
                    break
                known = imagined.what_is_known(workspace, game._address)
                one, other = game.copy(), game.copy()
                change_what_is_hidden(other.record, known, random)
                hidden += one.record["hidden"].tobytes() != other.record["hidden"].tobytes()
                answers = [decide(one), decide(other)]
                assert answers[0] == answers[1], (players, deal, number)
                mine, theirs = (g.record["seats"][game.seat - 1] for g in (one, other))
                assert mine.tobytes() == theirs.tobytes()
                asked += 1
                plain[answers[0]] += 1
    assert asked > 350 * DEALS and hidden > 0.9 * asked and len(plain) > 3


# --- it repeats itself ------------------------------------------------------------------------


def bytes_of(lineup, players=None, **keywords):
    return paxsim.play_batch(lineup, players, seed=4, **keywords).results.tobytes()


@pytest.mark.parametrize("kind", SEARCHERS)
def test_a_game_is_the_same_alone_in_a_batch_and_after_other_games(kind):
    spec = SEARCHERS[kind]
    lineup = [spec, "weighted", spec]
    games = paxsim.play_batch(lineup, deals=3, rotations="all", seed=4).results
    paxsim.play_batch([spec] + ["random"] * 7, deals=1, seed=9)  # another table, another place
    paxsim.play_batch(spec, solo_level=5, deals=2, seed=9)
    again = [
        paxsim.play(lineup, seed=4, deal=deal, rotation=rotation).record
        for deal, rotation in itertools.product((2, 0, 1), (1, 0, 2))
    ]
    again.sort(key=lambda record: (record["deal"], record["rotation"]))
    assert games.tobytes() == b"".join(record.tobytes() for record in again)
    assert len({record.tobytes() for record in games}) == 9


@pytest.fixture(scope="module")
def curious(tmp_path_factory):
    return str(policy_file(tmp_path_factory.mktemp("curious"), CURIOUS))


def test_rollouts_find_nothing_of_other_games_in_their_memory(curious):
    """Rollouts by a policy that reads every number it is handed, also those that mean nothing."""
    spec = f"search:rollouts=2:self={curious}:opponents={curious}"
    first = bytes_of([spec, spec, "random"], rotations="all")
    bytes_of([*["random"] * 5, spec, spec, "augur"], deals=1)
    bytes_of(["random", spec], rotations="all")
    assert bytes_of([spec, spec, "random"], rotations="all") == first


def test_every_game_and_every_seat_has_a_memory_of_its_own():
    lineup = paxsim.make_lineup([FLAT, FLAT, "random"], 3)
    kept = [lineup.contexts() for _ in range(2)]
    memories = [one.params[position, 0] for one in kept for position in (0, 1)]
    assert len(set(memories)) == 4
    plain = paxsim.make_lineup(["weighted", "random"], 2)
    assert plain.contexts() is plain.contexts()


def test_games_stay_themselves_when_many_threads_come_and_go():
    lineup = [SEARCHERS["tree"], SEARCHERS["adaptive"], "random"]
    expected = bytes_of(lineup, deals=2)
    for _ in range(3):
        with ThreadPoolExecutor(3) as threads:
            found = list(threads.map(lambda _: bytes_of(lineup, deals=2), range(3)))
        assert set(found) == {expected}


def test_two_searchers_of_a_kind_share_no_secrets(curious):
    """It does not matter whether they are of the same name."""
    one = f"search:rollouts=2:self={curious}:opponents={curious}"
    other = f"{one}:doubt=1.0000000001"
    assert bytes_of([one, one, one], deals=2) == bytes_of([one, other, one], deals=2)


def test_the_number_of_threads_changes_nothing():
    lineup = [SEARCHERS["adaptive"], "random"]
    one, two = (
        paxsim.simulate(lineup, games=24, seed=2, jobs=jobs, chunk_games=4) for jobs in (1, 2)
    )
    for name, table in one.tables.items():
        assert table.equals(two.tables[name]), name


def test_the_number_of_rollouts_changes_no_deal():
    setting = paxsim.make_setting(3)
    begin = []
    for rollouts in (1, 5):
        lineup = paxsim.make_lineup([f"search:rollouts={rollouts}", "random", "first"], 3)
        events = list(trace_game(setting, lineup, 3, 1, 0))
        begin.append({name: events[0][name] for name in ("removed", "rome_hidden", "deck")})
    assert begin[0] == begin[1]


# --- it is a policy like others ----------------------------------------------------------------


def test_searchers_play_in_everything_that_plays(capsys):
    spec = "search:rollouts=1:self=random:opponents=random"
    commands = [
        ["run", "--policies", f"{spec},random", "--games", "8"],
        ["tournament", "--policies", f"{spec},random,first", "--players", "2", "--games", "12"],
        ["compare", f"{spec}", "random", "--players", "2", "--games", "12"],
        ["solo", "--policies", f"{spec},hermit", "--games", "8"],
        ["trace", "--policies", f"{spec},random", "--players", "2"],
    ]
    for command in commands:
        assert run_command(command) == 0, (command, capsys.readouterr())
        assert "search" in capsys.readouterr().out


def test_a_searcher_is_listed_and_described(capsys):
    for command in (["policies"], ["policies", "search"]):
        assert run_command(command) == 0
        out = capsys.readouterr().out
        assert re.search(r"^\W*search\b", out, re.M) and "magines the cards" in out


@pytest.mark.parametrize(
    "spec",
    [
        "search",
        "search:rollouts=7",
        "search:doubt=0.123456789",
        "search:rollouts=2:self=hermit:opponents=weighted+tribune",
        "search:opponents=weighted",
        "search:kind=tree:rollouts=4",
        "search:self=weighted(primus=3.0:margin=2.5)+hermit:opponents=tribune(focus=2.0)",
    ],
)
def test_a_searcher_is_found_again_by_its_label(spec):
    found = paxsim.get_policy(spec)
    again = paxsim.get_policy(found.label)
    assert found.label == spec and again == found
    assert again.fingerprint == found.fingerprint
    assert paxsim.get_policy(found.spec).params == found.params


def test_a_searcher_travels_to_another_process_as_it_is(curious):
    for spec in (*SEARCHERS.values(), f"search:rollouts=2:opponents={curious}+first"):
        found = paxsim.get_policy(spec)
        again = pickle.loads(pickle.dumps(found))
        assert (again.label, again.fingerprint) == (found.label, found.fingerprint)


def test_parameters_of_a_rollout_policy_stand_in_parentheses(curious):
    found = paxsim.get_policy("search:rollouts=2:self=weighted(primus=3:margin=2)")
    assert found.own[0].params["primus"] == 3.0 and found.own[0].params["margin"] == 2.0
    other = paxsim.get_policy("search:rollouts=2:self=weighted")
    assert found.fingerprint != other.fingerprint
    game = {"deals": 2, "rotations": "all"}
    assert bytes_of([found, "random"], **game) != bytes_of([other, "random"], **game)
    assert paxsim.get_policy(f"search:self={curious}()").own[0].name == Path(curious).stem


def test_a_tree_that_is_full_is_searched_on():
    """Eleven options with a thousand rollouts each: more decisions than the tree remembers."""
    spec = "search:kind=tree:rollouts=1000:self=random:opponents=random"
    answers = []
    for _ in range(2):
        game = paxsim.Game(8, seed=3)
        while game.decision != "place":
            game.apply(0)
        answers.append(asker(spec)(game))
    assert answers[0] == answers[1] and 0 <= answers[0] < len(game.options())


def test_spaces_in_the_name_of_a_searcher_do_not_matter():
    spaced = paxsim.get_policy("search : rollouts = 2 : opponents = weighted + first")
    assert spaced.label == "search:rollouts=2:opponents=weighted+first"


def test_numbers_of_any_length_are_told_apart():
    specs = [f"search:doubt=0.1234567{digit}" for digit in (1, 2)]
    labels = {paxsim.get_policy(spec).label for spec in specs}
    assert labels == set(specs)
    assert len({paxsim.get_policy(spec).fingerprint for spec in specs}) == 2


@given(playable_settings(), st.integers(0, 10**6))
def test_a_searcher_plays_whatever_can_be_played(setting, deal):
    lineup = paxsim.make_lineup([FLAT] + ["random"] * (setting.players - 1), setting.players)
    one, other = (
        play_deals(setting, lineup, 1, deal, 1, (setting.players - 1,)).results for _ in range(2)
    )
    assert one.tobytes() == other.tobytes() and one["rounds"][0] > 0


def test_a_users_policy_may_play_the_rollouts(curious):
    for spec in (f"search:rollouts=2:self={curious}", f"search:rollouts=2:opponents={curious}"):
        batch = paxsim.play_batch([spec, "random"], deals=2, seed=1)
        assert len(batch) == 2 and not batch.lineup.trusted
        assert paxsim.get_policy(paxsim.get_policy(spec).spec).fingerprint


def test_a_policy_with_a_memory_of_its_own_may_play_the_rollouts():
    """Those of a restricted policy are handed its note of what is forbidden."""
    bound = "restricted(without=intrigue:policy=weighted)"
    spec = f"search:rollouts=2:self={bound}:opponents={bound}+random"
    games = {"deals": 2, "rotations": "all"}
    found = bytes_of([spec, "random"], **games)
    assert found == bytes_of([paxsim.get_policy(spec), "random"], **games)
    assert found != bytes_of([spec.replace("intrigue", "peek"), "random"], **games)


def test_the_contract_test_passes_with_fewer_deals_the_more_rollouts_there_are(capsys):
    spec = "search:rollouts=20:self=random:opponents=random"
    assert run_command(["check", spec]) == 0
    out = capsys.readouterr().out
    assert "solo level 5: 2 games, fine" in out and "8 players: 16 games, fine" in out
    assert out.endswith("policy search: fine\n")


# --- mistakes ----------------------------------------------------------------------------------

MISTAKES = {
    "search:rollouts=0": "rollouts must be between 1 and 100,000, got 0",
    "search:rollouts=1.5": "rollouts: found 1.5; allowed: a whole number",
    "search:rollouts=x": "policy search: a parameter is written name=number, got 'rollouts=x'",
    "search:rollouts=nan": "parameter rollouts: found nan",
    "search:rollouts=1e9": "rollouts: found 1e+09; allowed",
    "search:rollouts": "policy search: a parameter is written name=number, got 'rollouts'",
    "search:self=nobody": "unknown policy 'nobody'",
    "search:self=": "self: found '' with an empty name; allowed: A+B+C",
    "search:opponents=": "opponents: found '' with an empty name; allowed: A+B+C, or adaptive",
    "search:opponents=weighted+": "found 'weighted+' with an empty name; allowed: A+B+C",
    "search:opponents=weighted+nobody": "unknown policy 'nobody'",
    "search:self=search": "found a searcher in its own rollouts; allowed: any other policy",
    "search:opponents=weighted+search": "found a searcher in its own rollouts",
    "search:self=restricted(without=peek:policy=search)": "found a searcher in its own rollouts",
    "search:self=hermit:self=random": "self: given twice; allowed: once",
    "search:rollouts=2:rollouts=3": "rollouts: given twice; allowed: once",
    "search:rolouts=2": "unknown parameter 'rolouts' (did you mean 'rollouts'?)",
    "search:opponent=weighted": "did you mean 'opponents'",
    "search:opponents=" + "+".join(["first"] * 25): "opponents: found 25; allowed: at most 24",
    "search:doubt=inf": "parameter doubt: found inf",
    "search:doubt=-1": "policy search: doubt: found -1; allowed: 0 to 1000",
    "search:doubt=1e300": "policy search: doubt: found 1e+300; allowed: 0 to 1000",
    "search:closeness=-0.5": "policy search: closeness: found -0.5; allowed: 0 to 1",
    "search:closeness=1.5": "policy search: closeness: found 1.5; allowed: 0 to 1",
    "search:kind=deep": "policy search: unknown kind 'deep'",
    "search:self=weighted(primus=3": "allowed: parentheses in pairs",
    "search:self=weighted)primus=3(": "allowed: parentheses in pairs",
    "search:self=weighted(primus=3)x": "allowed: NAME(parameter=number:parameter=number)",
    "search:self=weighted(primus=x)": "policy weighted: found 'primus=x'; allowed",
    "search:self=weighted(nothing=3)": "policy weighted: unknown parameter 'nothing'",
    "search:self=" + "+".join(["first"] * 5): "self: found 5; allowed: at most 4",
}


@pytest.mark.parametrize("spec", MISTAKES)
def test_a_mistake_in_a_searcher_is_told_in_one_line(spec, capsys):
    said = mistake(capsys, "run", "--policies", f"{spec},random", "--games", "2")
    assert MISTAKES[spec] in said


@pytest.mark.parametrize("outer", ["", "restricted:without=buy:policy="])
def test_a_plan_that_makes_no_sense_in_solo_is_refused_there(outer, capsys):
    spec = f"{outer}search:self=weighted+feeder"
    said = mistake(capsys, "run", "--solo-level", "3", "--policies", spec, "--games", "2")
    assert "self: found feeder, which makes no sense in solo; allowed there" in said
    assert len(paxsim.play_batch(["search:rollouts=1:self=feeder", "random"], deals=1)) == 1


FAILING = {
    "raises": ("xs = [1.0]\nreturn int(xs[table.round + 1])", "raised"),
    "out of range": ("return 99 if table.round > 2 else 0", "chose option 99, which there is not"),
    "at once": ("return -7", "chose option -7, which there is not"),
    "hangs": (
        "while table.round > 1:\n    me.memory[0] += 1.0\nreturn 0",
        "gave no answer within 1 s",
    ),
}


@pytest.mark.parametrize("role", ["self", "opponents"])
@pytest.mark.parametrize("failing", FAILING)
def test_a_policy_that_fails_in_rollouts_is_named(failing, role, tmp_path, monkeypatch):
    from paxsim.guests import watch

    monkeypatch.setattr(watch, "PATIENCE", 1.0)
    lines, what = FAILING[failing]
    file = policy_file(tmp_path, lines)
    spec = f"search:rollouts=2:{role}={file}"
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play_batch(["random", spec, "random"], deals=2, seed=6)
    said = str(error.value)
    assert said.startswith(f"policy {file.stem} in the rollouts of search:rollouts=2:{role}=")
    assert f" at seat 2 {what}" in said and "\n" not in said
    replay = re.search(r"; to see this game: (paxsim trace .*)$", said).group(1)
    assert f"{role}={file}" in replay and "--seed 6 --deal 0 --rotation 0" in replay


def test_rollouts_that_take_long_are_not_taken_for_a_policy_that_hangs(tmp_path, monkeypatch):
    from paxsim.guests import watch

    """One decision takes several times as long as a policy may."""
    monkeypatch.setattr(watch, "PATIENCE", 0.3)
    slow = "for i in range(9000):\n    me.memory[i % 9] += 0.5\nreturn 0"
    spec = f"search:rollouts=200:self={policy_file(tmp_path, slow)}"
    games = walk(paxsim.make_setting(2), paxsim.make_lineup([spec, "random"], 2), 1, 0, 0)
    assert not next(itertools.islice(games, 1, None)).over


# --- it plays well -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["flat", "tree"])
def test_search_beats_its_own_rollout_policy_in_solo(kind):
    """Level 3: hermit wins a third of its games, with 8 rollouts two thirds; 0.3 +- 0.04."""
    deals = 160
    searching, plain = (
        paxsim.play_batch(policy, solo_level=3, deals=deals, seed=11).shares[:, 0]
        for policy in (f"search:kind={kind}:rollouts=8:self=hermit", "hermit")
    )
    gains = searching - plain
    error = gains.std(ddof=1) / deals**0.5
    assert 0.25 < plain.mean() < 0.42 and error < 0.05
    assert gains.mean() > 5 * error


def test_a_run_with_searchers_is_another_one_after_any_edit_of_the_search():
    """What a stored run was played with is known by these files."""
    folder = Path(paxsim.__file__).parent / "search"
    deciding = {*folder.glob("*.py"), *folder.glob("*.toml")}
    assert len(deciding) > 6
    assert deciding <= set(files._package_sources())
