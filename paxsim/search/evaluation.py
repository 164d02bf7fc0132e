"""Samples: how games end after each of several options, world by world, for every seat and Rome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numba import types

from paxsim.engine.jit import entry, kernel
from paxsim.engine.knowledge import place_in_ring
from paxsim.engine.loop import (
    FINE,
    ask,
    ask_policy,
    game_at,
    is_an_option,
    play_from,
    progress_dtype,
)
from paxsim.engine.lowlevel import copy_game, policy_at
from paxsim.engine.records import address_of
from paxsim.engine.rng import draw_below, next_word, set_state, state_of
from paxsim.errors import PaxsimError, checked_int
from paxsim.failures import PolicyError, ask_all
from paxsim.game import Game
from paxsim.lineup import Lineup
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.search.rollouts import (
    begin_rollout,
    begin_search,
    copy_params,
    imagine_world,
    roll_out,
    take_plan,
    worth,
)
from paxsim.search.searcher import MAX_ROLLOUTS, Searcher, make_searcher, search_at
from paxsim.setting import MAX_NUMBER
from paxsim.stats.constants import SURE_ERRORS
from paxsim.text import percent


def play_rollouts(play: Callable[[], int], searcher: Searcher, progress: np.void) -> int:
    """Carry out a compiled call; what a policy does wrong in it is a `PolicyError`.

    Parameters
    ----------
    play : callable
        The call.
    searcher : Searcher
        Whose rollouts are played.
    progress : numpy.void
        Where they stand (`paxsim.engine.loop.progress_dtype`).
    """

    def blame(what: str) -> PolicyError:
        name = searcher.asked_in_rollout(progress).label
        return PolicyError(f"policy {name} in the rollouts of {searcher.label} {what}")

    if searcher.built_in:
        return int(play())
    from paxsim.guests.watch import PATIENCE, play_watched

    try:
        answer = play_watched(play, progress, PATIENCE, blame)
    except PolicyError:
        raise
    except Exception as error:
        raise blame(f"raised {error!r}") from None
    if progress["failure"] != FINE:
        raise blame(f"chose option {progress['answer']}, which there is not")
    return int(answer)


#: Stands for the option that the seat's own model chooses.
OWN = -1

#: Stands for the model of a rival who is recognised by what it does (`paxsim.search.models`).
RECOGNISED = -1
#: Stands for the end of the unseen cards where a seat imagines them.
IMAGINED = -1

_SamplesType = types.Array(types.float64, 4, "C")
_NumbersType = types.Array(types.int64, 1, "C")


@entry(types.int64(types.int64, types.int64, _NumbersType, _NumbersType, types.int64, _SamplesType))
def fill_samples(search_address, game_address, models, options, unseen_end, samples):
    """Play every option out by every plan, world after world; return how many worlds there were.

    The deciding seat's random stream, which this uses up, names the worlds.
    """
    search = search_at(search_address)
    game = game_at(game_address)
    seat = game.hidden.seat
    me = game.seats[seat]
    choice = game.choices[seat]
    if unseen_end == IMAGINED:
        begin_search(search, game.table, me, choice)
        for other in range(game.table.players):
            if models[other] != RECOGNISED:
                for model in range(search.models):
                    search.weight[other, model] = 1.0 if models[other] == model else 0.0
    else:
        begin_watching(search, game, models)
    for world in range(samples.shape[0]):
        if unseen_end == IMAGINED:
            imagine_world(search, me, choice, me.stream)
        else:
            deal_again(search.world, unseen_end, me.stream)
        play_options(search, me, options, samples, world)
        if search.progress.failure != FINE:
            return world
    return samples.shape[0]


@kernel
def begin_watching(search, game, models):
    """The game as it is, with a model at every seat."""
    search.progress.failure = FINE
    copy_game(search.world, game)
    for seat in range(game.table.players):
        search.progress.policies[seat] = search.model[models[seat]]
        copy_params(search.game.seats[seat].params, search.model_params[models[seat]])
        for i in range(search.world.seats[seat].memory.size):
            search.world.seats[seat].memory[i] = 0.0


@kernel
def deal_again(world, unseen_end, stream):
    """Another order of the unseen cards, and other random numbers for all."""
    shuffle_unseen(world, unseen_end, stream)
    for seat in range(world.table.players):
        for word in range(4):
            world.seats[seat].stream[word] = next_word(stream)


@kernel
def shuffle_unseen(world, unseen_end, stream):
    """Put the cards of the deck that nobody has seen into another order."""
    deck = world.hidden.deck
    state = state_of(stream)
    for place in range(world.table.deck_top, unseen_end - 1):
        step, state = draw_below(state, unseen_end - place)
        here, there = place_in_ring(place), place_in_ring(place + step)
        card = deck[there]
        deck[there] = deck[here]
        deck[here] = card
    set_state(stream, state)


@kernel
def play_options(search, me, options, samples, world):
    """Play every option out in the world at hand by every plan, or until a policy fails."""
    players = search.world.table.players
    for plan in range(samples.shape[1]):
        take_plan(search, search.world.table, me.seat, plan)
        for number in range(options.size):
            if options[number] == OWN:
                leave_it_to_model(search, me)
            else:
                roll_out(search, me, options[number])
            if search.progress.failure != FINE:
                return
            for seat in range(players):
                samples[world, plan, number, seat] = search.result.shares[seat]
            samples[world, plan, number, players] = search.result.rome_wins


@kernel
def leave_it_to_model(search, me):
    """A rollout in which the deciding seat's model takes this decision as well."""
    begin_rollout(search)
    game, progress = search.game, search.progress
    option = ask(game, policy_at(progress.policies[me.seat]), progress)
    if is_an_option(option, game.choices[me.seat].count, progress):
        play_from(game, progress, option)
        worth(search, game, me.seat)


def sample(
    searcher: Searcher,
    game: Game,
    options: Sequence[int],
    rollouts: int,
    seed: Sequence[int],
    *,
    models: Sequence[int] = (),
    unseen_end: int = IMAGINED,
) -> np.ndarray:
    """How a game ends after each option, by each of a searcher's plans.

    The interpreter lock is free while it computes; the game is not changed.

    Parameters
    ----------
    searcher : Searcher
        Its plans play the deciding seat on, its models the others.
    game : Game
        A game that asks for a decision.
    options : sequence of int
        Which options, by index; `OWN` leaves it to the plan.
    rollouts : int
        Worlds, in each of which every option is played out.
    seed : sequence of int
        Names the random numbers.
    models : sequence of int, optional
        By seat which of the models plays there; without, as the searcher expects of rivals.
    unseen_end : int
        For a spectator (see `unseen_end_of`); without, the deciding seat is asked.

    Returns
    -------
    numpy.ndarray, shape (rollouts, plans, options, players + 1)
        Share of the win of every seat, and last 1 where Rome wins (in solo: the player loses).
    """
    copy, players = game.copy(), game.setting.players
    copy.record["seats"][copy.seat - 1]["stream"] = _stream(seed)
    context, plans = searcher.context(), plans_of(searcher, game)
    workspace = context.memory[0]  # type: ignore[index]
    samples = np.zeros((rollouts, len(plans), len(options), players + 1))
    at_seats = np.array(models or [RECOGNISED] * players, np.int64)
    numbers = np.array(options, np.int64)
    play = fill_samples.compiled()  # type: ignore[attr-defined]
    arguments = (address_of(workspace), copy._address, at_seats, numbers, unseen_end, samples)
    play_rollouts(lambda: play(*arguments), searcher, workspace[0]["progress"])
    return samples


def plans_of(searcher: Searcher, game: Game) -> tuple[Policy, ...]:
    """The policies that may play the deciding seat on."""
    return searcher.plans[1 if game.setting.solo_level else 0]


def choice_of(policy: Policy, game: Game, seed: Sequence[int]) -> int:
    """The option that a policy without notes would choose; the game is not changed."""
    copy = game.copy()
    own = copy.record["seats"][copy.seat - 1]
    own["stream"], own["memory"] = _stream(seed), 0.0
    lineup = Lineup((policy,) * game.setting.players)
    progress = np.zeros(1, progress_dtype)
    contexts = copy.take_seats(lineup, 0, progress)
    arguments = (copy._address, address_of(progress))
    return int(ask_all(ask_policy, arguments, game.setting, lineup, contexts, 0, progress[0]))


def different_options(game: Game) -> list[int]:
    """For every option the index of the first one that does the same: equal cards are one."""
    first: dict[str, int] = {}
    return [first.setdefault(str(option), index) for index, option in enumerate(game.options())]


def unseen_end_of(game: Game) -> int:
    """Where the cards end that nobody has seen, of a game before its first decision.

    A place in the deck's ring: what seats put under the deck later comes behind it.
    """
    return int(game.table["deck_top"]) + int(game.table["deck_left"])


def _stream(seed: Sequence[int]) -> np.ndarray:
    """The state of a random stream."""
    return np.random.SeedSequence(list(seed)).generate_state(4, np.uint64)


@dataclass(frozen=True)
class Models:
    """A policy for every seat, which plays on where a decision is judged.

    Attributes
    ----------
    policies : tuple of Policy
        By seat; none of them looks ahead itself.
    """

    policies: tuple[Policy, ...]

    def __post_init__(self) -> None:
        make_searcher({}, self.policies[:1], self._different)  # refuses searchers

    def sample(
        self,
        game: Game,
        options: Sequence[int],
        rollouts: int,
        seed: Sequence[int],
        unseen_end: int = IMAGINED,
    ) -> np.ndarray:
        """See `sample`; shape (rollouts, options, players + 1)."""
        searcher = make_searcher({}, (self.policies[game.seat - 1],), self._different)
        labels = [policy.label for policy in self._different]
        models = [labels.index(policy.label) for policy in self.policies]
        found = sample(
            searcher, game, options, rollouts, seed, models=models, unseen_end=unseen_end
        )
        return found[:, 0]

    @property
    def _different(self) -> tuple[Policy, ...]:
        """Every policy once."""
        return tuple({policy.label: policy for policy in self.policies}.values())


@dataclass(frozen=True)
class Evaluation:
    """What the seat that is asked may expect of its options.

    Attributes
    ----------
    options : pandas.DataFrame
        A row an option, in their order: ``option`` (its number), ``text``, ``win_chance`` (its
        mean share of the win), ``error`` (standard error), ``rollouts``, ``plan`` (the policy that
        played on where it was best), ``plain``. Options that do the same have the same numbers.
    plain : int
        The option that the first plan's policy would choose.
    seats : tuple of float
        Every seat's win chance after the plain option, in seat order.
    rome : float
        The chance that Rome wins after the plain option (in solo: that the player loses).
    """

    options: pd.DataFrame
    plain: int
    seats: tuple[float, ...]
    rome: float


def evaluate_options(
    game: Game, policies: str | Policy = "search", *, rollouts: int = 200, seed: int = 0
) -> Evaluation:
    """The win chance of every option at hand, from what the seat that is asked knows.

    Nothing else of the game is looked at, and the game is not changed. The interpreter lock is free
    while it computes.

    Parameters
    ----------
    game : Game
        A game that asks for a decision.
    policies : str or Policy
        Who plays the rollouts: a searcher (its plans and models of the rivals), or a policy that
        plays every seat.
    rollouts : int
        Worlds, in each of which every option is played out by every plan.
    seed : int
        Names the random numbers.
    """
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not isinstance(game, Game) or game.over:
        raise PaxsimError("game: found one without a decision; allowed: a game that goes on")
    searcher = _searcher_of(get_policy(policies))
    first = different_options(game)
    options = sorted(set(first))
    samples = sample(searcher, game, options, rollouts, [seed])
    plans = plans_of(searcher, game)
    plain = first[choice_of(plans[0], game, [seed])]
    return _told(game, [plan.label for plan in plans], first, plain, samples)


def warm_rollouts() -> None:
    """Compile, or load, the rollouts and the policies that play them."""
    fill_samples.compiled()  # type: ignore[attr-defined]
    get_policy("search").context()


def chance_in_words(win: float, error: float, rollouts: int) -> str:
    """``34 ± 7 %``: a mean share of the win with half of a 95 % interval."""
    if error == 0.0:  # all rollouts agree, which says as much as their number (at 95 %)
        ends = (win - 3 / rollouts, win + 3 / rollouts)
    else:
        ends = (win - SURE_ERRORS * error, win + SURE_ERRORS * error)
    return percent(win, max(ends[0], 0.0), min(ends[1], 1.0))


def _searcher_of(policy: Policy) -> Searcher:
    if isinstance(policy, Searcher):
        return policy
    return make_searcher({}, (policy,), (policy,))


def _told(
    game: Game, plans: list[str], first: list[int], plain: int, samples: np.ndarray
) -> Evaluation:
    """The samples as a table."""
    rollouts, options = len(samples), sorted(set(first))
    own = samples[..., game.seat - 1]
    means = own.mean(axis=0)
    errors = own.std(axis=0, ddof=1) / np.sqrt(rollouts)
    best = means.argmax(axis=0)
    places = [options.index(index) for index in first]
    rows = [
        {
            "option": number,
            "text": str(option),
            "win_chance": means[best[place], place],
            "error": errors[best[place], place],
            "rollouts": rollouts,
            "plan": plans[best[place]],
            "plain": index == plain,
        }
        for number, (option, index, place) in enumerate(
            zip(game.options(), first, places, strict=True)
        )
    ]
    place = options.index(plain)
    *seats, rome = samples[:, best[place], place].mean(axis=0).tolist()
    return Evaluation(pd.DataFrame(rows), plain, tuple(seats), rome)
