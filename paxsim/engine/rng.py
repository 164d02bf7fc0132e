"""Random streams: xoshiro256** generators, seeded by splitmix64 with the numbers of a game.

A stream is four 64-bit words in a record. The deal and every seat have streams of their own, so
that a deal stays the same while policies differ. A policy can read its seat's stream, which must
reveal nothing about the deal; its seed is mixed with keys that only Python computes.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numba import types

from paxsim.engine.jit import kernel
from paxsim.rules import MAX_PLAYERS

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_5, _7, _9, _17, _45 = (np.uint64(n) for n in (5, 7, 9, 17, 45))
_19, _57 = np.uint64(19), np.uint64(57)
_27, _30, _31, _32 = (np.uint64(n) for n in (27, 30, 31, 32))

#: Words of a stream's state, and of a seat's key.
STATE_WORDS = 4
KEY_WORDS = 2 * STATE_WORDS
#: What `seat_keys` returns, to the compiler.
KeysType = types.Array(types.uint64, 2, "C", readonly=True)


@kernel
def mix(word):
    """Return the output of splitmix64: every input bit affects every output bit."""
    word = (word ^ (word >> _30)) * _MIX_A
    word = (word ^ (word >> _27)) * _MIX_B
    return word ^ (word >> _31)


@kernel
def seed_deal(stream, seed, deal):
    """Set the stream of a deal to its beginning."""
    word = mix(np.uint64(seed) + _GOLDEN)
    word = mix(word ^ (np.uint64(deal) * _GOLDEN + _MIX_A))
    for i in range(STATE_WORDS):
        word += _GOLDEN
        stream[i] = mix(word)


@lru_cache(maxsize=64)
def seat_keys(seed: int) -> np.ndarray:
    """Return keys for the streams of the seats, shape ``(MAX_PLAYERS, 8)``, uint64.

    `mix` can be inverted, a cryptographic hash can't: a stream reveals neither the seed, nor the
    deal, nor the stream of another seat.
    """
    keys = np.empty((MAX_PLAYERS, KEY_WORDS), np.uint64)
    for seat in range(MAX_PLAYERS):
        person = f"paxsim seat {seat}".encode()
        digest = hashlib.blake2b(seed.to_bytes(8, "little"), person=person).digest()
        keys[seat] = np.frombuffer(digest, "<u8")
    keys.flags.writeable = False
    return keys


@kernel
def seed_seat(stream, keys, seat, deal, rotation):
    """Set the stream of a seat to its beginning.

    Each word is mixed with two words of the seat's key and added to the input, so that it
    can't be inverted even with the keys.
    """
    game = mix(np.uint64(deal) + _GOLDEN) + np.uint64(rotation) * _GOLDEN
    for i in range(STATE_WORDS):
        word = game ^ keys[seat, i]
        stream[i] = mix(mix(word) + keys[seat, STATE_WORDS + i]) + word


@kernel
def advance(state):
    """Return the next 64 random bits of a state and the state that follows (xoshiro256**)."""
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
    """Return a uniform integer from 0 to ``bound - 1`` and the state that follows.

    Multiply and shift, redrawing the few low products that would bias the result. The bound must be
    below ``2**32``.
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
    """Return the state of a stream, for many draws without going through memory."""
    return stream[0], stream[1], stream[2], stream[3]


@kernel
def set_state(stream, state):
    """Store a state in its stream."""
    stream[0], stream[1], stream[2], stream[3] = state


@kernel
def below(stream, bound):
    """Return a uniform integer from 0 to ``bound - 1`` from a stream."""
    number, state = draw_below(state_of(stream), bound)
    set_state(stream, state)
    return number


@kernel
def next_word(stream):
    """Return the next 64 random bits of a stream."""
    word, state = advance(state_of(stream))
    set_state(stream, state)
    return word
