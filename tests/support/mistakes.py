"""What attackers write, and what they must be told: one line, and nothing else."""

import json

from paxsim.cli import run_command

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


def write_deck(path, name="mine", note="", symbols=1, value=1):
    text = DECK.format(name=json.dumps(name), note=json.dumps(note), symbols=symbols, value=value)
    path.write_text(text, "utf-8")
    return path


def write_policy(path, name, before="", after="", idea="An idea.", answer="0", encoding="utf-8"):
    text = POLICY.format(name=name, before=before, after=after, idea=idea, answer=answer)
    path.write_text(text, encoding)
    return path


def mistake(capsys, *arguments):
    """The one line that a command ends with, which nothing was printed before."""
    assert run_command([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("paxsim: ") and err.count("\n") == 1, err
    assert err[:-1].isprintable() and "Traceback" not in err
    return err
