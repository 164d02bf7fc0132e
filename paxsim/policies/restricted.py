"""A policy that plays like another one, but for what it is forbidden."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np

from paxsim.cards import CATEGORIES, MAX_SYMBOLS, MAX_VALUE, Card
from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import kernel, whole
from paxsim.engine.loop import policy_address
from paxsim.engine.lowlevel import POLICY_SIGNATURE, copy_choice, policy_at, record_at
from paxsim.engine.records import (
    BUY,
    DISPLAY,
    KEEP,
    MAX_PARAMS,
    N_CATEGORIES,
    NEVER,
    PEEK,
    PLACE,
    PLAY,
    RING,
    ROW,
    TURN,
    address_of,
    category_of,
    choice_dtype,
    passes,
    played_card,
)
from paxsim.errors import PaxsimError, safe_repr, unknown
from paxsim.policies.policy import Policy, PolicyContext
from paxsim.policies.registry import RESTRICTED, get_policy
from paxsim.rules import SPANS

ACTIONS = ("peek", "buy", "react", "second")
#: Between things that are forbidden together.
AND = "+"
#: The most cards that can be forbidden by name.
MAX_FORBIDDEN = 16

#: Powers of the cards, and the rules of a game in which nobody ever has them.
POWERS = {
    "double-draw": {
        "religion_two": SPANS["religion_two"].high,
        "religion_three": SPANS["religion_three"].high,
    },
    "discount": {"discount_step": SPANS["discount_step"].high},
    "bonus": {"bonus_step": SPANS["bonus_step"].high},
    "senator-income": {"senator_income": 0},
}


@dataclass(frozen=True)
class Forbidden:
    """What a seat may not do.

    Attributes
    ----------
    categories : tuple of str
        No card of these is ever added to the display.
    cards : tuple of Card
        Nor are these.
    actions : tuple of str
        Some of `ACTIONS`.
    """

    categories: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    actions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return AND.join([*self.categories, *map(str, self.cards), *self.actions])

    def __or__(self, other: Forbidden) -> Forbidden:
        """What either forbids."""
        return read_forbidden(AND.join([str(self), str(other)]))


def read_forbidden(text: str) -> Forbidden:
    """What ``"intrigue+land/2/4+peek"`` forbids; the order of the words does not matter."""
    if not isinstance(text, str):
        raise PaxsimError(
            f"without: found {safe_repr(text)}; allowed: a text such as intrigue+peek"
        )
    words = {word.strip() for word in text.split(AND)}
    cards = {word for word in words if "/" in word}
    for word in words - cards:
        if word in POWERS:
            raise PaxsimError(
                f"without: found {word}, which one seat can't decline; allowed: for all seats, by "
                "`paxsim ablate --seats all`"
            )
        if word not in CATEGORIES and word not in ACTIONS:
            raise unknown(
                "without: category, action or card",
                word,
                [*CATEGORIES, *ACTIONS, "CATEGORY/SYMBOLS/VALUE"],
            )
    if len(cards) > MAX_FORBIDDEN:
        raise PaxsimError(
            f"without: found {len(cards)} cards by name; allowed: at most {MAX_FORBIDDEN}"
        )
    return Forbidden(
        tuple(word for word in CATEGORIES if word in words),
        tuple(sorted({_card(word) for word in cards})),
        tuple(word for word in ACTIONS if word in words),
    )


def _card(word: str) -> Card:
    """A card by its name, ``category/symbols/value``."""
    category, *numbers = word.split("/")
    if category not in CATEGORIES:
        raise unknown("without: card category", category, CATEGORIES)
    largest = (MAX_SYMBOLS, MAX_VALUE)
    if len(numbers) != len(largest) or not all(
        number.isdecimal() and number.isascii() and int(number) <= most
        for number, most in zip(numbers, largest, strict=False)
    ):
        raise PaxsimError(
            f"without takes a card as category/symbols/value, e.g. land/2/4, got {safe_repr(word)}"
        )
    return Card(category, *map(int, numbers))


def rules_without(words: Iterable[str]) -> dict[str, int]:
    """The changes of the rules that take these powers from everybody."""
    return {field: value for word in words for field, value in POWERS[word].items()}


#: The answer for a policy that chose an option of the whole choice that it was not offered.
NOT_OFFERED = -1

#: What is forbidden to whom, and the choice that is left.
workspace_dtype = np.dtype(
    [
        ("policy", np.uint64),  # the address of the policy that plays,
        ("params", np.float64, MAX_PARAMS),  # and its parameters
        ("category", np.int32, ROW),  # 1 for those that are forbidden
        ("cards", np.int32),
        ("card", np.uint16, MAX_FORBIDDEN),
        *((name, np.int32) for name in ACTIONS),  # 1 for those that are forbidden
        ("allowance", np.int16, ROW),  # what the table said of forbidden categories
        ("option", np.int32, RING),  # what the options that are left are called in the whole choice
        ("choice", choice_dtype),
    ],
    align=True,
)
WorkspaceType = numba.from_dtype(workspace_dtype)
workspace_at = record_at(WorkspaceType)


def restricted(table, me, choice):
    """Plays like another policy, which is never offered what is forbidden.

    ``without=A+B`` says what: categories, cards (land/2/4), peek, buy, react, second (more than one
    card a turn). ``policy=NAME`` comes last and says who plays; its parameters may follow.
    """
    workspace = workspace_at(numba.int64(me.params[0]))
    left = list_allowed(workspace, table, me, choice)
    if left == 1:  # as the engine does: a policy is asked only where there is a choice
        return workspace.option[0]
    if left == 0 or left == choice.count:  # the rules leave nothing else, or all is allowed
        return ask_inner(workspace, table, me, choice)
    leave_out(workspace, choice, left)
    answer = ask_inner(workspace, table, me, workspace.choice)
    if 0 <= answer < left:
        return workspace.option[answer]
    return NOT_OFFERED if 0 <= answer < choice.count else answer


@kernel
def list_allowed(workspace, table, me, choice):
    """Note the options that are not forbidden, and return how many there are."""
    if choice.kind == PLACE or choice.kind == KEEP:
        return choice.count
    left = 0
    for option in range(choice.count):
        workspace.option[left] = option
        left += is_allowed(workspace, table, me, choice, option)
    return left


@kernel
def is_allowed(workspace, table, me, choice, option):
    """Whether nothing forbids an option."""
    kind = choice.kind
    if kind == TURN:
        return not (workspace.peek and option == PEEK)
    if kind == DISPLAY:
        return may_display(workspace, choice.drawn[option])
    if passes(choice, option):
        return True
    if kind == BUY:
        return not workspace.buy
    if kind == PLAY:
        if workspace.second and table.played > 0:
            return False
    elif workspace.react:
        return False
    return may_display(workspace, played_card(me, choice, option))


@kernel
def may_display(workspace, card):
    """Whether the seat may add a card to its display."""
    for i in range(workspace.cards):
        if workspace.card[i] == card:
            return False
    return not workspace.category[category_of(card)]


@kernel
def leave_out(workspace, choice, left):
    """Make a choice of the options that are left, numbered as `paxsim.engine.choices` says."""
    copy_choice(workspace.choice, choice)
    workspace.choice.count = left
    if choice.kind == DISPLAY:
        sort_drawn(workspace, choice, left)
    else:
        for i in range(left):
            workspace.choice.options[i] = choice.options[workspace.option[i]]


@kernel
def sort_drawn(workspace, choice, left):
    """Put the cards that may be chosen in front; the seat still sees the others."""
    behind = left
    following = 0
    for i in range(choice.drawn_count):
        if following < left and workspace.option[following] == i:
            workspace.choice.drawn[following] = choice.drawn[i]
            following += 1
        else:
            workspace.choice.drawn[behind] = choice.drawn[i]
            behind += 1


@kernel
def ask_inner(workspace, table, me, choice):
    """The answer of the policy that plays, with its own parameters and what it may never play."""
    where = me.params[0]
    for i in range(MAX_PARAMS):
        me.params[i] = workspace.params[i]
    allowance = table.allowance[me.seat]
    for category in range(N_CATEGORIES):
        workspace.allowance[category] = allowance[category]
        if workspace.category[category]:
            allowance[category] = NEVER
    answer = policy_at(workspace.policy)(table, me, choice)
    for category in range(N_CATEGORIES):
        allowance[category] = workspace.allowance[category]
    me.params[0] = where
    return answer


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Restricted(Policy):
    """A policy without some of what the rules allow; its parameters are those of the policy.

    Attributes
    ----------
    policy : Policy
        Who plays.
    forbidden : Forbidden
        What it may not do.
    """

    policy: Policy
    forbidden: Forbidden

    @property
    def built_in(self) -> bool:
        """Whether the policy that plays comes with the package."""
        return self.policy.built_in

    @property
    def searches(self) -> bool:
        """Whether the policy that plays does."""
        return self.policy.searches

    def check_alone(self) -> None:
        """Raise if the policy that plays can't play solo."""
        self.policy.check_alone()

    @property
    def label(self) -> str:
        """What is forbidden, and to whom."""
        return self._described(self.policy.label)

    @property
    def spec(self) -> str:
        """The label as `get_policy` reads it in another process, files included."""
        return self._described(self.policy.spec)

    def _described(self, whom: str) -> str:
        return f"{self.name}:without={self.forbidden}:policy={whom}"

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that decides its moves."""
        text = repr((self.name, str(self.forbidden), self.policy.fingerprint))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        return make_restricted, (self.policy, self.forbidden)

    @property
    def compiled(self) -> Any:
        """The compiled restriction, which is the same for all; the policy is compiled too."""
        _ = self.policy.compiled
        return _compiled()

    def address(self, explaining: bool = False) -> int:
        """Where the compiled restriction is."""
        return _address()

    def context(self) -> PolicyContext:
        """A note of what is forbidden, whose address is its only parameter."""
        inner = self.policy.context()
        workspace = self._new_workspace(inner.params)
        vector = np.zeros(MAX_PARAMS)
        vector[0] = address_of(workspace)
        return PolicyContext(vector, inner.rollouts, inner.asked, (workspace, inner))

    def _new_workspace(self, params: np.ndarray) -> np.ndarray:
        workspace = np.zeros(1, workspace_dtype)
        one = workspace[0]
        one["policy"] = self.policy.address()
        one["params"] = params
        for category in self.forbidden.categories:
            one["category"][CATEGORIES.index(category)] = 1
        one["cards"] = len(self.forbidden.cards)
        for number, card in enumerate(self.forbidden.cards):
            one["card"][number] = card.code
        for action in self.forbidden.actions:
            one[action] = 1
        return workspace

    def with_params(self, changes: dict[str, float]) -> Restricted:
        """The same restriction for the policy with some parameters changed."""
        changed = self.policy.with_params(changes)
        return replace(self, policy=changed, params=changed.params)

    def bound_alike(self, other: Policy) -> Policy:
        """Another policy without what is forbidden to this one."""
        return make_restricted(other, self.forbidden)


def make_restricted(policy: Policy, forbidden: Forbidden) -> Restricted:
    """A policy without what is forbidden; restricting it again forbids both."""
    if isinstance(policy, Restricted):
        forbidden = policy.forbidden | forbidden
        policy = policy.policy
    return Restricted(
        RESTRICTED,
        restricted,
        policy.params,
        policy.defaults,
        __name__,
        policy.solo,
        policy.signed,
        policy=policy,
        forbidden=forbidden,
    )


def restricted_from(settings: list[str]) -> Restricted:
    """A restricted policy as a line-up names it, from the parts behind its name."""
    first, _, words = (settings[0] if settings else "").partition("=")
    name, _, who = (settings[1] if len(settings) > 1 else "").partition("=")
    if first.strip() != "without" or name.strip() != "policy":
        raise PaxsimError(
            f"policy {RESTRICTED}: found {':'.join([RESTRICTED, *settings])!r}; allowed: "
            f"{RESTRICTED}:without=A+B:policy=NAME"
        )
    forbidden = read_forbidden(words)
    return make_restricted(get_policy(":".join([who, *settings[2:]])), forbidden)


@functools.cache
def _compiled() -> Any:
    outer = whole(restricted)
    enable_cache(outer)
    outer.compile(POLICY_SIGNATURE)
    return outer


@functools.cache
def _address() -> int:
    return policy_address(_compiled())
