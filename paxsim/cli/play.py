"""`paxsim play`: sit down at a table, in the browser or in the terminal."""

from __future__ import annotations

import secrets
from datetime import datetime
from pathlib import Path

import click

from paxsim.cli import options
from paxsim.cli.console import say, warn
from paxsim.cli.trace import given_options
from paxsim.errors import PaxsimError, checked_int

#: Who plays the other seats unless something else is said.
_RIVALS = "weighted"
_MAX_PORT = 65_535
#: What a saved game says itself.
_SAID_BY_SAVE = (
    "players", "solo_level", "deck", "rules", "policies", "seat", "seed", "campaign", "save",
)  # fmt: skip


@click.command("play")
@options.setting
@click.option(
    "--policies",
    metavar="A,B,...",
    help="Who plays the other seats, in their order; one plays all of them.  [default: weighted]",
)
@click.option("--seat", default="1", show_default=True, metavar="N,M,...", help="Seats of people.")
@click.option("--seed", type=int, help="Names the deal.  [default: a random one]")
@click.option("--campaign", is_flag=True, help="Solo: the levels in order, as long as you win.")
@click.option("--save", type=options.PATH, metavar="FILE", help="Keep the game here.")
@click.option("--resume", type=options.PATH, metavar="FILE", help="Go on with a game kept there.")
@click.option("--out", type=options.PATH, metavar="FILE", help="The trace, when it is over.")
@click.option("--port", type=int, default=0, help="Where to listen.  [default: a free one]")
@click.option("--terminal", is_flag=True, help="Play here, without a browser.")
def command(
    players,
    solo_level,
    deck,
    rules,
    policies,
    seat,
    seed,
    campaign,
    save,
    resume,
    out,
    port,
    terminal,
) -> None:
    """Play yourself: on a board in the browser, served on this machine only, or in the terminal.

    Each seat of a person has a link of its own. The game is kept after every decision; what is
    over becomes a trace.
    """
    from paxsim.hosting.arrangement import read_save
    from paxsim.hosting.host import Host

    checked_int("port", port, 0, _MAX_PORT)
    games = None
    if resume is not None:
        _refuse_what_is_saved()
        save = resume
        arrangement, games = read_save(resume)
    else:
        arrangement = _arranged(players, solo_level, deck, rules, policies, seat, seed, campaign)
        save = save or Path(f"pax-{datetime.now():%Y%m%d-%H%M%S}.json")
        if save.exists():
            raise PaxsimError(
                f"save: {save} is there already; allowed: another name, or --resume {save}"
            )
    trace = out or save.with_suffix(".jsonl")
    if trace == save:
        raise PaxsimError(f"out: found {trace} for the trace and the game; allowed: two names")

    def make_host() -> Host:
        return Host(arrangement, save, trace, games)

    if terminal:
        from paxsim.hosting.terminal import play_in_terminal

        play_in_terminal(make_host(), say, _ask)
    else:
        from paxsim.hosting.server import serve

        say("Open the link of your seat; Ctrl-C ends the server.")
        serve(make_host, port, say, warn)
    say(f"The game is kept in {save} (paxsim play --resume {save}).")
    if trace.exists():
        say(f"Its trace is {trace} (paxsim replay {trace}).")


def _ask(text: str) -> str:
    """A line that a person types; who leaves by Ctrl-C, or types no more, has said q."""
    from paxsim.hosting.terminal import LEAVE

    try:
        return click.prompt(text, "", prompt_suffix="", show_default=False)
    except click.Abort:
        say("")
        return LEAVE


def _refuse_what_is_saved() -> None:
    """A saved game is what it is."""
    for name in _SAID_BY_SAVE:
        if name in given_options():
            option = name.replace("_", "-")
            raise PaxsimError(f"{option}: found with --resume; allowed: no --{option}")


def _arranged(players, solo_level, deck, rules, policies, seat, seed, campaign):
    """What was asked for, as an arrangement."""
    from paxsim.hosting.arrangement import Arrangement
    from paxsim.lineup import as_specs
    from paxsim.policies.registry import find_policy
    from paxsim.rules import load_rules
    from paxsim.setting import MAX_NUMBER, make_setting, players_meant

    specs = as_specs(policies or _RIVALS)
    if campaign and players is None:
        players = 1
    elif players is None:  # each at a seat of its own
        players = players_meant(len(specs), solo_level, people=len(seat.split(",")))
    setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
    people = _seats(seat, setting.players)
    free = [other for other in range(1, setting.players + 1) if other not in people]
    if policies is not None and not free:
        raise PaxsimError(f"policies: found {policies} with no seat left; allowed: no --policies")
    if len(specs) == 1:
        specs *= len(free)
    if len(specs) != len(free):
        raise PaxsimError(
            f"policies: found {len(specs)} for {len(free)} seats; "
            f"allowed: {len(free)}, or one that plays all of them"
        )
    at_seat = dict(zip(free, (find_policy(spec).spec for spec in specs), strict=True))
    return Arrangement(
        policies=[at_seat.get(number) for number in range(1, setting.players + 1)],
        seed=secrets.randbelow(MAX_NUMBER) if seed is None else seed,
        solo_level=setting.solo_level,
        deck=setting.deck.source,
        rules=load_rules(rules).changed(),
        campaign=campaign,
    )


def _seats(text: str, players: int) -> list[int]:
    """The seats of people, from a text such as 1,3."""
    found = []
    for part in text.split(","):
        number = int(part) if part.strip().isdecimal() and len(part) < 9 else part
        found.append(checked_int("seat", number, 1, players))
    if len(set(found)) != len(found):
        raise PaxsimError(f"seat: found {text}; allowed: each seat once")
    return found
