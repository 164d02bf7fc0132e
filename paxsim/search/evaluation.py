"""Evaluation of options: win chances of all seats and Rome after each of them, by rollouts."""

from __future__ import annotations

from collections.abc import Sequence
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
from paxsim.engine.threads import in_worker_thread
from paxsim.errors import PaxsimError, checked_int
from paxsim.game import Game
from paxsim.lineup import Lineup
from paxsim.playing import PolicyError, ask_all, describe_answer
from paxsim.policies.interpreted import take_error
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.search.rollouts import (
    begin_rollout,
    begin_search,
    copy_params,
    determinize,
    roll_out,
    set_plan,
    value_of_end,
)
from paxsim.search.searcher import MAX_ROLLOUTS, Searcher, make_searcher, search_at
from paxsim.setting import MAX_NUMBER
from paxsim.stats.constants import SURE_ERRORS
from paxsim.text import percent

#: Index that stands for the own choice of the seat's model.
OWN = -1

#: Index of a model that is inferred from what the rival does (`paxsim.search.opponents`).
INFERRED = -1
#: Value of `unseen_end` for worlds that the deciding seat samples.
SAMPLED = -1

_SamplesType = types.Array(types.float64, 4, "C")
_NumbersType = types.Array(types.int64, 1, "C")


@entry(types.int64(types.int64, types.int64, _NumbersType, _NumbersType, types.int64, _SamplesType))
def fill_samples(search_address, game_address, models, options, unseen_end, samples):
    """Play every option to the end by every plan in world after world; return the number of worlds.

    The worlds are drawn from the deciding seat's random stream, which is advanced.
    """
    search = search_at(search_address)
    game = game_at(game_address)
    seat = game.hidden.seat
    me = game.seats[seat]
    choice = game.choices[seat]
    if unseen_end == SAMPLED:
        begin_search(search, game.table, me, choice)
        for other in range(game.table.players):
            if models[other] != INFERRED:
                for model in range(search.models):
                    search.weight[other, model] = 1.0 if models[other] == model else 0.0
    else:
        copy_actual_game(search, game, models)
    for world in range(samples.shape[0]):
        if unseen_end == SAMPLED:
            determinize(search, me, choice, me.stream)
        else:
            reshuffle(search.world, unseen_end, me.stream)
        play_options(search, me, options, samples, world)
        if search.progress.failure != FINE:
            return world
    return samples.shape[0]


@kernel
def copy_actual_game(search, game, models):
    """Use the game as it is as the world, with a model at every seat."""
    search.progress.failure = FINE
    copy_game(search.world, game)
    for seat in range(game.table.players):
        search.progress.policies[seat] = search.model[models[seat]]
        copy_params(search.game.seats[seat].params, search.model_params[models[seat]])
        for i in range(search.world.seats[seat].memory.size):
            search.world.seats[seat].memory[i] = 0.0


@kernel
def reshuffle(world, unseen_end, stream):
    """Shuffle the unseen cards of the deck, and give all seats new random streams."""
    deck = world.hidden.deck
    state = state_of(stream)
    for place in range(world.table.deck_top, unseen_end - 1):
        step, state = draw_below(state, unseen_end - place)
        here, there = place_in_ring(place), place_in_ring(place + step)
        card = deck[there]
        deck[there] = deck[here]
        deck[here] = card
    set_state(stream, state)
    for seat in range(world.table.players):
        for word in range(4):
            world.seats[seat].stream[word] = next_word(stream)


@kernel
def play_options(search, me, options, samples, world):
    """Play every option by every plan in the current world, or until a policy fails."""
    players = search.world.table.players
    for plan in range(samples.shape[1]):
        set_plan(search, search.world.table, me.seat, plan)
        for number in range(options.size):
            if options[number] == OWN:
                play_own_choice(search, me)
            else:
                roll_out(search, me, options[number])
            if search.progress.failure != FINE:
                return
            for seat in range(players):
                samples[world, plan, number, seat] = search.result.shares[seat]
            samples[world, plan, number, players] = search.result.rome_wins


@kernel
def play_own_choice(search, me):
    """Play a rollout in which the deciding seat's model takes this decision, too."""
    begin_rollout(search)
    game, progress = search.game, search.progress
    option = ask(game, policy_at(progress.policies[me.seat]), progress)
    if is_an_option(option, game.choices[me.seat].count, progress):
        play_from(game, progress, option)
        value_of_end(search, game, me.seat)


def sample(
    searcher: Searcher,
    game: Game,
    options: Sequence[int],
    rollouts: int,
    seed: Sequence[int],
    *,
    models: Sequence[int] = (),
    unseen_end: int = SAMPLED,
) -> np.ndarray:
    """Sample ends of a game after some options, by each of a searcher's plans.

    The result has shape (rollouts, plans, options, players + 1): the share of the win of every
    seat, and 1 if Rome wins (in solo: if the player loses). The option `OWN` is the plan's own
    choice. `models` are indices of the searcher's models by seat; by default they are inferred.
    With an `unseen_end`, worlds are those of a spectator, who knows all but the order of the deck.
    The game is not changed, and the interpreter lock is released while playing.
    """
    copy, players = game.copy(), game.setting.players
    copy.record["seats"][copy.seat - 1]["stream"] = _stream(seed)
    context, plans = searcher.context(), searcher.plans_for(game.setting)
    workspace = context.memory[0]  # type: ignore[index]
    samples = np.zeros((rollouts, len(plans), len(options), players + 1))
    at_seats = np.array(models or [INFERRED] * players, np.int64)
    numbers = np.array(options, np.int64)
    play = fill_samples.compiled()  # type: ignore[attr-defined]
    arguments = (address_of(workspace), copy._address, at_seats, numbers, unseen_end, samples)
    if searcher.built_in:
        play(*arguments)
        return samples

    def call() -> BaseException | None:
        try:
            play(*arguments)
        except Exception as error:
            return error
        return take_error()

    error, progress = in_worker_thread(call), workspace[0]["progress"]
    if error is not None or progress["failure"] != FINE:
        problem = describe_answer(progress) if error is None else f"raised {error!r}"
        name = searcher.policy_in_rollout(progress).label
        raise PolicyError(f"policy {name} in the rollouts of {searcher.label} {problem}")
    return samples


def choice_of(policy: Policy, game: Game, seed: Sequence[int]) -> int:
    """Return the option that a policy with empty memory would choose; the game is not changed."""
    copy = game.copy()
    own = copy.record["seats"][copy.seat - 1]
    own["stream"], own["memory"] = _stream(seed), 0.0
    lineup = Lineup((policy,) * game.setting.players)
    progress = np.zeros(1, progress_dtype)
    contexts = copy.take_seats(lineup, 0, progress)
    arguments = (copy._address, address_of(progress))
    return int(ask_all(ask_policy, arguments, game.setting, lineup, contexts, 0, progress[0]))


def different_options(game: Game) -> list[int]:
    """Return for every option the index of the first one with the same effect."""
    first: dict[str, int] = {}
    return [first.setdefault(str(option), index) for index, option in enumerate(game.options())]


def unseen_end_of(game: Game) -> int:
    """Return the place in the deck's ring after the last card of a newly dealt game.

    Cards that seats put under the deck later come after it.
    """
    return int(game.table["deck_top"]) + int(game.table["deck_left"])


def _stream(seed: Sequence[int]) -> np.ndarray:
    """Return the state of a random stream."""
    return np.random.SeedSequence(list(seed)).generate_state(4, np.uint64)


@dataclass(frozen=True)
class Models:
    """Policies for all seats, which play the rollouts after a decision."""

    policies: tuple[Policy, ...]  # by seat; none of them searches

    def __post_init__(self) -> None:
        make_searcher({}, self.policies[:1], self._different)  # refuses searchers

    def sample(
        self,
        game: Game,
        options: Sequence[int],
        rollouts: int,
        seed: Sequence[int],
        unseen_end: int = SAMPLED,
    ) -> np.ndarray:
        """Sample ends of a game, shape (rollouts, options, players + 1); see `sample`."""
        searcher = make_searcher({}, (self.policies[game.seat - 1],), self._different)
        labels = [policy.label for policy in self._different]
        models = [labels.index(policy.label) for policy in self.policies]
        samples = sample(
            searcher, game, options, rollouts, seed, models=models, unseen_end=unseen_end
        )
        return samples[:, 0]

    @property
    def _different(self) -> tuple[Policy, ...]:
        """The policies without repetitions."""
        return tuple({policy.label: policy for policy in self.policies}.values())


@dataclass(frozen=True)
class Evaluation:
    """Evaluation of the options of a decision.

    Attributes
    ----------
    options : pandas.DataFrame
        One row per option, in order: ``option`` (its number), ``text``, ``win_chance`` (mean share
        of the win), ``error`` (standard error), ``rollouts``, ``plan`` (the policy whose
        continuation was best), ``plain``. Options with the same effect have the same numbers.
    plain : int
        The option that the first plan's policy would choose.
    seats : tuple of float
        Win chance of every seat after the plain option.
    rome : float
        Probability that Rome wins after the plain option (in solo: that the player loses).
    """

    options: pd.DataFrame
    plain: int
    seats: tuple[float, ...]
    rome: float


def evaluate_options(
    game: Game, policies: str | Policy = "search", *, rollouts: int = 200, seed: int = 0
) -> Evaluation:
    """Evaluate every option of a decision from what the deciding seat knows.

    The game is not changed. The interpreter lock is released while playing.

    Parameters
    ----------
    game : Game
        A game that waits for a decision.
    policies : str or Policy
        Searcher (its plans and models of the rivals play), or a policy that plays every seat.
    rollouts : int
        Number of worlds, in each of which every option is played by every plan.
    seed : int
        Random seed.

    Returns
    -------
    Evaluation
        Win chances of the options, and of all seats after the plain one.

    Raises
    ------
    PaxsimError
        If the game is over or an argument is out of range.

    Examples
    --------
    >>> evaluation = evaluate_options(Game(2, seed=1), "hermit", rollouts=50)
    >>> evaluation.options[["text", "win_chance", "error"]].round(2)
                 text  win_chance  error
    0   keep land/1/1        0.36   0.07
    1  keep fleet/2/3        0.77   0.06
    """
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not isinstance(game, Game) or game.over:
        raise PaxsimError("game must be a Game that is not over")
    searcher = get_policy(policies)
    if not isinstance(searcher, Searcher):
        searcher = make_searcher({}, (searcher,), (searcher,))
    first = different_options(game)
    options = sorted(set(first))
    samples = sample(searcher, game, options, rollouts, [seed])
    plans = searcher.plans_for(game.setting)
    plain = first[choice_of(plans[0], game, [seed])]
    return _evaluation(game, [plan.label for plan in plans], first, plain, samples)


def warm_rollouts() -> None:
    """Compile or load the rollouts and the policies that play them."""
    fill_samples.compiled()  # type: ignore[attr-defined]
    get_policy("search").context()


def chance_in_words(win: float, error: float, rollouts: int) -> str:
    """Return a mean share of the win with its 95% interval, like ``34 ± 7 %``."""
    if error == 0.0:  # all rollouts agree: rule of three
        ends = (win - 3 / rollouts, win + 3 / rollouts)
    else:
        ends = (win - SURE_ERRORS * error, win + SURE_ERRORS * error)
    return percent(win, max(ends[0], 0.0), min(ends[1], 1.0))


def _evaluation(
    game: Game, plans: list[str], first: list[int], plain: int, samples: np.ndarray
) -> Evaluation:
    """Build the evaluation from samples of the different options."""
    options = sorted(set(first))
    own = samples[..., game.seat - 1]
    means = own.mean(axis=0)
    errors = own.std(axis=0, ddof=1) / np.sqrt(len(samples))
    best = means.argmax(axis=0)
    places = np.searchsorted(options, first)
    plan = best[places]
    table = pd.DataFrame(
        {
            "option": np.arange(len(first)),
            "text": [str(option) for option in game.options()],
            "win_chance": means[plan, places],
            "error": errors[plan, places],
            "rollouts": len(samples),
            "plan": [plans[i] for i in plan],
            "plain": np.array(first) == plain,
        }
    )
    *seats, rome = samples[:, plan[plain], places[plain]].mean(axis=0).tolist()
    return Evaluation(table, plain, tuple(seats), rome)
