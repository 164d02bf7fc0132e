"""Attacks on what is hidden: a policy function that tries to see more than its seat may."""

import dis
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
import pytest
from support.attacks import find, games, refused, stopped

import paxsim
from paxsim import helpers
from paxsim.engine.records import MEMORY_SIZE
from paxsim.engine.rng import seat_keys
from paxsim.game import walk
from paxsim.guests.compiler import LARGEST_ARRAY, guest
from paxsim.policies import readonly

# --- the random streams -----------------------------------------------------------------------

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
MIX_A, MIX_B = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(word):
    """What the streams are seeded with: splitmix64, as anybody can read it in the source."""
    word = (word ^ (word >> 30)) * MIX_A & MASK
    word = (word ^ (word >> 27)) * MIX_B & MASK
    return word ^ (word >> 31)


def unshifted(word, by):
    """Undo ``word ^ (word >> by)``."""
    found = word
    for _ in range(64 // by):
        found = word ^ (found >> by)
    return found


def unmix(word):
    """Undo `mix`."""
    word = unshifted(word, 31) * pow(MIX_B, -1, 2**64) & MASK
    word = unshifted(word, 27) * pow(MIX_A, -1, 2**64) & MASK
    return unshifted(word, 30)


def deal_stream(seed, deal):
    """The stream of a deal, as the engine makes it."""
    word = mix((seed + GOLDEN) & MASK)
    word = mix(word ^ ((deal * GOLDEN + MIX_A) & MASK))
    return [mix((word + (i + 1) * GOLDEN) & MASK) for i in range(4)]


def streams_of(seed, deal, rotation, players=4):
    """The streams of the deal and of all seats as a game begins with them."""
    record = paxsim.Game(players, seed=seed, deal=deal, rotation=rotation).record
    seats = [record["seats"][seat]["stream"].tolist() for seat in range(players)]
    return record["hidden"]["stream"].tolist(), seats


NUMBERS = [(seed, deal) for seed in (0, 1, 7340276501482365518) for deal in (0, 1, 29_999, 2**62)]


def test_undoing_the_mix_works_where_nothing_but_the_mix_was_used():
    """The tools of the attack are sharp: they take the stream of a deal apart."""
    word = 0x123456789ABCDEF
    assert unmix(mix(word)) == word
    first, second = (unmix(word) for word in deal_stream(5, 6)[:2])
    assert (second - first) & MASK == GOLDEN


def test_a_seats_stream_turned_round_gives_neither_deal_nor_another_seat():
    for seed, deal in NUMBERS:
        for rotation in range(4):
            _, seats = streams_of(seed, deal, rotation)
            for seat, stream in enumerate(seats):
                before = [unmix(word) for word in stream]
                steps = {(b - a) & MASK for a in before for b in before}
                assert GOLDEN not in steps  # nothing counts up behind it
                guesses = {unmix(word ^ key) for word in before for key in (0, seat, rotation)}
                guesses |= {(guess - k * GOLDEN) & MASK for guess in before for k in range(6)}
                assert not guesses & {seed, deal, (deal * GOLDEN + MIX_A) & MASK}
                wanted = set(deal_stream(seed, deal)) | {
                    word for other in seats if other is not stream for word in other
                }
                reached = {mix((word + k * GOLDEN) & MASK) for word in before for k in range(40)}
                assert not wanted & (reached | guesses | set(before))


def test_even_who_knows_the_keys_of_the_seed_can_not_go_back_to_the_deal():
    """Each word was added to what went in, so there is no inverse to compute: try to iterate."""
    seed, deal, rotation, seat = 7340276501482365518, 2**62 + 12345, 2, 1
    keys = [int(key) for key in seat_keys(seed)[seat]]
    _, seats = streams_of(seed, deal, rotation)
    game = (mix((deal + GOLDEN) & MASK) + rotation * GOLDEN) & MASK
    for i, word in enumerate(seats[seat]):
        inner = game ^ keys[i]
        assert word == (mix((mix(inner) + keys[4 + i]) & MASK) + inner) & MASK
        for start in (0, word, keys[i], unmix(word)):
            guess = start
            for _ in range(200):
                guess = (word - mix((mix(guess) + keys[4 + i]) & MASK)) & MASK
                assert guess != inner


def test_the_bits_of_a_seats_stream_go_with_no_bit_of_deal_or_neighbour():
    """Over many games: no bit of one says anything about a bit of the other."""
    count = 1500
    words = np.zeros((3, count, 4), np.uint64)
    for deal in range(count):
        dealt, seats = streams_of(3, deal, 0, players=2)
        words[:, deal] = dealt, *seats
    bits = np.unpackbits(words.view(np.uint8).reshape(3, count, 32), axis=2).astype(float)
    bits -= bits.mean(axis=1, keepdims=True)
    bits /= np.sqrt((bits**2).mean(axis=1, keepdims=True))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        together = bits[one].T @ bits[other] / count
        assert np.abs(together).max() < 6 / np.sqrt(count)


def test_random_numbers_of_any_bound_come_from_the_own_stream_alone(tmp_path):
    """However much is drawn, and with whatever bound: the others' games stay the same."""
    odd = find(
        tmp_path,
        """
        for bound in (0, 1, 2, 2**31, 2**32 - 1):
            me.memory[0] += random_below(me, bound) % 7
        return 0
        """,
    )
    assert games(odd, "random") == games("first", "random")


# --- indices ----------------------------------------------------------------------------------

PROBES = [
    "me.hand[300]",
    "me.hand[-241]",
    "me.hand[me.hand_count + 240]",
    "me.hand[2**40]",
    f"me.memory[{MEMORY_SIZE}]",
    f"me.memory[-{MEMORY_SIZE + 1}]",
    "me.params[64]",
    "me.stream[4]",
    "me.rome_hidden[8]",
    "table.symbols[8, 0]",
    "table.symbols[0, 8]",
    "table.symbols[-9, 0]",
    "table.symbols[me.seat + 8][0]",
    "table.symbols[me.seat][8]",
    "table.symbols[me.seat, 2:4][2]",
    "table.symbols[:, 1][8]",
    "table.legion_cards[0, 240]",
    "table.legion_cards[60, 0]",
    "table.discount[9]",
    "table.rules.draft_sizes[8]",
    "choice.drawn[1000]",
    "choice.options[-257]",
    "me.hand[10:20][10]",
    "me.hand[10:20][-11]",
    "me.hand[::-1][240]",
    "me.hand[::7][35]",
    "me.hand[500:600][0]",
    "(1, 2, 3)[me.seat + 3]",
    "[1, 2, 3][me.seat - 4]",
    "[1, 2, 3].pop(5)",
    "plain(me)",
    "inlined(me)",
    "signed(me)",
    "made_by_a_function(me)",
    "by_default(me)",
    "FROZEN[me.seat + 30]",
]
BEFORE = """
@numba.njit
def plain(me):
    return me.hand[me.hand_count + 400]

@numba.njit(boundscheck=False, fastmath=True, inline="always", error_model="numpy")
def inlined(me):
    return me.hand[me.hand_count + 400]

@numba.njit(types.int64(types.Array(types.uint16, 1, "C")), boundscheck=False)
def of_array(hand):
    return hand[241]

@numba.njit(boundscheck=False)
def signed(me):
    return of_array(me.hand)

def make(shift):
    @numba.njit(boundscheck=False)
    def within(me):
        return me.hand[shift]
    return within

made_by_a_function = make(10**6)

@numba.njit(boundscheck=False)
def by_default(me, slot=240):
    return me.hand[slot]

FROZEN = np.arange(30)
"""


@pytest.fixture(scope="module")
def prober(tmp_path_factory):
    """One policy with all the probes; its parameter says which one it uses."""
    lines = [f"if which == {i}:\n    me.memory[0] = {probe}" for i, probe in enumerate(PROBES)]
    return find(
        tmp_path_factory.mktemp("prober"),
        "\n".join([*lines, "return 0"]),
        BEFORE,
        "table, me, choice, which=-1",
    )


@pytest.mark.parametrize("which", range(len(PROBES)), ids=PROBES)
def test_an_index_out_of_range_is_an_error_that_names_the_line(prober, which):
    probe = prober.with_params({"which": which})
    said = stopped(lambda: paxsim.play([probe, "random"]))
    assert "raised IndexError(" in said
    text = Path(prober.origin).read_text("utf-8").splitlines()
    line = text[int(said.partition(" in line ")[2].split()[0]) - 1]
    name, call, _ = PROBES[which].partition("(me)")
    assert PROBES[which] in line or (call and "[" in line)


# --- the helpers of the package ---------------------------------------------------------------

WILD = (-(2**62), -257, -9, -1, 0, 3, 7, 8, 9, 12, 63, 241, 300, 10**6, 2**62)
ASKED = [
    "strength(table, a, b)",
    "price_of_legion(table, a, b)",
    "limit_of(table, a)",
    "within_limit(table, a, b)",
    "playable_after(table, a, b, c)",
    "income_of(table, a, b)",
    "income_if_played(table, a, b, c)",
    "best_rival(table, me, a)",
    "rome_known(table, me, a)",
    "rome_now(table, me, a)",
    "rome_forecast(table, me, a)",
    "rome_strength(table, me, a, 0.5)",
    "lead_over_rome(table, me, a, b)",
    "cards_unseen(table, me, a)",
    "symbols_unseen(table, me, a)",
    "placed_card(choice, a)",
    "placed_to(choice, a)",
    "bought_legion(choice, a)",
    "played_card(me, choice, a)",
    "passes(choice, a)",
    "category_of(a)",
    "symbols_of(a)",
    "value_of(a)",
    "is_military(a)",
]


class Public:
    """A record of the game as plain Python sees it: whole numbers, and every index checked."""

    def __init__(self, record):
        self._record = record

    def __getattr__(self, name):
        return _public(self._record[name])

    def __getitem__(self, index):
        return _public(self._record[index])


def _public(value):
    return Public(value) if isinstance(value, (np.ndarray, np.void)) else value.item()


def as_python(function):
    """A compiled function as the plain Python function it was made of, with all that it calls."""
    names = {"__builtins__": __builtins__}
    for step in dis.get_instructions(function.py_func):
        if step.opname == "LOAD_GLOBAL" and step.argval in function.py_func.__globals__:
            value = function.py_func.__globals__[step.argval]
            names[step.argval] = as_python(value) if hasattr(value, "py_func") else value
    return FunctionType(function.py_func.__code__, names)


@pytest.fixture(scope="module")
def middle_of_a_game():
    """A game of four in its fifth round, with cards in view, in hand and below legions."""
    lineup = paxsim.make_lineup("random", 4)
    for game in walk(paxsim.make_setting(4), lineup, 4, 2, 0):
        if game.record["table"]["round"] == 5 and game.decision == "place":
            return game
    raise AssertionError("no such position")


@pytest.fixture(scope="module")
def asked_compiled():
    """All helpers as a guest calls them, by number."""
    lines = [f"    if which == {i}: return 1.0 * ({call})" for i, call in enumerate(ASKED)]
    source = "def asked(table, me, choice, which, a, b, c):\n" + "\n".join(lines)
    names = dict(vars(helpers))
    exec(source + "\n    return 0.0\n", names)
    asked, show = guest(names["asked"]), vars(readonly)
    table_view, seat_view, choice_view = (
        show[name] for name in ("table_view", "seat_view", "choice_view")
    )

    @numba.njit
    def ask(game, seat, which, a, b, c):
        table, me = table_view(game.table), seat_view(game.seats[seat])
        return asked(table, me, choice_view(game.choices[seat]), which, a, b, c)

    return ask


@pytest.mark.parametrize("which", range(len(ASKED)), ids=[call.split("(")[0] for call in ASKED])
def test_a_helper_asked_for_nonsense_reads_public_numbers_or_nothing(
    which, middle_of_a_game, asked_compiled
):
    """It raises an error, or says what plain Python says of the three records alone."""
    record, seat = middle_of_a_game.record, middle_of_a_game.seat - 1
    call = ASKED[which]
    name = call.split("(")[0]
    names = {
        "table": Public(record["table"]),
        "me": Public(record["seats"][seat]),
        "choice": Public(record["choices"][seat]),
        name: as_python(vars(helpers)[name]),
    }
    answered = 0
    for a in WILD:
        for b in WILD if "b" in call.split("(")[1] else (0,):
            c = a ^ b if " c)" in call else 0
            try:
                found = asked_compiled(record, seat, which, a, b, c)
            except (IndexError, ValueError, OverflowError):
                continue
            assert found == float(eval(call, {**names, "a": a, "b": b, "c": c})), (a, b, c)
            answered += 1
    assert answered > 0


# --- ways to memory ---------------------------------------------------------------------------

WAYS = {
    "flat": "return me.hand.flat[900]",
    "view": "return me.hand.view(np.uint8)[0]",
    "ravel": "return table.symbols.ravel()[0]",
    "reshape": "return table.symbols.reshape(64)[0]",
    "transposed": "return table.symbols.T[0, 9]",
    "pointer": "return me.hand.ctypes.data",
    "strides": "return me.hand.strides[0]",
    "as_strided": "return np.lib.stride_tricks.as_strided(me.hand, (9999,), (2,))[900]",
    "frombuffer": "return np.frombuffer(me.hand, np.uint16)[0]",
    "carray": "return numba.carray(me.hand, 999)[900]",
    "take": "return np.take(me.hand, 900)",
    "choose": "return np.choose(900, me.hand)",
    "indices": "return me.hand[np.zeros(3, np.int64) + 900][0]",
    "mask": "return me.hand[me.hand > 3][0]",
    "ellipsis": "return me.hand[...][0]",
    "leftovers": "return int(np.empty(99)[7])",
    "leftovers like": "return int(np.empty_like(me.params)[7])",
    "leftovers of numba": "return np.array([i for i in range(3)])[0]",
    "computed field": "name = 'money' if me.seat else 'hand_count'\nreturn me[name]",
    "getattr": "return getattr(me, 'money')",
    "dictionary": "names = {1: me.money}\nreturn names[1]",
    "generator": "for x in (y for y in range(3)):\n    return x\nreturn 0",
    "typed dictionary": "seen = numba.typed.Dict()\nseen[1] = 1\nreturn seen[1]",
    "unset number": "if me.money > 99:\n    x = 5\nreturn x",
    "unset record": "if me.money > 99:\n    x = me\nreturn x.money",
    "unset array": "if me.money > 99:\n    x = me.hand\nreturn x[0]",
    "unset list": "if me.money > 99:\n    x = [1]\nreturn x[0]",
    "unset after a loop": "for i in range(me.money):\n    x = i\nreturn x",
    "unset after a comprehension": "y = [x for x in me.hand]\nreturn x",
    "unset after two comprehensions": "y = [x for x in me.hand]\nz = [x for x in y]\nreturn x",
    "unset after a comprehension in a loop": (
        "for i in range(3):\n    y = [x for x in me.hand]\n    if i: return x\nreturn 0"
    ),
    "unset after a comprehension with an if": "y = [x for x in me.hand if x]\nreturn x",
    "unset before and after a comprehension": (
        "if me.money > 99:\n    x = [1]\ny = [x for x in me.hand if x]\nreturn x[0]"
    ),
    "unset before a comprehension, copied": (
        "for x in range(me.money):\n    pass\ny = [x for x in me.hand]\nz = x\nreturn z"
    ),
    "unset in a loop": "for i in range(3):\n    if i == 2:\n        return x\n    x = i\nreturn 0",
    "deleted": "x = 5\nif me.money > 2:\n    del x\nreturn x",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_memory_is_refused_by_its_name(tmp_path, way):
    said = refused(tmp_path, WAYS[way])
    if way.startswith("unset"):
        assert "x may have no value here" in said or "the name x means nothing" in said


STRANGERS = {
    "an intrinsic": (
        """
        from numba.extending import intrinsic
        @intrinsic
        def stranger(context, x):
            return types.int64(x), lambda context, builder, signature, arguments: arguments[0]
        """,
        "return stranger(me)",
    ),
    "an intrinsic of the engine": (
        "from paxsim.engine.seating import policy_at as stranger",
        "return stranger(np.uint64(me.money))(table, me, choice)",
    ),
    "the views of the package": (
        "from paxsim.guests.views import seat_view as stranger",
        "return stranger(me).money",
    ),
    "a C callback": (
        "@numba.cfunc(types.int64(types.int64))\ndef stranger(x):\n    return x",
        "return stranger(me.money)",
    ),
    "a function of the C library": (
        "stranger = ctypes.CDLL(None).labs\nstranger.argtypes = [ctypes.c_long]",
        "return stranger(me.money)",
    ),
    "vectorize": (
        "@numba.vectorize\ndef stranger(x):\n    return x",
        "return stranger(me.money)",
    ),
    "guvectorize": (
        """
        @numba.guvectorize(["(int64[:], int64[:])"], "(n)->(n)")
        def stranger(x, y):
            y[0] = x[900]
        """,
        "a = np.zeros(3, np.int64)\nstranger(a, a)\nreturn 0",
    ),
    "a class": (
        """
        @numba.experimental.jitclass([("x", types.int64)])
        class stranger:
            def __init__(self):
                self.x = 0
        """,
        "return stranger().x",
    ),
    "a list from outside": ("stranger = numba.typed.List([1])", "return stranger[0]"),
    "a plain list from outside": ("stranger = [1]", "return stranger[0]"),
    "functions in a tuple": (
        "@numba.njit\ndef f(me):\n    return me.hand[900]\nstranger = (f, f)",
        "return stranger[0](me)",
    ),
    "a function that says it is another": (
        """
        from numba.extending import overload
        class Stranger:
            def __hash__(self):
                return hash(abs)
            def __eq__(self, other):
                return True
            def __call__(self, x):
                pass
        stranger = Stranger()
        @overload(stranger)
        def _(x):
            return lambda x: x.money
        """,
        "return stranger(me)",
    ),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_can_not_be_looked_into_is_refused(tmp_path, kind):
    before, lines = STRANGERS[kind]
    refused(tmp_path, lines, before)


LIVE = {
    "a global": ("", "return int(ALL[me.money]) * 0"),
    "a module's": ("import types as t\nm = t.ModuleType('m')\nm.ALL = ALL", "return m.ALL[0] * 0"),
    "a default": ("@paxsim.helper\ndef f(i, a=ALL):\n    return a[i]", "return f(0) * 0"),
    "a closure's": (
        "def make(a):\n    @paxsim.helper\n    def f(i):\n        return a[i]\n    return f\n"
        "f = make(ALL)",
        "return f(0) * 0",
    ),
}


@pytest.mark.parametrize("where", LIVE)
def test_an_array_that_is_not_copied_into_the_code_is_refused(tmp_path, where):
    """Of large arrays the compiler keeps the address: one over all of memory would show it all."""
    before, lines = LIVE[where]
    said = refused(tmp_path, lines, f"ALL = np.zeros({LARGEST_ARRAY + 1}, np.uint8)\n{before}")
    assert "as a default" in said if where == "a default" else f"{LARGEST_ARRAY} bytes" in said


def test_a_record_from_outside_is_refused(tmp_path):
    record = "RECORDS = np.zeros(3, np.dtype([('a', np.int64)]))"
    refused(tmp_path, "return RECORDS[0].a", record)
