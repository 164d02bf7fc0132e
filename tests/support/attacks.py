"""What the attacks on policies share: files with a policy in them, and what becomes of them."""

import itertools
import re
import textwrap

import pytest

import paxsim

#: At the head of every file of an attacker.
IMPORTS = """
import ctypes
import math
import operator
import random
import time

import numba
import numpy as np
import paxsim
from numba import types
from paxsim.helpers import *
"""

_numbers = itertools.count(1)


def policy_file(folder, lines, before="", arguments="table, me, choice"):
    """A policy with this body and these lines before it, as the file of a user."""
    name = f"attacker_{next(_numbers)}"
    text = [IMPORTS, textwrap.dedent(before).strip("\n"), "", "", "@paxsim.policy"]
    text.append(f"def {name}({arguments}):")
    text.append(textwrap.indent(textwrap.dedent(lines).strip("\n"), "    "))
    file = folder / f"{name}.py"
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    return file


def find(folder, lines, before="", arguments="table, me, choice"):
    """The same, found by paxsim."""
    return paxsim.get_policy(str(policy_file(folder, lines, before, arguments)))


def stopped(action):
    """The one line with which somebody is stopped; it names the policy, a line, and a way out."""
    with pytest.raises(paxsim.PaxsimError) as error:
        action()
    said = str(error.value)
    assert "\n" not in said
    assert re.match(r"policy attacker_\d+", said), said
    assert re.search(r"line \d+", said), said
    assert "; allowed: " in said or "; to see this game: paxsim trace" in said, said
    return said


def refused(folder, lines, before=""):
    """What is said to a policy that is not even compiled."""
    return stopped(lambda: find(folder, lines, before).compiled)


def games(*policies, players=None, deals=6, **keywords):
    """The results of some games as bytes."""
    batch = paxsim.play_batch(list(policies), players, deals=deals, seed=1, **keywords)
    return batch.results.tobytes()
