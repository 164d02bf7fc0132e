"""The `search` policy: hidden information, reproducibility, names, errors and strength."""

import itertools
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import THOROUGH, worlds
from support.commands import mistake
from support.hypothesis_strategies import playable_settings
from support.user_files import policy_file

import paxsim
from paxsim.cli import run_command
from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import address_of
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
#: Deals per table of the test of hidden information.
DEALS = 2 if THOROUGH else 1
#: Policy that reads every field of its arguments.
CURIOUS = """
total = 0
for entries in table.diary:
    for i in range(len(entries)):
        total += entries[i] * (i % 7)
for legion in range(len(table.legion_cards)):
    for i in range(len(table.legion_cards[legion])):
        total += table.legion_cards[legion, i]
for i in range(table.shown.size):
    total += table.shown[i]
for i in range(me.rome_peeked.size):
    total += 11 * me.rome_peeked[i]
for i in range(choice.options.size):
    total += choice.options[i]
for i in range(choice.drawn.size):
    total += choice.drawn[i]
for i in range(me.buried.size):
    total += me.buried[i] + 3 * me.buried_at[i]
for i in range(me.hand.size):
    total += 5 * me.hand[i]
for i in range(me.rome_hidden.size):
    total += 13 * me.rome_hidden[i]
return total % choice.count
"""


# --- hidden information -------------------------------------------------------------------------


def asker(spec):
    """Return a function that calls a searcher for the current decision of a game."""
    searcher, progress = paxsim.get_policy(spec), np.zeros(1, progress_dtype)
    progress[0]["policies"], context = searcher.address(), searcher.context()

    def decide(game):
        game.record["seats"][game.seat - 1]["params"] = context.params
        return ask_policy(game._address, address_of(progress))

    return decide


@pytest.mark.parametrize("kind", SEARCHERS)
def test_no_decision_depends_on_hidden_state(kind):
    decide, workspace = asker(SEARCHERS[kind]), worlds.new_workspace(FLAT)
    random = np.random.default_rng(8)
    decisions, answers, hidden = 0, set(), 0
    for players, level in [(1, 3), (2, None), (3, None), (4, None), (5, None), (8, None)]:
        setting = paxsim.make_setting(players, solo_level=level)
        seated = itertools.islice(itertools.cycle(["weighted", "random", "augur"]), players)
        lineup = paxsim.make_lineup(list(seated), players)
        for deal in range(DEALS):
            for number, game in enumerate(walk(setting, lineup, 5, deal, 0)):
                if game.over:
                    break
                beliefs = worlds.beliefs_of(workspace, game._address)
                one, other = game.copy(), game.copy()
                worlds.change_hidden_state(other.record, beliefs, random)
                hidden += one.record["hidden"].tobytes() != other.record["hidden"].tobytes()
                answer = decide(one)
                assert answer == decide(other), (players, deal, number)
                mine, theirs = (g.record["seats"][game.seat - 1] for g in (one, other))
                assert mine.tobytes() == theirs.tobytes()
                decisions += 1
                answers.add(answer)
    assert decisions > 350 * DEALS and hidden > 0.9 * decisions and len(answers) > 3


# --- reproducibility ----------------------------------------------------------------------------


def bytes_of(lineup, players=None, **keywords):
    return paxsim.play_batch(lineup, players, seed=4, **keywords).results.tobytes()


@pytest.mark.parametrize("kind", SEARCHERS)
def test_games_are_the_same_alone_in_a_batch_and_after_others(kind):
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


def test_rollouts_see_no_traces_of_other_games(curious):
    """Rollouts by a policy that reads every number."""
    spec = f"search:rollouts=2:self={curious}:opponents={curious}"
    first = bytes_of([spec, spec, "random"], rotations="all")
    bytes_of([*["random"] * 5, spec, spec, "augur"], deals=1)
    bytes_of(["random", spec], rotations="all")
    assert bytes_of([spec, spec, "random"], rotations="all") == first


def test_games_are_the_same_in_threads():
    lineup = [SEARCHERS["tree"], SEARCHERS["adaptive"], "random"]
    expected = bytes_of(lineup, deals=2)
    for _ in range(3):
        with ThreadPoolExecutor(3) as threads:
            games = list(threads.map(lambda _: bytes_of(lineup, deals=2), range(3)))
        assert set(games) == {expected}


def test_searchers_with_the_same_settings_share_no_information(curious):
    """Different names make no difference."""
    one = f"search:rollouts=2:self={curious}:opponents={curious}"
    other = f"{one}:doubt=1.0000000001"
    assert bytes_of([one, one, one], deals=2) == bytes_of([one, other, one], deals=2)


def test_deals_do_not_depend_on_the_number_of_rollouts():
    setting = paxsim.make_setting(3)
    begin = []
    for rollouts in (1, 5):
        lineup = paxsim.make_lineup([f"search:rollouts={rollouts}", "random", "first"], 3)
        events = list(trace_game(setting, lineup, 3, 1, 0))
        begin.append({name: events[0][name] for name in ("removed", "rome_hidden", "deck")})
    assert begin[0] == begin[1]


# --- names and use ------------------------------------------------------------------------------


def test_searchers_play_in_all_commands(capsys):
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
        assert re.search(r"^\W*search\b", out, re.M) and "amples the cards" in out


@pytest.mark.parametrize(
    "spec",
    [
        "search",
        "search:rollouts=7",
        "search:doubt=0.12345671",
        "search:rollouts=2:self=hermit:opponents=weighted+tribune",
        "search:opponents=weighted",
        "search:kind=tree:rollouts=4",
        "search:self=weighted(primus=3.0:margin=2.5)+hermit:opponents=tribune(focus=2.0)",
    ],
)
def test_a_searcher_is_restored_from_its_label(spec):
    policy = paxsim.get_policy(spec)
    again = paxsim.get_policy(policy.label)
    assert policy.label == spec and again == policy
    assert again.fingerprint == policy.fingerprint
    assert paxsim.get_policy(policy.spec).params == policy.params
    assert paxsim.get_policy(spec.replace(":", " : ").replace("=", " = ")) == policy


def test_a_pickled_searcher_is_the_same(curious):
    for spec in (*SEARCHERS.values(), f"search:rollouts=2:opponents={curious}+first"):
        policy = paxsim.get_policy(spec)
        again = pickle.loads(pickle.dumps(policy))
        assert (again.label, again.fingerprint) == (policy.label, policy.fingerprint)


def test_parameters_of_rollout_policies_are_in_parentheses(curious):
    policy = paxsim.get_policy("search:rollouts=2:self=weighted(primus=3:margin=2)")
    assert policy.own[0].params["primus"] == 3.0 and policy.own[0].params["margin"] == 2.0
    other = paxsim.get_policy("search:rollouts=2:self=weighted")
    assert policy.fingerprint != other.fingerprint
    game = {"deals": 2, "rotations": "all"}
    assert bytes_of([policy, "random"], **game) != bytes_of([other, "random"], **game)
    assert paxsim.get_policy(f"search:self={curious}()").own[0].name == Path(curious).stem


def test_search_continues_with_a_full_tree():
    """Eleven options with a thousand rollouts each exceed the size of the tree."""
    spec = "search:kind=tree:rollouts=1000:self=random:opponents=random"
    answers = []
    for _ in range(2):
        game = paxsim.Game(8, seed=3)
        while game.decision != "place":
            game.apply(0)
        answers.append(asker(spec)(game))
    assert answers[0] == answers[1] and 0 <= answers[0] < len(game.options())


@given(playable_settings(), st.integers(0, 10**6))
def test_a_searcher_plays_any_setting(setting, deal):
    lineup = paxsim.make_lineup([FLAT] + ["random"] * (setting.players - 1), setting.players)
    one, other = (
        play_deals(setting, lineup, 1, deal, 1, (setting.players - 1,)).results for _ in range(2)
    )
    assert one.tobytes() == other.tobytes() and one["rounds"][0] > 0


def test_a_policy_file_may_play_the_rollouts(curious):
    for spec in (f"search:rollouts=2:self={curious}", f"search:rollouts=2:opponents={curious}"):
        batch = paxsim.play_batch([spec, "random"], deals=2, seed=1)
        assert len(batch) == 2 and not batch.lineup.trusted
        assert paxsim.get_policy(paxsim.get_policy(spec).spec).fingerprint


def test_a_restricted_policy_may_play_the_rollouts():
    """It needs its own list of forbidden options there."""
    bound = "restricted(without=intrigue:policy=weighted)"
    spec = f"search:rollouts=2:self={bound}:opponents={bound}+random"
    games = {"deals": 2, "rotations": "all"}
    played = bytes_of([spec, "random"], **games)
    assert played == bytes_of([paxsim.get_policy(spec), "random"], **games)
    assert played != bytes_of([spec.replace("intrigue", "peek"), "random"], **games)


def test_check_plays_fewer_deals_with_more_rollouts(capsys):
    spec = "search:rollouts=20:self=random:opponents=random"
    assert run_command(["check", spec]) == 0
    out = capsys.readouterr().out
    assert "solo level 5: 2 games, fine" in out and "8 players: 16 games, fine" in out
    assert out.endswith("policy search: fine\n")


# --- errors -------------------------------------------------------------------------------------

#: Words of the message by spec.
MISTAKES = {
    "search:rollouts=0": ["rollouts", "got 0"],
    "search:rollouts=1.5": ["rollouts", "1.5"],
    "search:rollouts=x": ["rollouts=x"],
    "search:rollouts=nan": ["rollouts", "nan"],
    "search:rollouts=1e9": ["rollouts", "1e+09"],
    "search:rollouts": ["'rollouts'"],
    "search:self=nobody": ["'nobody'"],
    "search:self=": ["self", "''"],
    "search:opponents=weighted+": ["opponents", "'weighted+'"],
    "search:opponents=weighted+nobody": ["'nobody'"],
    "search:self=search": ["searcher"],
    "search:opponents=weighted+search": ["searcher"],
    "search:self=restricted(without=peek:policy=search)": ["searcher"],
    "search:self=hermit:self=random": ["self", "twice"],
    "search:rollouts=2:rollouts=3": ["rollouts", "twice"],
    "search:rolouts=2": ["did you mean 'rollouts'?"],
    "search:opponent=weighted": ["did you mean 'opponents'?"],
    "search:opponents=" + "+".join(["first"] * 25): ["opponents", "24", "25"],
    "search:doubt=inf": ["doubt", "inf"],
    "search:doubt=-1": ["doubt", "-1", "1000"],
    "search:closeness=1.5": ["closeness", "1.5"],
    "search:kind=deep": ["kind", "'deep'"],
    "search:self=weighted(primus=3": ["parentheses"],
    "search:self=weighted)primus=3(": ["parentheses"],
    "search:self=weighted(primus=3)x": ["NAME(parameter=number:parameter=number)"],
    "search:self=weighted(primus=x)": ["policy weighted", "primus=x"],
    "search:self=weighted(nothing=3)": ["policy weighted", "'nothing'"],
    "search:self=" + "+".join(["first"] * 5): ["self", "4", "5"],
}


def test_mistakes_in_a_spec_are_reported_in_one_line(capsys):
    for spec, words in MISTAKES.items():
        message = mistake(capsys, "run", "--policies", f"{spec},random", "--games", "2")
        assert all(word in message for word in words), (spec, message)


@pytest.mark.parametrize("outer", ["", "restricted:without=buy:policy="])
def test_a_plan_that_can_not_play_solo_is_refused_there(outer, capsys):
    spec = f"{outer}search:self=weighted+feeder"
    message = mistake(capsys, "run", "--solo-level", "3", "--policies", spec, "--games", "2")
    assert "feeder" in message and "solo" in message
    assert len(paxsim.play_batch(["search:rollouts=1:self=feeder", "random"], deals=1)) == 1


FAILING = {
    "raises": ("xs = [1.0]\nreturn int(xs[table.round + 1])", "raised"),
    "out of range": ("return 99 if table.round > 2 else 0", "99"),
    "at once": ("return -7", "-7"),
}


@pytest.mark.parametrize("role", ["self", "opponents"])
@pytest.mark.parametrize("failing", FAILING)
def test_a_policy_that_fails_in_rollouts_is_named(failing, role, tmp_path):
    lines, what = FAILING[failing]
    file = policy_file(tmp_path, lines)
    spec = f"search:rollouts=2:{role}={file}"
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play_batch(["random", spec, "random"], deals=2, seed=6)
    message = str(error.value)
    assert message.startswith(f"policy {file.stem} in the rollouts of search:rollouts=2:{role}=")
    assert what in message and "\n" not in message
    replay = re.search(r"(paxsim trace .*)$", message).group(1)
    assert f"{role}={file}" in replay and "--seed 6 --deal 0 --rotation 0" in replay


# --- strength -----------------------------------------------------------------------------------


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


def test_sources_of_the_search_are_part_of_the_package_digest():
    """The digest identifies stored runs."""
    folder = Path(paxsim.__file__).parent / "search"
    deciding = {*folder.glob("*.py"), *folder.glob("*.toml")}
    assert len(deciding) > 6
    sources = {path for pattern in files._SOURCES for path in files._PACKAGE.glob(pattern)}
    assert deciding <= sources
