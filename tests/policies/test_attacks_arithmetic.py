"""Attacks with arithmetic: what has no answer is an error, and what has one is Python's."""

import math

import pytest
from support.attacks import find, games, refused, stopped

import paxsim

# --- no answer --------------------------------------------------------------------------------

#: `zero` is 0, `least` is -2**63, `nan` and `inf` are floats; none is known to the compiler.
NO_ANSWER = [
    "1 // zero",
    "1 % zero",
    "divmod(1, zero)[0]",
    "divmod(1, zero)[1]",
    "1 / zero",
    "1.5 // zero",
    "1.5 % zero",
    "1.0 / (0.0 * zero)",
    "least // (zero - 1)",
    "least % (zero - 1)",
    "divmod(least, zero - 1)[0]",
    "2 ** (zero - 1)",
    "zero ** (zero - 1)",
    "pow(2, zero - 1)",
    "np.power(2, zero - 1)",
    "1 << (zero - 1)",
    "1 << (zero + 64)",
    "1 >> (zero - 1)",
    "1 >> (zero + 64)",
    "int(nan)",
    "int(inf)",
    "int(-inf)",
    "int(inf / 2 + 1e300)",
    "int(1e300 + zero)",
    "int(9223372036854775808.0 + zero)",
    "np.int64(nan)",
    "np.int64(1e19 + zero)",
    "round(nan)",
    "round(inf)",
    "round(1e300 + zero)",
    "math.floor(nan)",
    "math.floor(inf)",
    "math.ceil(nan)",
    "math.ceil(-inf)",
    "math.trunc(nan)",
    "table.symbols[0, 0] % zero",
    "in_place_division(zero)",
    "in_place_remainder(zero)",
    "in_place_shift(zero)",
    "under_another_name(nan)",
    "of_numpys_model(zero)",
]
BEFORE = """
@paxsim.helper
def in_place_division(x):
    y = 5
    y //= x
    return y

@paxsim.helper
def in_place_remainder(x):
    y = 5
    y %= x
    return y

@paxsim.helper
def in_place_shift(x):
    y = 5
    y <<= x + 64
    return y

@paxsim.helper
def under_another_name(x):
    whole = int
    return whole(x)

@numba.njit(error_model="numpy", fastmath=True, inline="always")
def of_numpys_model(x):
    return 5 // x
"""
VALUES = """
zero = me.seat * 0
least = -(2**62) - 2**62 + zero
inf = 1e308 * 10.0 ** (zero + 2)
nan = inf - inf
"""


@pytest.fixture(scope="module")
def calculating(tmp_path_factory):
    """One policy with all of them; its parameter says which it computes."""
    lines = [f"if which == {i}:\n    me.memory[0] = {text}" for i, text in enumerate(NO_ANSWER)]
    return find(
        tmp_path_factory.mktemp("calculating"),
        "\n".join([VALUES, *lines, "return 0"]),
        BEFORE,
        "table, me, choice, which=-1",
    )


@pytest.mark.parametrize("which", range(len(NO_ANSWER)), ids=NO_ANSWER)
def test_arithmetic_without_an_answer_is_an_error_that_names_the_line(calculating, which):
    said = stopped(lambda: paxsim.play([calculating.with_params({"which": which}), "random"]))
    kinds = ("ZeroDivisionError(", "OverflowError(", "ValueError(")
    assert any(f"raised {kind}" in said for kind in kinds), said
    assert " in line " in said


NO_KIND = {
    "a fraction into whole numbers": "a = np.zeros(3, np.int64)\na[0] = me.memory[0]\nreturn 0",
    "fractions into whole numbers": "a = np.zeros(32, np.int64)\na[:] = me.memory\nreturn 0",
    "in place": "a = np.zeros(3, np.int32)\na += me.memory[0]\nreturn 0",
    "into a list": "a = [1, 2]\na[0] = me.memory[0]\nreturn 0",
    "full": "return np.full(3, me.memory[0], np.int64)[0]",
    "full_like": "return np.full_like(me.hand, me.memory[0])[0]",
    "array": "return np.array([me.memory[0]], dtype=np.int64)[0]",
    "astype": "return me.memory.astype(np.int64)[0]",
    "sum": "return me.memory.sum(dtype=np.int64)",
    "range": "for i in range(me.memory[0]):\n    pass\nreturn 0",
    "int32": "return np.int32(me.memory[0])",
    "uint8": "return np.uint8(me.memory[0])",
    "int of an array": "return int(me.memory)",
    "// of an array": "return (me.hand // 0)[0]",
    "** of an array": "return (np.ones(3, np.int64) ** -1)[0]",
    "out of a tuple": "return (int, round)[0](me.memory[0])",
    "a fraction as answer": "return me.memory[0]",
}


@pytest.mark.parametrize("what", NO_KIND)
def test_fractions_do_not_become_whole_numbers_unasked(tmp_path, what):
    if what == "a fraction as answer":
        with pytest.raises(paxsim.PaxsimError, match="allowed: a whole number"):
            _ = find(tmp_path, NO_KIND[what]).compiled
    else:
        refused(tmp_path, NO_KIND[what])


# --- an answer --------------------------------------------------------------------------------

NUMBERS = (-(2**63), -(2**62), -7, -2, -1, 0, 1, 2, 3, 63, 64, 2**31, 2**62, 2**63 - 1)
OF_TWO = ["x // y", "x % y", "x << y", "x >> y", "x / y", "divmod(x, y)[0]", "divmod(x, y)[1]"]
FRACTIONS = (-1e300, -(2.0**63), -2.5, -0.5, 0.0, 0.5, 1.5, 2.5, 1e15 + 0.5, 2.0**63, math.nan)
OF_ONE = ["int(z)", "round(z)", "math.floor(z)", "math.ceil(z)", "math.trunc(z)", "np.int64(z)"]


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A policy that computes one of all these of numbers in its memory."""
    lines = [f"if which == {i}:\n    return 1.0 * ({text})" for i, text in enumerate(OF_TWO)]
    lines += [f"if which == {10 + i}:\n    return 1.0 * {t}" for i, t in enumerate(OF_ONE)]
    helper = "\n".join(f"    {line}" for block in lines for line in block.splitlines())
    before = f"@numba.njit\ndef compute(which, x, y, z):\n{helper}\n    return 0.0\n"
    return find(
        tmp_path_factory.mktemp("computed"),
        """
        x = int(xh) * 2**32 + int(xl)
        y = int(yh) * 2**32 + int(yl)
        me.memory[0] = compute(which, x, y, z)
        me.memory[1] = 1.0
        return 0
        """,
        before,
        "table, me, choice, which=0, xh=0, xl=0, yh=0, yl=0, z=0",
    )


def answer(policy, **params):
    """What the policy computes at its first decision, or None after an error."""
    lineup = paxsim.make_lineup([policy.with_params(params), "random"], 2)
    steps = paxsim.game.walk(paxsim.make_setting(2), lineup, 0, 0, 0)
    try:
        game = next(steps)
        next(steps)
    except paxsim.PolicyError as error:
        assert "in line" in str(error)
        return None
    return float(game.record["seats"][0]["memory"][0])


def python(text, **names):
    """What Python computes, or None where it raises an error."""
    try:
        return float(eval(text, {"math": math, "np": math, **names}))
    except (ArithmeticError, ValueError):
        return None


@pytest.mark.parametrize("which", range(len(OF_TWO)), ids=OF_TWO)
def test_what_has_an_answer_in_64_bits_has_pythons(computed, which):
    text = OF_TWO[which]
    for x in NUMBERS:
        for y in NUMBERS[1::2]:
            if ("<<" in text or ">>" in text) and y > 63:
                continue  # refused, though Python would go on
            parts = {"xh": x >> 32, "xl": x & 0xFFFFFFFF, "yh": y >> 32, "yl": y & 0xFFFFFFFF}
            found = answer(computed, which=which, **parts)
            try:
                expected = eval(text, {"x": x, "y": y})
            except (ArithmeticError, ValueError):
                assert found is None, (x, y)
                continue
            if -(2**63) <= expected < 2**63:
                assert found == float(expected), (x, y)


@pytest.mark.parametrize("which", range(5), ids=OF_ONE[:5])
def test_a_fraction_is_made_whole_as_python_does_it(computed, which):
    for z in FRACTIONS[:-1]:
        found = answer(computed, which=10 + which, z=z)
        expected = python(OF_ONE[which], z=z)
        fits = expected is not None and -(2.0**63) <= expected < 2.0**63
        assert found == (expected if fits else None), z


def test_a_fraction_is_rounded_to_digits_as_python_does_it(tmp_path):
    """1.26 becomes 1.3, and the policy then takes the first option of everything."""
    digits = find(tmp_path, "return int(round(1.26 + 0.0 * me.seat, 1) * 10.0 + 0.5) - 13")
    assert games(digits, "random") == games("first", "random")
