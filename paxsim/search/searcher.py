"""The searching seat as a policy: named in a line-up like any other.

``search:rollouts=64:self=hermit:opponents=weighted+tribune``: rollouts for each option of a
decision, the policy that plays the own seat on, and the policies of which one is drawn for every
rival and world.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from dataclasses import dataclass, replace
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
from paxsim.search.flat import search_flat
from paxsim.search.records import MAX_MODELS, SearchType, search_dtype

NAME = "search"
#: The most rollouts for an option: an hour a game, and no sense.
MAX_ROLLOUTS = 100_000
DEFAULTS = {"rollouts": 32.0, "doubt": 1.0, "tie_break": 0.1}
#: Who plays on, unless said otherwise.
DEFAULT_SELF = {False: "weighted", True: "hermit"}

search_at = record_at(SearchType)
_desks = threading.local()


def search(table, me, choice):
    """Imagines the cards it can't see and plays every option out many times before it chooses."""
    return search_flat(search_at(numba.int64(me.params[0])), table, me, choice)


@dataclass(frozen=True)
class Searcher(Policy):
    """A policy that looks ahead.

    Attributes
    ----------
    own : Policy
        Plays the searcher's seat in its rollouts.
    opponents : tuple of Policy
        One of them is drawn for every rival and world.
    """

    own: Policy = None  # type: ignore[assignment]
    opponents: tuple[Policy, ...] = ()

    @property
    def built_in(self) -> bool:
        """Whether nothing but the package's own policies takes part."""
        return all(policy.built_in for policy in (self.own, *self.opponents))

    @property
    def label(self) -> str:
        """Name, changed numbers, and who plays its rollouts."""
        opponents = "+".join(policy.name for policy in self.opponents)
        changed = [f"{k}={v:g}" for k, v in self.params.items() if v != self.defaults[k]]
        return ":".join([self.name, *changed, f"self={self.own.name}", f"opponents={opponents}"])

    @property
    def spec(self) -> str:
        """The label as `find_policy` reads it in another process, files included."""
        opponents = "+".join(policy.spec for policy in self.opponents)
        changed = [f"{k}={v:g}" for k, v in self.params.items() if v != self.defaults[k]]
        return ":".join([self.name, *changed, f"self={self.own.spec}", f"opponents={opponents}"])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that decides its moves."""
        parts = [policy.fingerprint for policy in (self.own, *self.opponents)]
        text = repr((parts, sorted(self.params.items())))
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
        desks = vars(_desks).setdefault("made", {})
        if self.spec not in desks:
            desks[self.spec] = self._new_desk()
        return desks[self.spec]

    def _new_desk(self) -> np.ndarray:
        desk = np.zeros(1, search_dtype)
        one = desk[0]
        for name, value in self.params.items():
            one[name] = value
        one["self"] = self.own.address()
        one["self_params"] = self.own.param_vector()
        one["models"] = len(self.opponents)
        for number, model in enumerate(self.opponents):
            one["model"][number] = model.address()
            one["model_params"][number] = model.param_vector()
            one["weight"][number] = 1.0
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
    params: dict[str, float], own: Policy, opponents: tuple[Policy, ...]
) -> Searcher:
    """A searcher of checked policies."""
    for policy in (own, *opponents):
        if isinstance(policy, Searcher):
            raise PaxsimError(
                "policy search: found a searcher that plays its rollouts; allowed: other policies"
            )
    if not 1 <= len(opponents) <= MAX_MODELS:
        raise PaxsimError(
            f"policy search: opponents: found {len(opponents)}; allowed: 1 to {MAX_MODELS}"
        )
    made = Searcher(
        NAME, search, dict(DEFAULTS), dict(DEFAULTS), __name__, True, own, tuple(opponents)
    )
    return made.with_params(params)


@functools.cache
def _compiled() -> Any:
    outer = whole(search)
    enable_package_cache(outer, "the search")
    outer.compile(POLICY_SIGNATURE)
    return outer


@functools.cache
def _address() -> int:
    return policy_address(_compiled())
