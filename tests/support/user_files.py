"""Decks and policies in files, as users write them."""

import itertools
import json
import textwrap

import paxsim

DECK = """name = {name}
note = {note}
complete = false
[[cards]]
category = "land"
symbols = {symbols}
value = {value}
count = 60
"""

POLICY = '''{before}
import paxsim


@paxsim.policy
def {name}(table, me, choice):
    """{idea}"""
    return {answer}
{after}
'''

_numbers = itertools.count(1)


def write_deck(path, name="mine", note="", symbols=1, value=1):
    """Write a deck of one kind of card."""
    text = DECK.format(name=json.dumps(name), note=json.dumps(note), symbols=symbols, value=value)
    path.write_text(text, "utf-8")
    return path


def write_policy(path, name, before="", after="", idea="An idea.", answer="0", encoding="utf-8"):
    """Write a policy that returns an expression."""
    text = POLICY.format(name=name, before=before, after=after, idea=idea, answer=answer)
    path.write_text(text, encoding)
    return path


def policy_file(folder, lines, arguments="table, me, choice"):
    """Write a policy with this body under a new name."""
    name = f"users_{next(_numbers)}"
    body = textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ")
    head = "import paxsim\nfrom paxsim.helpers import *\n\n\n@paxsim.policy"
    file = folder / f"{name}.py"
    file.write_text(f"{head}\ndef {name}({arguments}):\n{body}\n", encoding="utf-8")
    return file


def find(folder, lines):
    """Write a policy with this body and return it."""
    return paxsim.get_policy(str(policy_file(folder, lines)))
