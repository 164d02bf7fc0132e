"""Attacks on repetition: a game that depends on anything but the numbers that name it."""

import dataclasses
import json

import numpy as np
import pytest
from support import THOROUGH
from support.attacks import find, games, refused

import paxsim
from paxsim.cli import run_command
from paxsim.engine.records import choice_dtype, game_dtype, rules_dtype, seat_dtype, table_dtype
from paxsim.experiment import simulate
from paxsim.game import walk
from paxsim.policies.registry import BUILT_IN
from paxsim.setting import Setting

# --- leftovers --------------------------------------------------------------------------------

#: What a batch sets up once: no game changes it.
KEPT = ("players", "solo_level", "legions", "rules", "copy_symbols", "copy_cards", "copy",
        "copy_count")  # fmt: skip


BY_SEAT = ("discount", "symbols", "cards", "allowance", "strength", "money", "hand_size", "peeked",
           "diary", "diary_count")  # fmt: skip
#: Lists, which are cleared up to their last card: how many there are, and of which list.
COUNTS = {"shown_count": "shown", "diary_count": "diary", "legion_size": "legion_cards",
          "hand_count": "hand", "buried_count": "buried"}  # fmt: skip


def fill_with_noise(record, setting, noise):
    """Noise in all memory that a game may write to: what another game might have left there."""
    players, legions = setting.players, setting.resolved()["legions"]

    def fill(part, name, rows=None):
        """Of arrays by seat or legion, the rows of those who take part."""
        old = part[name]
        if name in COUNTS:
            full = part[COUNTS[name]].shape[-1]
            part[name] = full if rows is None else [full] * rows + [0] * (len(old) - rows)
        elif isinstance(old, np.ndarray):
            old[:rows] = noise.integers(0, 100, old[:rows].shape)
        else:
            part[name] = noise.integers(0, 100)

    for name in table_dtype.names:
        if name not in KEPT:
            rows = legions if name.startswith("legion") else players if name in BY_SEAT else None
            fill(record["table"], name, rows)
    for part, dtype in (("seats", seat_dtype), ("choices", choice_dtype)):
        for seat in range(players):
            for name in dtype.names:
                fill(record[part][seat], name)
    for name in record["hidden"].dtype.names:
        fill(record["hidden"], name)


@pytest.fixture
def noisy(monkeypatch):
    """Every game begins on memory full of noise."""
    clean = Setting.new_game
    noise = np.random.default_rng(5)

    def new_game(setting):
        made = clean(setting)
        fill_with_noise(made.view(game_dtype)[0], setting, noise)
        return made

    def switch(on):
        monkeypatch.setattr(Setting, "new_game", new_game if on else clean)

    return switch


def everything_seen(setting, policies, deal, rotation):
    """Every byte that a policy can read, at every decision of a game."""
    seen = []
    lineup = paxsim.make_lineup(policies, setting.players)
    for game in walk(setting, lineup, 3, deal, rotation):
        if not game.over:
            seat = game.seat - 1
            parts = (game.record["table"], game.record["seats"][seat], game.choice)
            seen.append([part.tobytes() for part in parts])
    return seen


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 8])
def test_what_a_policy_can_read_does_not_depend_on_the_memory_before_the_game(players, noisy):
    setting = paxsim.make_setting(players)
    lineups = ["random", ["builder", *["random"] * (players - 1)]]
    for number, policies in enumerate(lineups):
        noisy(False)
        expected = everything_seen(setting, policies, number, players - 1)
        noisy(True)
        assert everything_seen(setting, policies, number, players - 1) == expected
        assert len(expected) > 10


def test_the_noise_reaches_what_a_policy_reads():
    """The test above could not fail if there were no noise."""
    setting = paxsim.make_setting(3)
    made = setting.new_game().view(game_dtype)
    before = made.copy()
    fill_with_noise(made[0], setting, np.random.default_rng(1))
    for part, dtype in (("table", table_dtype), ("seats", seat_dtype), ("choices", choice_dtype)):
        for name in dtype.names:
            changed = not np.array_equal(made[part][name], before[part][name])
            assert changed == (name not in KEPT), name


def test_seats_and_legions_that_do_not_take_part_are_never_written_to():
    setting = paxsim.make_setting(3)
    *_, game = walk(setting, paxsim.make_lineup("random", 3), 1, 2, 0)
    table, blank = game.record["table"], np.zeros(1, game_dtype)[0]
    legions = setting.resolved()["legions"]
    for name in BY_SEAT:
        assert not table[name][3:].any()
    for name in ("legion_size", "legion_value", "legion_cards"):
        assert not table[name][legions:].any()
    for seat in range(3, 8):
        for part in ("seats", "choices"):
            assert game.record[part][seat].tobytes() == blank[part][seat].tobytes()


def hashing():
    """The body of a policy that puts every number it can read into its choice."""
    lines = ["h = 17"]

    def add(owner, dtype):
        for name in dtype.names:
            kind = dtype[name]
            if kind.names is not None:
                add(f"{owner}.{name}", kind)
            elif kind.subdtype is None:
                lines.append(f"h = (h * 31 + {owner}.{name}) % 1000003")
            else:
                shape = kind.shape
                index = ", ".join("ij"[: len(shape)])
                for depth, size in enumerate(shape):
                    lines.append("    " * depth + f"for {'ij'[depth]} in range({size}):")
                lines.append("    " * len(shape) + f"h = mixed(h, {owner}.{name}[{index}])")

    add("table", table_dtype)
    add("me", seat_dtype)
    add("choice", choice_dtype)
    lines.append("me.memory[h % 32] += 1.0")
    lines.append("return h % choice.count")
    return "\n".join(lines)


MIXED = """
@paxsim.helper
def mixed(h, x):
    return (h * 31 + int(x % 65536)) % 1000003
"""


@pytest.fixture(scope="module")
def hasher(tmp_path_factory):
    assert "rules" in table_dtype.names and "rome_needs" in rules_dtype.names
    return find(tmp_path_factory.mktemp("hasher"), hashing(), MIXED)


def test_a_policy_that_looks_at_everything_plays_alike_however_games_are_grouped(hasher):
    """One by one, in a batch, in a batch that begins later, in another order of rotations."""
    lineup = [hasher, "random", hasher]
    batch = paxsim.play_batch(lineup, deals=8, rotations="all", seed=4).results
    later = paxsim.play_batch(lineup, deals=3, first_deal=5, rotations=(2, 1), seed=4).results
    assert later.tobytes() == batch.reshape(8, 3)[5:, [2, 1]].tobytes()
    for deal in (0, 3, 7):
        for rotation in range(3):
            alone = paxsim.play(lineup, seed=4, deal=deal, rotation=rotation).record
            assert alone.tobytes() == batch[deal * 3 + rotation].tobytes()


def test_a_policy_that_looks_at_everything_plays_alike_in_chunks_of_any_size(hasher):
    tables = []
    for how in ({"chunk_games": 2}, {"chunk_games": 70}, {"chunk_games": 10_000, "jobs": 2}):
        result = simulate([hasher, "random"], games=200, seed=6, **how)
        tables.append(json.loads(result.to_json())["tables"])
    assert tables[0] == tables[1] == tables[2]


def test_a_trace_shows_the_very_game_that_a_batch_played(hasher, capsys):
    batch = paxsim.play_batch([hasher, "random"], deals=5, seed=4)
    command = ["trace", "--policies", f"{hasher.origin},random", "--seed", "4", "--deal", "4"]
    assert run_command(command) == 0
    score = json.loads(capsys.readouterr().out.splitlines()[-1])
    points = [player["points"]["total"] for player in score["players"]]
    money = [player["money"] for player in score["players"]]
    assert points == batch.points[4].tolist()
    assert money == batch.results["money"][4, :2].tolist()


# --- other dice, clocks and counters ----------------------------------------------------------

UNREPEATABLE = {
    "numpy.random": "return np.random.randint(0, choice.count)",
    "numpy.random.random": "return int(np.random.random() * choice.count)",
    "numpy.random.seed": "np.random.seed(1)\nreturn 0",
    "random": "return random.randint(0, choice.count - 1)",
    "random.random": "return int(random.random() * choice.count)",
    "time": "return int(time.time()) % choice.count",
    "perf_counter": "return int(time.perf_counter()) % choice.count",
    "object mode": "with numba.objmode(x='int64'):\n    x = time.time_ns()\nreturn x * 0",
    "print": "print(me.money)\nreturn 0",
    "id": "return id(me) % choice.count",
    "hash": "return hash(1.5) % choice.count",
    "a set": "seen = {1, 2}\nreturn len(seen) - 2",
    "input": "return len(input())",
    "try": "try:\n    x = 1 // me.money\nexcept Exception:\n    x = 0\nreturn x * 0",
    "try around a list": (
        "try:\n    x = [me.hand[i] for i in range(999) if i]\nexcept Exception:\n    return 1\n"
        "return 0"
    ),
    "try beside a list": (
        "x = [i for i in me.hand if i]\ntry:\n    return me.hand[999]\nexcept Exception:\n"
        "    return 0 * len(x)"
    ),
    "threads": "return numba.get_num_threads() * 0",
    "parallel": "for i in numba.prange(3):\n    pass\nreturn 0",
    "dot": "return int((np.ones((3, 3)) @ np.ones(3))[0]) - 3",
    "dot in place": "a = np.ones((3, 3))\na @= a\nreturn 0",
    "a list counter": "COUNTER[0] += 1\nreturn COUNTER[0] % choice.count",
    "an array counter": "COUNTERS[0] += 1\nreturn COUNTERS[0] % choice.count",
    "a dictionary counter": "NOTED[1] = 1\nreturn 0",
    "a global name": "global TURNS\nTURNS += 1\nreturn 0",
}
COUNTERS = "COUNTER = [0]\nCOUNTERS = np.zeros(3, np.int64)\nNOTED = {}\nTURNS = 0"


@pytest.mark.filterwarnings("ignore:Code running in object mode")
@pytest.mark.parametrize("what", UNREPEATABLE)
def test_what_can_not_be_repeated_is_refused(tmp_path, what):
    said = refused(tmp_path, UNREPEATABLE[what], COUNTERS)
    if "random" in what and "seed" not in what:
        assert "; allowed: paxsim.helpers.random_below(me, n); the line: " in said


def test_numbers_from_outside_are_frozen_when_the_policy_is_compiled(tmp_path):
    frozen = find(tmp_path, "return OFFSET % choice.count", "OFFSET = 1")
    before = games(frozen, "random")
    frozen.function.__globals__["OFFSET"] = 0
    batch = paxsim.play_batch([frozen, "random"], deals=6, seed=1)
    assert batch.results.tobytes() == before


def test_a_counter_in_a_closure_is_refused(tmp_path):
    before = """
    def make():
        n = 0
        @numba.njit
        def count():
            nonlocal n
            n += 1
            return n
        return count

    count = make()
    """
    said = refused(tmp_path, "return count() % choice.count", before)
    assert "changes n of the function around it; allowed: me.memory" in said


# --- the same code as a guest -----------------------------------------------------------------


#: A heuristic takes a quarter of a minute to compile as a guest, planner and all, so those are for
#: who has the time.
SAMPLE = ("random", "first")


@pytest.mark.parametrize("name", BUILT_IN if THOROUGH else SAMPLE)
def test_a_built_in_played_as_a_guest_plays_the_same_games(name):
    """Checked indices, arithmetic and loops change no decision."""
    trusted = paxsim.get_policy(name)
    guest = dataclasses.replace(trusted, name=f"attacker_{name}")
    assert trusted.built_in and not guest.built_in
    for players in (1, 2, 4, 5):
        others = ["random"] * (players - 1)
        expected = games(trusted, *others, players=players, rotations="all")
        assert games(guest, *others, players=players, rotations="all") == expected
