"""Random streams: xoshiro256** generators, seeded by splitmix64 from numbers that name a game.

A stream is four 64-bit words in a record. The deal and every seat have streams of their own, so
that a deal stays the same while policies differ.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.compiling import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_5, _7, _9, _17, _45 = (np.uint64(n) for n in (5, 7, 9, 17, 45))
_19, _57 = np.uint64(19), np.uint64(57)
_27, _30, _31, _32 = (np.uint64(n) for n in (27, 30, 31, 32))

#: Purposes of streams; the stream of a seat has the purpose ``SEAT_STREAM + seat``.
DEAL_STREAM = 0
SEAT_STREAM = 1


@kernel
def mix(word):
    """The output function of splitmix64: every input bit reaches every output bit."""
    word = (word ^ (word >> _30)) * _MIX_A
    word = (word ^ (word >> _27)) * _MIX_B
    return word ^ (word >> _31)


@kernel
def seed_stream(stream, seed, deal, rotation, purpose):
    """Set a stream to its beginning, which depends on all four numbers."""
    word = mix(np.uint64(seed) + _GOLDEN)
    word = mix(word ^ (np.uint64(deal) * _GOLDEN + _MIX_A))
    word ^= (np.uint64(rotation) << _32) + np.uint64(purpose)
    for i in range(4):
        word += _GOLDEN
        stream[i] = mix(word)


@kernel
def advance(state):
    """The next 64 random bits of a state of four words, and the state after it (xoshiro256**)."""
    s0, s1, s2, s3 = state
    scaled = s1 * _5
    word = ((scaled << _7) | (scaled >> _57)) * _9
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    return word, (s0, s1, s2, s3)


@kernel
def draw_below(state, bound):
    """A whole number from 0 to ``bound - 1``, all exactly equally likely, and the state after it.

    Multiply-and-shift; the few low products that would favour some numbers are drawn again. The
    bound is below ``2**32``.
    """
    limit = np.uint64(bound)
    word, state = advance(state)
    product = (word >> _32) * limit
    if (product & _LOW_32) < limit:
        threshold = (np.uint64(1) << _32) % limit
        while (product & _LOW_32) < threshold:
            word, state = advance(state)
            product = (word >> _32) * limit
    return np.int64(product >> _32), state


@kernel
def state_of(stream):
    """The state of a stream, to be drawn from many times without going through memory."""
    return stream[0], stream[1], stream[2], stream[3]


@kernel
def set_state(stream, state):
    """Put a state back into its stream."""
    stream[0], stream[1], stream[2], stream[3] = state


@kernel
def below(stream, bound):
    """A whole number from 0 to ``bound - 1`` out of a stream; see `draw_below`."""
    number, state = draw_below(state_of(stream), bound)
    set_state(stream, state)
    return number


@kernel
def next_word(stream):
    """The next 64 random bits of a stream."""
    word, state = advance(state_of(stream))
    set_state(stream, state)
    return word
