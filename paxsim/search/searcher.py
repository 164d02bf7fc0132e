"""The searching seat as a policy; `paxsim.search.naming` says how a line-up names it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import whole
from paxsim.engine.loop import policy_address
from paxsim.engine.lowlevel import POLICY_SIGNATURE, record_at
from paxsim.engine.records import MAX_PARAMS, address_of
from paxsim.errors import PaxsimError, unknown
from paxsim.policies.policy import Policy, PolicyContext
from paxsim.policies.registry import HEURISTICS, get_policy, parse_setting
from paxsim.search.memory import MAX_MODELS, MAX_PLANS, SearchType, search_dtype
from paxsim.search.opponents import priors_of, profile_of
from paxsim.search.sequential_halving import choose_option

NAME = "search"
#: Stands for the catalogue, weighed by what a rival has done so far.
ADAPTIVE = "adaptive"


def read_settings(
    text: str, numbers: Sequence[str], words: Sequence[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """What is said of a searcher behind its name.

    Parameters
    ----------
    text : str
        All behind ``search:``.
    numbers, words : sequence of str
        The settings that there are: those that are numbers, and the others.
    """
    found_numbers: dict[str, float] = {}
    found_words: dict[str, str] = {}
    for part in split_outside(text, ":"):
        said = part.partition("(")[0]
        name, _, _ = (word.strip() for word in said.partition("="))
        if "=" not in said and found_words:  # self=mine.py:thrifty
            found_words[list(found_words)[-1]] += f":{part}"
        elif name in found_words or name in found_numbers:
            raise PaxsimError(f"policy {NAME}: {name}: given twice; allowed: once")
        elif name in words:
            found_words[name] = part.partition("=")[2].strip()
        elif name in numbers:
            found_numbers.update([parse_setting(NAME, part)])
        else:
            raise unknown(f"policy {NAME}: parameter", name, [*numbers, *words])
    return found_numbers, found_words


def split_outside(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand outside of parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if not 0 <= depth <= 1:
            break
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth != 0:
        raise PaxsimError(
            f"policy {NAME}: found {text!r}; allowed: parentheses in pairs, "
            "as in NAME(parameter=number:parameter=number)"
        )
    return [part.strip() for part in parts]


def read_policies(field: str, text: str, most: int, also: str = "") -> tuple[Policy, ...]:
    """The policies of ``A+B(parameter=number)+C``.

    Parameters
    ----------
    field : str
        What they are for, for messages.
    text : str
        What was said.
    most : int
        How many there may be.
    also : str
        What else is allowed there, for messages.
    """
    names = split_outside(text, "+")
    if not all(names):
        raise PaxsimError(
            f"policy {NAME}: {field}: found {text!r} with an empty name; allowed: A+B+C{also}"
        )
    if len(names) > most:
        raise PaxsimError(f"policy {NAME}: {field}: found {len(names)}; allowed: at most {most}")
    return tuple(get_policy(_unfolded(name)) for name in names)


def _unfolded(name: str) -> str:
    """``hermit(a=1:b=2)`` as it is written where there is nothing else: ``hermit:a=1:b=2``."""
    head, opened, rest = name.partition("(")
    if not opened:
        return name
    if not rest.endswith(")"):
        raise PaxsimError(
            f"policy {NAME}: found {name!r}; allowed: NAME(parameter=number:parameter=number)"
        )
    return f"{head}:{rest[:-1]}" if rest[:-1].strip() else head


def folded(policy: Policy, text: str) -> str:
    """A policy's label or spec with its changed parameters in parentheses."""
    changed = policy.label[len(policy.name) + 1 :]
    return f"{text[: -len(changed) - 1]}({changed})" if changed else text


#: The most rollouts for an option: hours for a game, and no sense.
MAX_ROLLOUTS = 100_000
#: The most that its other numbers may be: with so many errors nothing is ever sure, and a weight is
#: a part of 1.
MOST = {"doubt": 1000, "closeness": 1}
DEFAULTS = {"rollouts": 32.0, "doubt": 1.0, "closeness": 0.5}
#: Ways to search: one decision deep, or with a tree over the later ones.
FLAT, TREE = KINDS = ("flat", "tree")
#: Hermit's idea with others at the table, tuned to win by points where rivals conspire: above Rome
#: in as many categories as can be had, no matter in which.
FOR_POINTS = (
    "hermit(new=0.2:urgency=-10:stronger=25:arms=0.3:limit=3.5:row=0.6:senator=1.6:discount=8:"
    "foresight=1.2:starve=11:money=9:money_end=-12)"
)
#: Who may play the own seat on unless something else is said, with others and in solo.
USUAL_PLANS = (f"{FOR_POINTS}+weighted", "hermit")
#: What search adds to each of these beyond what it adds to `weighted`, times the number of players,
#: measured over whole games; docs/search.md has the figures.
USUAL_CREDITS = ((0.9, 0.0), (0.0,))

search_at = record_at(SearchType)


def search(table, me, choice):
    """Imagines the cards it can't see, and plays every option out many times before it chooses.

    Beside its numbers it takes ``kind=flat`` or ``kind=tree``, ``self=A+B``, who may play its own
    seat on, and ``opponents=A+B`` or ``opponents=adaptive``, who the rivals may be; docs/search.md
    tells more.
    """
    return choose_option(search_at(numba.int64(me.params[0])), table, me, choice)


@dataclass(frozen=True, repr=False, eq=False)
class Searcher(Policy):
    """A policy that looks ahead.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    own : tuple of Policy
        Plans: each may play the searcher's seat on in its rollouts; empty for the usual ones.
    opponents : tuple of Policy
        One of them is drawn for every rival and world; empty for the catalogue, weighed by what
        the rival has done so far.
    """

    kind: str = FLAT
    own: tuple[Policy, ...] = ()
    opponents: tuple[Policy, ...] = ()

    @property
    def searches(self) -> bool:
        """It plays games in its head, so it can't play in those of another."""
        return True

    @property
    def models(self) -> tuple[Policy, ...]:
        """The policies that rivals may be playing."""
        return self.opponents or tuple(map(get_policy, HEURISTICS))

    @property
    def plans(self) -> tuple[tuple[Policy, ...], ...]:
        """The policies that may play the own seat on, with others and in solo."""
        return (self.own, self.own) if self.own else _usual_plans()

    @property
    def built_in(self) -> bool:
        """Whether nothing but the package's own policies takes part."""
        return all(policy.built_in for policy in (*self.own, *self.opponents))

    def check_solo(self) -> None:
        """Raise if its own seat would be played on by a policy that makes no sense in solo."""
        for plan in self.own:
            if not plan.solo:
                raise PaxsimError(
                    f"policy search: self: found {plan.name}, which makes no sense in solo; "
                    "allowed there: a policy that does, such as hermit"
                )

    @property
    def label(self) -> str:
        """Name, changed numbers, and who plays its rollouts unless it is the usual ones."""
        return self._described("label")

    @property
    def spec(self) -> str:
        """The label as `get_policy` reads it in another process, files included."""
        return self._described("spec")

    def _described(self, how: str) -> str:
        words = [f"kind={self.kind}"] if self.kind != FLAT else []
        words += [f"{k}={_number(v)}" for k, v in self.params.items() if v != self.defaults[k]]
        for field, policies in (("self", self.own), ("opponents", self.opponents)):
            if policies:
                names = [folded(one, getattr(one, how)) for one in policies]
                words.append(f"{field}={'+'.join(names)}")
        return ":".join([self.name, *words])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that decides its moves."""
        parts = [one.fingerprint for one in self._players]
        text = repr((self.label, parts, sorted(self.params.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        return make_searcher, (self.params, self.own, self.opponents, self.kind)

    @property
    def compiled(self) -> Any:
        """The compiled search, which is the same for all searchers."""
        return _compiled()

    def address(self, explaining: bool = False) -> int:
        """Where the compiled search is."""
        return _address()

    def context(self) -> PolicyContext:
        """A memory of its own, whose address is its only parameter.

        What is kept with it is what the policies of its rollouts need.
        """
        plans = [[plan.context() for plan in plans] for plans in self.plans]
        models = [model.context() for model in self.models]
        workspace = self._new_workspace(plans, models)
        vector = np.zeros(MAX_PARAMS)
        vector[0] = address_of(workspace)
        return PolicyContext(
            vector, workspace[0]["progress"], self.asked_in_rollout, (workspace, plans, models)
        )

    def asked_in_rollout(self, progress: np.void) -> Policy:
        """The policy that was asked last in rollouts that stand there."""
        address = int(progress["policies"][progress["seat"]])
        return next((one for one in self._players if one.address() == address), self)

    @property
    def _players(self) -> tuple[Policy, ...]:
        """All policies that its rollouts may ask."""
        with_others, solo = self.plans
        return (*with_others, *solo, *self.models)

    def _new_workspace(
        self, plan_contexts: list[list[PolicyContext]], contexts: list[PolicyContext]
    ) -> np.ndarray:
        """The memory that it works with, set up (`paxsim.search.memory.search_dtype`)."""
        workspace = np.zeros(1, search_dtype)
        one = workspace[0]
        for name, value in self.params.items():
            one[name] = value
        one["deep"] = self.kind == TREE
        for solo, plans in enumerate(self.plans):
            one["plans"][solo] = len(plans)
            for number, plan in enumerate(plans):
                one["plan"][solo, number] = plan.address()
                one["plan_params"][solo, number] = plan_contexts[solo][number].params
                one["credit"][solo, number] = 0.0 if self.own else USUAL_CREDITS[solo][number]
        one["adaptive"] = not self.opponents
        one["models"] = len(self.models)
        for number, model in enumerate(self.models):
            one["model"][number] = model.address()
            one["model_params"][number] = contexts[number].params
        if not self.opponents:
            names = [model.name for model in self.models]
            one["prior"][: len(names)] = priors_of(names)
            for number, name in enumerate(names):
                one["profile"][number] = profile_of(name)
        return workspace

    def with_params(self, changes: dict[str, float]) -> Searcher:
        """The same searcher with some numbers changed."""
        made = super().with_params(changes)
        rollouts = made.params["rollouts"]
        if not (1 <= rollouts <= MAX_ROLLOUTS and rollouts == int(rollouts)):
            raise PaxsimError(
                f"policy search: rollouts: found {rollouts:g}; "
                f"allowed: a whole number from 1 to {MAX_ROLLOUTS:,}"
            )
        for name, most in MOST.items():
            if not 0 <= made.params[name] <= most:
                raise PaxsimError(
                    f"policy search: {name}: found {made.params[name]:g}; allowed: 0 to {most}"
                )
        return made  # type: ignore[return-value]


def make_searcher(
    params: dict[str, float],
    own: Sequence[Policy] = (),
    opponents: Sequence[Policy] = (),
    kind: str = FLAT,
) -> Searcher:
    """A searcher; see `Searcher` for what it is made of."""
    if kind not in KINDS:
        raise unknown("policy search: kind", kind, KINDS)
    if any(policy.searches for policy in (*own, *opponents)):
        raise PaxsimError(
            "policy search: found a searcher in its own rollouts; allowed: any other policy"
        )
    numbers = (dict(DEFAULTS), dict(DEFAULTS))
    alone = all(policy.solo for policy in own)
    made = Searcher(
        NAME, search, *numbers, __name__, alone,
        kind=kind, own=tuple(own), opponents=tuple(opponents),
    )  # fmt: skip
    return made.with_params(dict(params))


def searcher_from(text: str) -> Searcher:
    """A searcher as a line-up names it, from all that stands behind ``search:``."""
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    if text:
        numbers, words = read_settings(text, list(DEFAULTS), ("kind", "self", "opponents"))
    own: tuple[Policy, ...] = ()
    opponents: tuple[Policy, ...] = ()
    if "self" in words:
        own = read_policies("self", words["self"], MAX_PLANS)
    if words.get("opponents", ADAPTIVE) != ADAPTIVE:
        opponents = read_policies("opponents", words["opponents"], MAX_MODELS, f", or {ADAPTIVE}")
    return make_searcher(numbers, own, opponents, words.get("kind", FLAT))


@functools.cache
def _usual_plans() -> tuple[tuple[Policy, ...], ...]:
    return tuple(read_policies("self", text, MAX_PLANS) for text in USUAL_PLANS)


def _number(value: float) -> str:
    """A number as short as it can be read again."""
    return repr(int(value) if value == int(value) else value)


@functools.cache
def _compiled() -> Any:
    outer = whole(search)
    enable_cache(outer, "the search (about 40 s)")
    outer.compile(POLICY_SIGNATURE)
    return outer


@functools.cache
def _address() -> int:
    return policy_address(_compiled())
