"""The `search` policy: how a line-up names it, and its compiled function."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import whole
from paxsim.engine.lowlevel import POLICY_SIGNATURE, record_at
from paxsim.engine.records import MAX_PARAMS, address_of
from paxsim.engine.threads import compiling
from paxsim.errors import PaxsimError, unknown
from paxsim.policies.policy import Policy, PolicyContext
from paxsim.policies.registry import HEURISTICS, get_policy, parse_setting
from paxsim.search.memory import MAX_MODELS, MAX_PLANS, SearchType, search_dtype
from paxsim.search.opponents import priors_of, profile_of
from paxsim.search.sequential_halving import choose_option
from paxsim.setting import Setting

NAME = "search"
#: Value of `opponents` for the catalogue, weighed by what a rival has done so far.
ADAPTIVE = "adaptive"


def split_outside(text: str, mark: str) -> list[str]:
    """Return the parts of a text between marks outside of parentheses."""
    if re.search(r"[()]", re.sub(r"\([^()]*\)", "", text)):
        raise PaxsimError(
            f"policy {NAME}: parentheses must be in pairs, as in "
            f"NAME(parameter=number:parameter=number), got {text!r}"
        )
    return [part.strip() for part in re.split(rf"{re.escape(mark)}(?![^(]*\))", text)]


def read_policies(field: str, text: str, most: int) -> tuple[Policy, ...]:
    """Return the policies of ``A+B(parameter=number)+C``, the value of a setting."""
    names = split_outside(text, "+")
    if not all(names):
        raise PaxsimError(f"policy {NAME}: {field} must be policies such as A+B+C, got {text!r}")
    if len(names) > most:
        raise PaxsimError(
            f"policy {NAME}: {field} may be at most {most} policies, got {len(names)}"
        )
    return tuple(get_policy(_unfolded(name)) for name in names)


def _unfolded(name: str) -> str:
    """Rewrite ``hermit(a=1:b=2)`` as ``hermit:a=1:b=2``."""
    match = re.fullmatch(r"([^(]+)(?:\((.*)\))?", name)
    if match is None:
        raise PaxsimError(
            f"policy {NAME}: parameters are written NAME(parameter=number:parameter=number), "
            f"got {name!r}"
        )
    head, params = match.groups()
    return f"{head}:{params}" if params and params.strip() else head


def folded(policy: Policy, text: str) -> str:
    """Return a policy's label or spec with its changed parameters in parentheses."""
    changed = policy.label[len(policy.name) + 1 :]
    return f"{text[: -len(changed) - 1]}({changed})" if changed else text


#: Largest number of rollouts for an option; it takes hours for a game.
MAX_ROLLOUTS = 100_000
#: Upper limits of the other numbers.
MOST = {"doubt": 1000, "closeness": 1}
DEFAULTS = {"rollouts": 32.0, "doubt": 1.0, "closeness": 0.5}
#: Settings that are not numbers.
SETTINGS = ("kind", "self", "opponents")
#: Kinds of search: one decision deep, or with a tree over the later ones.
FLAT, TREE = KINDS = ("flat", "tree")
#: Parameters of `hermit`, tuned to win by points against conspiring rivals: beat Rome in as many
#: categories as possible.
FOR_POINTS = (
    "hermit(new=0.2:urgency=-10:stronger=25:arms=0.3:limit=3.5:row=0.6:senator=1.6:discount=8:"
    "foresight=1.2:starve=11:money=9:money_end=-12)"
)
#: Default plans, with others and in solo.
USUAL_PLANS = (f"{FOR_POINTS}+weighted", "hermit")
#: Gain of each from search beyond that of `weighted`, times the number of players; see
#: docs/search.md.
USUAL_CREDITS = ((0.9, 0.0), (0.0,))

search_at = record_at(SearchType)


def search(table, me, choice):
    """Samples the cards it can't see, and plays every option many times before it chooses.

    Besides its numbers it takes ``kind=flat`` or ``kind=tree``, ``self=A+B`` (plans for its own
    seat), and ``opponents=A+B`` or ``opponents=adaptive`` (models of rivals); see docs/search.md.
    """
    return choose_option(search_at(numba.int64(me.params[0])), table, me, choice)


@dataclass(frozen=True, repr=False, eq=False)
class Searcher(Policy):
    """Policy that looks ahead.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    own : tuple of Policy
        Plans: policies that continue for the searcher's seat in rollouts; empty for the default.
    opponents : tuple of Policy
        Models of which one is drawn for every rival and world; empty for the catalogue, weighed by
        what the rival has done so far.
    """

    kind: str = FLAT
    own: tuple[Policy, ...] = ()
    opponents: tuple[Policy, ...] = ()

    @property
    def searches(self) -> bool:
        """True: it can't play in the rollouts of another searcher."""
        return True

    @property
    def models(self) -> tuple[Policy, ...]:
        """Policies that rivals may be playing."""
        return self.opponents or tuple(map(get_policy, HEURISTICS))

    @property
    def plans(self) -> tuple[tuple[Policy, ...], ...]:
        """Policies that may continue for the own seat: with others, and in solo."""
        return (self.own, self.own) if self.own else _usual_plans()

    def plans_for(self, setting: Setting) -> tuple[Policy, ...]:
        """Return the plans for a setting."""
        return self.plans[bool(setting.solo_level)]

    @property
    def built_in(self) -> bool:
        """True if only the package's own policies take part."""
        return all(policy.built_in for policy in (*self.own, *self.opponents))

    def check_solo(self) -> None:
        """Raise an error if a plan makes no sense in solo."""
        for plan in self.own:
            if not plan.solo:
                raise PaxsimError(
                    f"policy search: self={plan.name} makes no sense in solo; "
                    "choose a policy for solo, such as hermit"
                )

    @property
    def label(self) -> str:
        """Name, changed numbers, and plans and opponents that are not the default."""
        return self._described("label")

    @property
    def spec(self) -> str:
        """Label from which `get_policy` restores it in another process, files included."""
        return self._described("spec")

    def _described(self, how: str) -> str:
        words = [f"kind={self.kind}"] if self.kind != FLAT else []
        words += [f"{k}={_number(v)}" for k, v in self.params.items() if v != self.defaults[k]]
        for field, policies in (("self", self.own), ("opponents", self.opponents)):
            if policies:
                names = [folded(policy, getattr(policy, how)) for policy in policies]
                words.append(f"{field}={'+'.join(names)}")
        return ":".join([self.name, *words])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on everything that decides its moves."""
        parts = [policy.fingerprint for policy in self._players]
        text = repr((self.label, parts, sorted(self.params.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        return make_searcher, (self.params, self.own, self.opponents, self.kind)

    @property
    def compiled(self) -> Any:
        """The compiled search, the same for all searchers."""
        return _compiled()

    def context(self) -> PolicyContext:
        """Return parameters, whose first is the address of a new working memory.

        The context keeps the contexts of the policies in its rollouts alive.
        """
        contexts = []
        workspace = np.zeros(1, search_dtype)
        memory = workspace[0]
        for name, value in self.params.items():
            memory[name] = value
        memory["deep"] = self.kind == TREE
        for solo, plans in enumerate(self.plans):
            memory["plans"][solo] = len(plans)
            for number, plan in enumerate(plans):
                contexts.append(plan.context())
                memory["plan"][solo, number] = plan.address()
                memory["plan_params"][solo, number] = contexts[-1].params
                memory["credit"][solo, number] = 0.0 if self.own else USUAL_CREDITS[solo][number]
        memory["adaptive"] = not self.opponents
        memory["models"] = len(self.models)
        for number, model in enumerate(self.models):
            contexts.append(model.context())
            memory["model"][number] = model.address()
            memory["model_params"][number] = contexts[-1].params
        if not self.opponents:
            names = [model.name for model in self.models]
            memory["prior"][: len(names)] = priors_of(names)
            for number, name in enumerate(names):
                memory["profile"][number] = profile_of(name)
        vector = np.zeros(MAX_PARAMS)
        vector[0] = address_of(workspace)
        return PolicyContext(
            vector, memory["progress"], self.policy_in_rollout, (workspace, contexts)
        )

    def policy_in_rollout(self, progress: np.void) -> Policy:
        """Return the policy that was called last in rollouts with this progress."""
        address = int(progress["policies"][progress["seat"]])
        return next((policy for policy in self._players if policy.address() == address), self)

    @property
    def _players(self) -> tuple[Policy, ...]:
        """All policies that its rollouts may call."""
        with_others, solo = self.plans
        return (*with_others, *solo, *self.models)

    def with_params(self, changes: dict[str, float]) -> Searcher:
        """Return the same searcher with some numbers changed."""
        made = super().with_params(changes)
        rollouts = made.params["rollouts"]
        if not (1 <= rollouts <= MAX_ROLLOUTS and rollouts == int(rollouts)):
            raise PaxsimError(
                f"policy search: rollouts must be a whole number between 1 and {MAX_ROLLOUTS:,}, "
                f"got {rollouts:g}"
            )
        for name, most in MOST.items():
            if not 0 <= made.params[name] <= most:
                raise PaxsimError(
                    f"policy search: {name} must be between 0 and {most}, got {made.params[name]:g}"
                )
        return made  # type: ignore[return-value]


def make_searcher(
    params: dict[str, float],
    own: Sequence[Policy] = (),
    opponents: Sequence[Policy] = (),
    kind: str = FLAT,
) -> Searcher:
    """Return a searcher; see `Searcher` for the arguments."""
    if kind not in KINDS:
        raise unknown("policy search: kind", kind, KINDS)
    if any(policy.searches for policy in (*own, *opponents)):
        raise PaxsimError("policy search: a searcher can't play in the rollouts of a searcher")
    numbers = (dict(DEFAULTS), dict(DEFAULTS))
    alone = all(policy.solo for policy in own)
    made = Searcher(
        NAME, search, *numbers, __name__, alone,
        kind=kind, own=tuple(own), opponents=tuple(opponents),
    )  # fmt: skip
    return made.with_params(dict(params))


def searcher_from(text: str) -> Searcher:
    """Return the searcher of the text after ``search:`` in a line-up."""
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    for part in split_outside(text, ":") if text else []:
        head = part.partition("(")[0]
        name = head.partition("=")[0].strip()
        if "=" not in head and texts:  # self=mine.py:thrifty
            texts[list(texts)[-1]] += f":{part}"
        elif name in texts or name in values:
            raise PaxsimError(f"policy {NAME}: {name} is given twice")
        elif name in SETTINGS:
            texts[name] = part.partition("=")[2].strip()
        elif name in DEFAULTS:
            values.update([parse_setting(NAME, part)])
        else:
            raise unknown(f"policy {NAME}: parameter", name, [*DEFAULTS, *SETTINGS])
    own = read_policies("self", texts["self"], MAX_PLANS) if "self" in texts else ()
    models = texts.get("opponents", ADAPTIVE)
    opponents = () if models == ADAPTIVE else read_policies("opponents", models, MAX_MODELS)
    return make_searcher(values, own, opponents, texts.get("kind", FLAT))


@functools.cache
def _usual_plans() -> tuple[tuple[Policy, ...], ...]:
    return tuple(read_policies("self", text, MAX_PLANS) for text in USUAL_PLANS)


def _number(value: float) -> str:
    """Return the shortest text that is read back as the same number."""
    return repr(int(value) if value == int(value) else value)


@compiling
def _compiled() -> Any:
    outer = whole(search)
    enable_cache(outer, "the search (about 40 s)")
    outer.compile(POLICY_SIGNATURE)
    return outer
