"""The searching seat as a policy: named in a line-up like any other.

``search:rollouts=64:self=hermit:opponents=weighted+tribune``: rollouts for each option of a
decision, the policy that plays the own seat on, and the policies of which one is drawn for every
rival and world. ``opponents=adaptive`` draws from the catalogue by what a rival has done so far.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from paxsim.engine.cache import enable_package_cache
from paxsim.engine.jit import whole
from paxsim.engine.loop import record_at
from paxsim.engine.records import MAX_PARAMS, address_of
from paxsim.engine.seating import POLICY_SIGNATURE, policy_address
from paxsim.errors import PaxsimError, unknown
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, find_policy, parse_setting
from paxsim.search.flat import search_flat
from paxsim.search.models import likeness_of
from paxsim.search.records import MAX_MODELS, SearchType, search_dtype

NAME = "search"
#: The most rollouts for an option: hours for a game, and no sense.
MAX_ROLLOUTS = 100_000
DEFAULTS = {"rollouts": 32.0, "doubt": 1.0, "tie_break": 0.1}
#: Who plays the own seat on unless said otherwise, with others and in solo.
DEFAULT_SELF, DEFAULT_SOLO = "weighted", "hermit"
#: Stands for the catalogue, weighed by what a rival has done so far.
ADAPTIVE = "adaptive"

search_at = record_at(SearchType)
#: By thread and searcher. Kept for good, because games in hand hold addresses of them; a thread
#: that ends leaves its number, and its desks, to a later one.
_desks: dict[tuple[int, str], np.ndarray] = {}


def search(table, me, choice):
    """Imagines the cards it can't see, and plays every option out many times before it chooses.

    Beside its numbers it takes ``self=POLICY``, who plays its own seat on, and ``opponents=A+B`` or
    ``opponents=adaptive``, who the rivals may be; docs/search.md tells more.
    """
    return search_flat(search_at(numba.int64(me.params[0])), table, me, choice)


@dataclass(frozen=True)
class Searcher(Policy):
    """A policy that looks ahead.

    Attributes
    ----------
    own : Policy or None
        Plays the searcher's seat on in its rollouts; None for the usual ones.
    opponents : tuple of Policy
        One of them is drawn for every rival and world; empty for the catalogue, weighed by what
        the rival has done so far.
    """

    own: Policy | None = None
    opponents: tuple[Policy, ...] = ()

    @property
    def models(self) -> tuple[Policy, ...]:
        """The policies that rivals may be playing."""
        return self.opponents or tuple(map(find_policy, HEURISTICS))

    @property
    def built_in(self) -> bool:
        """Whether nothing but the package's own policies takes part."""
        own = (self.own,) if self.own else ()
        return all(policy.built_in for policy in (*own, *self.opponents))

    @property
    def thread_bound(self) -> bool:
        """Its parameters name the memory that it works with."""
        return True

    @property
    def label(self) -> str:
        """Name, changed numbers, and who plays its rollouts unless it is the usual ones."""
        return self._described("label")

    @property
    def spec(self) -> str:
        """The label as `find_policy` reads it in another process, files included."""
        return self._described("spec")

    def _described(self, how: str) -> str:
        words = [f"{k}={_number(v)}" for k, v in self.params.items() if v != self.defaults[k]]
        if self.own:
            words.append(f"self={getattr(self.own, how)}")
        if self.opponents:
            words.append("opponents=" + "+".join(getattr(one, how) for one in self.opponents))
        return ":".join([self.name, *words])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that decides its moves."""
        own = self.own or find_policy(DEFAULT_SELF)
        parts = [policy.fingerprint for policy in (own, *self.models)]
        text = repr((self.label, parts, sorted(self.params.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        return make_searcher, (self.params, self.own, self.opponents)

    @property
    def compiled(self) -> Any:
        """The compiled search, which is the same for all searchers."""
        return _compiled()

    def address(self, explaining: bool = False) -> int:
        """Where the compiled search is."""
        return _address()

    def param_vector(self) -> np.ndarray:
        """Where the searcher's memory is, as the only parameter; it belongs to this thread."""
        vector = np.zeros(MAX_PARAMS)
        vector[0] = address_of(self._desk())
        return vector

    def _desk(self) -> np.ndarray:
        """The memory of this searcher in this thread."""
        whose = (threading.get_ident(), self.fingerprint)
        if whose not in _desks:
            _desks[whose] = self._new_desk()
        return _desks[whose]

    @property
    def rollout_progress(self) -> np.void:
        """Where the rollouts of this thread stand, or stood when a policy failed in them."""
        return self._desk()[0]["progress"]

    def asked_in_rollout(self, progress: np.void) -> Policy:
        """The policy that was asked last in rollouts that stand there."""
        address = int(progress["policies"][progress["seat"]])
        return next((one for one in self._players if one.address() == address), self)

    @property
    def _players(self) -> tuple[Policy, ...]:
        """All policies that its rollouts may ask."""
        usual = map(find_policy, (DEFAULT_SELF, DEFAULT_SOLO))
        return (*((self.own,) if self.own else usual), *self.models)

    def _new_desk(self) -> np.ndarray:
        desk = np.zeros(1, search_dtype)
        one = desk[0]
        for name, value in self.params.items():
            one[name] = value
        for solo, usual in enumerate((DEFAULT_SELF, DEFAULT_SOLO)):
            own = self.own or find_policy(usual)
            one["self"][solo] = own.address()
            one["self_params"][solo] = own.param_vector()
        one["models"] = len(self.models)
        for number, model in enumerate(self.models):
            one["model"][number] = model.address()
            one["model_params"][number] = model.param_vector()
            one["likeness"][number] = likeness_of(model.name)
        one["adaptive"] = not self.opponents
        return desk

    def with_params(self, changes: dict[str, float]) -> Searcher:
        """The same searcher with some numbers changed."""
        made = super().with_params(changes)
        rollouts = made.params["rollouts"]
        if not (1 <= rollouts <= MAX_ROLLOUTS and rollouts == int(rollouts)):
            raise PaxsimError(
                f"policy search: rollouts: found {rollouts:g}; "
                f"allowed: a whole number from 1 to {MAX_ROLLOUTS:,}"
            )
        return made  # type: ignore[return-value]


def make_searcher(
    params: dict[str, float], own: Policy | None, opponents: Sequence[Policy]
) -> Searcher:
    """A searcher; see `Searcher` for what it is made of."""
    for policy in (own, *opponents):
        if isinstance(policy, Searcher):
            raise PaxsimError(
                "policy search: found a searcher in its own rollouts; allowed: any other policy"
            )
    if len(opponents) > MAX_MODELS:
        raise PaxsimError(
            f"policy search: opponents: found {len(opponents)}; allowed: at most {MAX_MODELS}"
        )
    made = Searcher(
        NAME, search, dict(DEFAULTS), dict(DEFAULTS), __name__, True, own, tuple(opponents)
    )
    return made.with_params(params)


def searcher_from(settings: list[str]) -> Searcher:
    """A searcher as a line-up names it, from the parts behind its name."""
    params: dict[str, float] = {}
    named: dict[str, str] = {}
    for part in settings:
        name, _, value = (text.strip() for text in part.partition("="))
        if "=" not in part and named:  # self=mine.py:thrifty
            named[list(named)[-1]] += f":{part}"
        elif name in named or name in params:
            raise PaxsimError(f"policy search: {name}: given twice; allowed: once")
        elif name in ("self", "opponents"):
            named[name] = value
        elif name in DEFAULTS:
            params.update([parse_setting(NAME, part)])
        else:
            raise unknown("policy search: parameter", name, [*DEFAULTS, "self", "opponents"])
    own = find_policy(named["self"]) if "self" in named else None
    opponents: list[Policy] = []
    if named.get("opponents", ADAPTIVE) != ADAPTIVE:
        names = named["opponents"].split("+")
        if not all(name.strip() for name in names):
            raise PaxsimError(
                f"policy search: opponents: found {named['opponents']!r} with an empty name; "
                f"allowed: A+B+C, or {ADAPTIVE}"
            )
        opponents = [find_policy(one) for one in names]
    return make_searcher(params, own, opponents)


def _number(value: float) -> str:
    """A number as short as it can be read again."""
    return repr(int(value) if value == int(value) else value)


@functools.cache
def _compiled() -> Any:
    outer = whole(search)
    enable_package_cache(outer, "the search (about 40 s)")
    outer.compile(POLICY_SIGNATURE)
    return outer


@functools.cache
def _address() -> int:
    return policy_address(_compiled())
