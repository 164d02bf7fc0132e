"""Restricted policies: play like another policy without certain cards or actions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np

from paxsim.cards import CATEGORIES, MAX_SYMBOLS, MAX_VALUE, Card
from paxsim.engine.jit import kernel
from paxsim.engine.lowlevel import copy_choice, policy_at, record_at
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
from paxsim.policies.policy import Policy, PolicyContext, compile_cached, compiled_address
from paxsim.rules import SPANS

RESTRICTED = "restricted"
#: Actions that can be forbidden; ``second`` is playing more than one card a turn.
ACTIONS = ("peek", "buy", "react", "second")
#: Most cards that can be forbidden by name.
MAX_FORBIDDEN = 16

#: Powers of cards, and changes to the rules that take them from all seats.
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
    """Cards and actions that a seat may not choose."""

    #: Categories of which no card is ever added to the display.
    categories: tuple[str, ...] = ()
    #: Cards that are never added to the display.
    cards: tuple[Card, ...] = ()
    #: Some of `ACTIONS`.
    actions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "+".join([*self.categories, *map(str, self.cards), *self.actions])

    def __or__(self, other: Forbidden) -> Forbidden:
        return read_forbidden(f"{self}+{other}")


def read_forbidden(text: str) -> Forbidden:
    """Return the cards and actions named by a text such as ``"intrigue+land/2/4+peek"``."""
    if not isinstance(text, str):
        raise PaxsimError(f"without must be a text such as intrigue+peek, got {safe_repr(text)}")
    words = {word.strip() for word in text.split("+")}
    cards = {word for word in words if "/" in word}
    for word in words - cards:
        if word in POWERS:
            raise PaxsimError(
                f"without: a single seat can't decline {word}; "
                "take it from all seats with `paxsim ablate --seats all`"
            )
        if word not in CATEGORIES and word not in ACTIONS:
            names = [*CATEGORIES, *ACTIONS, "CATEGORY/SYMBOLS/VALUE"]
            raise unknown("without: category, action or card", word, names)
    if len(cards) > MAX_FORBIDDEN:
        raise PaxsimError(f"without: at most {MAX_FORBIDDEN} cards by name, got {len(cards)}")
    return Forbidden(
        tuple(word for word in CATEGORIES if word in words),
        tuple(sorted({_card(word) for word in cards})),
        tuple(word for word in ACTIONS if word in words),
    )


def _card(word: str) -> Card:
    """Return the card with a name, ``category/symbols/value``."""
    category, *numbers = word.split("/")
    if category not in CATEGORIES:
        raise unknown("without: card category", category, CATEGORIES)
    if len(numbers) == 2 and all(number.isdecimal() and number.isascii() for number in numbers):
        symbols, value = map(int, numbers)
        if symbols <= MAX_SYMBOLS and value <= MAX_VALUE:
            return Card(category, symbols, value)
    raise PaxsimError(
        f"without: a card is written category/symbols/value, e.g. land/2/4, got {safe_repr(word)}"
    )


def rules_without(powers: Iterable[str]) -> dict[str, int]:
    """Return the changes to the rules that take these powers from all seats."""
    return {field: value for power in powers for field, value in POWERS[power].items()}


#: Answer for a policy that chose an option of the full choice that it was not offered.
NOT_OFFERED = -1

#: Memory of a restricted seat: what is forbidden, and the reduced choice.
workspace_dtype = np.dtype(
    [
        ("policy", np.uint64),  # address of the policy that plays
        ("params", np.float64, MAX_PARAMS),  # its parameters
        ("category", np.int32, ROW),  # 1 if forbidden
        ("cards", np.int32),
        ("card", np.uint16, MAX_FORBIDDEN),
        *((name, np.int32) for name in ACTIONS),  # 1 if forbidden
        ("allowance", np.int16, ROW),  # the table's allowance, restored after asking the policy
        ("option", np.int32, RING),  # options left, by their index in the full choice
        ("choice", choice_dtype),
    ],
    align=True,
)
WorkspaceType = numba.from_dtype(workspace_dtype)
workspace_at = record_at(WorkspaceType)


def restricted(table, me, choice):
    """Play like another policy that is never offered certain cards or actions.

    ``without=A+B`` names them: categories, cards (land/2/4), peek, buy, react, second (more than
    one card a turn). ``policy=NAME`` comes last, with the parameters of this policy if wanted.
    """
    workspace = workspace_at(numba.int64(me.params[0]))
    left = list_allowed(workspace, table, me, choice)
    if left == 1:  # as in the engine, a policy is asked only if there is a choice
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
    """Store the options that are not forbidden; return their number."""
    if choice.kind == PLACE or choice.kind == KEEP:
        return choice.count
    left = 0
    for option in range(choice.count):
        workspace.option[left] = option
        left += is_allowed(workspace, table, me, choice, option)
    return left


@kernel
def is_allowed(workspace, table, me, choice, option):
    """Return whether an option is not forbidden."""
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
    """Return whether the seat may add a card to its display."""
    for i in range(workspace.cards):
        if workspace.card[i] == card:
            return False
    return not workspace.category[category_of(card)]


@kernel
def leave_out(workspace, choice, left):
    """Fill the reduced choice with the options that are left."""
    copy_choice(workspace.choice, choice)
    workspace.choice.count = left
    if choice.kind == DISPLAY:
        sort_drawn(workspace, choice, left)
    else:
        for i in range(left):
            workspace.choice.options[i] = choice.options[workspace.option[i]]


@kernel
def sort_drawn(workspace, choice, left):
    """Put the cards that may be chosen first; the seat still sees the others."""
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
    """Return the option of the policy that plays, with its parameters and allowance in place."""
    address = me.params[0]
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
    me.params[0] = address
    return answer


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Restricted(Policy):
    """Policy without certain cards or actions; its parameters are those of the policy."""

    #: The policy that plays.
    policy: Policy
    #: Cards and actions that it is never offered.
    forbidden: Forbidden

    @property
    def built_in(self) -> bool:
        """True if the policy that plays comes with the package."""
        return self.policy.built_in

    @property
    def searches(self) -> bool:
        """True if the policy that plays is a searcher."""
        return self.policy.searches

    def check_solo(self) -> None:
        """Raise if the policy that plays can't play solo."""
        self.policy.check_solo()

    @property
    def label(self) -> str:
        """Forbidden cards and actions, and the label of the policy."""
        return f"{self.name}:without={self.forbidden}:policy={self.policy.label}"

    @property
    def spec(self) -> str:
        """The label with its file, as `get_policy` reads it in another process."""
        return f"{self.name}:without={self.forbidden}:policy={self.policy.spec}"

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on everything that determines its moves."""
        text = repr((self.name, str(self.forbidden), self.policy.fingerprint))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        return make_restricted, (self.policy, self.forbidden)

    @property
    def compiled(self) -> Any:
        """The compiled restriction, the same for all policies; compiles the policy too."""
        _ = self.policy.compiled
        return compile_cached(restricted)

    def address(self) -> int:
        """Return the address of the compiled restriction."""
        return compiled_address(compile_cached(restricted))

    def context(self) -> PolicyContext:
        """Return parameters that hold the address of a new workspace."""
        inner = self.policy.context()
        workspace = np.zeros(1, workspace_dtype)
        one = workspace[0]
        one["policy"] = self.policy.address()
        one["params"] = inner.params
        for category in self.forbidden.categories:
            one["category"][CATEGORIES.index(category)] = 1
        one["cards"] = len(self.forbidden.cards)
        for number, card in enumerate(self.forbidden.cards):
            one["card"][number] = card.code
        for action in self.forbidden.actions:
            one[action] = 1
        vector = np.zeros(MAX_PARAMS)
        vector[0] = address_of(workspace)
        return PolicyContext(vector, inner.rollouts, inner.asked, (workspace, inner))

    def with_params(self, changes: dict[str, float]) -> Restricted:
        """Return the same restriction of the policy with some parameters changed."""
        changed = self.policy.with_params(changes)
        return replace(self, policy=changed, params=changed.params)

    def as_plain(self) -> Policy:
        """Return the same restriction of the policy interpreted by Python."""
        return make_restricted(self.policy.as_plain(), self.forbidden)

    def restrict_like(self, other: Policy) -> Policy:
        """Return another policy with the same restriction."""
        return make_restricted(other, self.forbidden)


def make_restricted(policy: Policy, forbidden: Forbidden) -> Restricted:
    """Restrict a policy; a restriction of a restricted policy forbids both."""
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
        policy.is_plain,
        policy=policy,
        forbidden=forbidden,
    )
