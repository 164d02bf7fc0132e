"""Game theory: textbook games, slow reference implementations, invariances, and coverage."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from support.textbook_games import (
    BAD_RPS,
    GOOD_RPS,
    HAWK_DOVE,
    PRISONERS,
    RPS,
    STAG_HUNT,
    matrix_game,
)

from paxsim.errors import PaxsimError
from paxsim.gametheory import (
    Played,
    SymmetricGame,
    alpha_rank,
    analyse,
    bootstrap_games,
    coalitions,
    equilibria,
    even_starts,
    find_states,
    follow,
    measured_game,
    regret,
)
from paxsim.gametheory.alpharank import fixation, stationary
from paxsim.gametheory.equilibria import ELSEWHERE, are_stable, balanced, basins, reached
from paxsim.gametheory.games import (
    chances,
    drawn_multisets,
    fill_missing,
    leave_one_out_error,
    multisets,
    number_of_multisets,
    rows_of,
)
from paxsim.gametheory.metagame import interval
from paxsim.gametheory.replicator import cycle_of

# --- tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("strategies", "seats"), [(1, 3), (2, 4), (6, 4), (3, 8), (4, 0)])
def test_multisets_are_complete_and_unique(strategies, seats):
    counts = multisets(strategies, seats)
    assert len(counts) == number_of_multisets(strategies, seats)
    assert (counts.sum(axis=1) == seats).all() and len({*map(tuple, counts)}) == len(counts)
    assert np.array_equal(rows_of(counts), np.arange(len(counts)))


def test_chances_equal_sums_over_all_orders():
    population = np.array([0.5, 0.3, 0.2])
    expected = np.zeros(number_of_multisets(3, 4))
    for seats in itertools.product(range(3), repeat=4):
        row = rows_of(np.bincount(seats, minlength=3)[None])[0]
        expected[row] += population[list(seats)].prod()
    np.testing.assert_allclose(chances(population, 4), expected)


def random_game(seed, strategies=3, players=4, draws=None):
    rng = np.random.default_rng(seed)
    shape = (() if draws is None else (draws,)) + (number_of_multisets(strategies, players),)
    return SymmetricGame(players, rng.random((*shape, strategies)), rng.random(shape))


def test_expected_payoffs_equal_the_mean_over_all_rivals():
    game = random_game(1)
    population = np.array([0.2, 0.5, 0.3])
    expected, rome = np.zeros(3), 0.0
    for rivals in itertools.product(range(3), repeat=3):
        for own in range(3):
            row = rows_of(np.bincount([own, *rivals], minlength=3)[None])[0]
            expected[own] += population[list(rivals)].prod() * game.payoffs[row, own]
            rome += population[own] * population[list(rivals)].prod() * game.rome[row]
    np.testing.assert_allclose(game.expected_payoffs(population), expected)
    assert game.rome_rate(population) == pytest.approx(rome)
    assert game.mean_payoff(population) == pytest.approx(population @ expected)


def test_draws_of_a_game_equal_single_games():
    game = random_game(2, draws=5)
    states = even_starts(3, 4)
    for i in range(5):
        one = game.draw(i)
        assert np.allclose(game.expected_payoffs(states)[i], one.expected_payoffs(states))
        assert np.allclose(game.rome_rate(states)[i], one.rome_rate(states))
        assert np.allclose(game.expected_payoffs(states[0])[i], one.expected_payoffs(states[0]))
        assert np.allclose(alpha_rank(game)[i], alpha_rank(one))


def test_a_table_of_the_wrong_size_is_refused():
    with pytest.raises(PaxsimError, match="15 multisets"):
        SymmetricGame(4, np.zeros((14, 3)), np.zeros(14))


# --- textbook games -------------------------------------------------------------------------


def states_of(game, starts=32):
    """Return all states and the sizes of their basins."""
    states, ends = find_states(game, even_starts(game.strategies, starts))
    sizes = basins(states, reached(states, ends))[0]
    return states, sizes


@pytest.mark.parametrize("players", [2, 4])
def test_prisoners_dilemma_ends_in_defection_although_a_full_coalition_gains(players):
    game = matrix_game(PRISONERS, players)
    states, sizes = states_of(game)
    assert [state.kind for state in states] == ["pure", "pure"] and sizes.tolist() == [0, 1]
    assert regret(game, np.eye(2)).tolist() == [2, 0]
    together = {(c.strategy, c.seats): c.gain for c in coalitions(game, np.eye(2)[1])}
    assert together[0, players] == 2  # from 1 to 3
    assert together[0, 1] == -1  # alone it is worse
    assert len(together) == players


@pytest.mark.parametrize("players", [2, 3, 5])
def test_stag_hunt_has_two_stable_equilibria_and_coalitions_that_leave_one(players):
    game = matrix_game(STAG_HUNT, players)
    states, sizes = states_of(game, 256)
    assert [state.kind for state in states] == ["pure", "pure", "mixed"]
    assert states[2].shares == pytest.approx([0.75, 0.25])  # both strategies do equally well
    assert sizes == pytest.approx([0.25, 0.75, 0], abs=0.02)
    assert [one.stable for one in equilibria(game)] == [True, True, False]
    gains = {c.seats: float(c.gain) for c in coalitions(game, np.eye(2)[1])}
    # With k hunters each meets k - 1 others: 4 (k - 1) / (n - 1) against 3.
    for seats, gain in gains.items():
        assert gain == pytest.approx(4 * (seats - 1) / (players - 1) - 3)
    if players == 3:
        two = next(c for c in coalitions(game, np.eye(2)[1]) if c.seats == 2)
        assert two.after == 2 and two.inside == 1  # a member that leaves gets 3


@pytest.mark.parametrize("players", [2, 4])
def test_hawk_dove_has_a_stable_mixture(players):
    game = matrix_game(HAWK_DOVE, players)
    states, sizes = states_of(game)
    assert sizes.tolist() == [0, 0, 1]
    assert states[2].shares == pytest.approx([2 / 3, 1 / 3], abs=1e-6)
    (only,) = [one for one in equilibria(game) if one.stable]
    assert only.shares == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("players", [2, 4])
def test_rock_paper_scissors_is_a_cycle(players):
    for matrix in (RPS, BAD_RPS):
        states, sizes = states_of(matrix_game(matrix, players), 4)
        cycle = states[-1]
        assert cycle.kind == "cycle" and cycle.cycle == (0, 1, 2) and sizes[-1] == 1
        assert cycle.shares == pytest.approx([1 / 3] * 3, abs=0.02)
    reverse = matrix_game(np.array(RPS).T, players)
    assert states_of(reverse, 2)[0][-1].cycle == (0, 2, 1)


def test_rock_paper_scissors_settles_if_wins_pay_more_than_losses_cost():
    game = matrix_game(GOOD_RPS)
    states, sizes = states_of(game, 8)
    assert [state.kind for state in states] == ["pure"] * 3 + ["mixed"]
    assert states[3].shares == pytest.approx([1 / 3] * 3) and sizes[3] == 1
    assert equilibria(game)[0].stable


def test_rome_rate_of_a_cycle_is_a_mean_over_time():
    """Rome wins where all play rock: a third of the time, not a third to the power of n."""
    game = matrix_game(BAD_RPS, 2, rome=lambda seats: float(seats[0] == 2))
    ends = follow(game, even_starts(3, 4))
    assert ends.rome == pytest.approx(1 / 3, abs=0.04)
    assert game.rome_rate(ends.shares[0])[0] == pytest.approx(1 / 9, abs=0.02)


@pytest.mark.parametrize(
    ("leaders", "expected"),
    [
        ([2, 2, 0, 0, 1, 1, 2, 0, 1, 2, 0, 1], (0, 1, 2)),
        ([1, 0, 1, 0, 1, 0], (0, 1)),
        ([3, 0, 1, 0, 2, 0, 1, 0, 2], (0, 1, 0, 2)),
        ([1, 1, 1], (1,)),
        ([0, 1, 2], (1, 2)),
    ],
)
def test_cycle_is_the_shortest_that_repeats(leaders, expected):
    assert cycle_of(leaders) == expected


# --- reference implementations -------------------------------------------------------------


def test_limits_equal_those_of_scipy():
    for seed in range(2):
        game = random_game(seed, players=3)
        starts = even_starts(3, 3)
        ends = follow(game, starts)

        def speed(_, x, game=game):
            paid = game.expected_payoffs(x)
            return x * (paid - x @ paid)

        for start, end in zip(starts, ends.shares[0], strict=True):
            theirs = solve_ivp(speed, (0, 1000), start, method="LSODA", rtol=1e-6, atol=1e-10)
            np.testing.assert_allclose(end, theirs.y[:, -1], atol=2e-3)


def test_fixation_equals_the_absorption_probability_of_the_chain():
    """Compute the absorption probability from powers of the transition matrix."""
    game, size, alpha = random_game(3, strategies=2, players=3), 8, 2.0

    def paid(own, others):
        """Return the mean payoff at tables of three over all pairs of rivals."""
        pairs = list(itertools.combinations(others, 2))
        rows = rows_of(np.array([np.bincount([own, *pair], minlength=2) for pair in pairs]))
        return game.payoffs[rows, own].mean()

    up, down = [], []
    for new in range(1, size):
        everybody = [1] * new + [0] * (size - new)
        gap = paid(1, everybody[1:]) - paid(0, everybody[:-1])
        up.append(1 / (1 + np.exp(-alpha * gap)))
        down.append(1 / (1 + np.exp(alpha * gap)))
    moves = np.zeros((size + 1, size + 1))
    moves[0, 0] = moves[size, size] = 1
    for i, (more, less) in enumerate(zip(up, down, strict=True), start=1):
        moves[i, i + 1], moves[i, i - 1] = more, less
    absorbed = np.linalg.matrix_power(moves, 4096)
    assert fixation(game, 0, 1, alpha, size) == pytest.approx(absorbed[1, size], rel=1e-6)


def test_stationary_distribution_equals_many_steps_and_survives_extremes():
    chain = np.random.default_rng(2).dirichlet(np.ones(5), 5)
    np.testing.assert_allclose(stationary(chain), np.linalg.matrix_power(chain, 99)[0])
    rare = np.array([[1.0, 1e-200], [2e-200, 1.0]])
    np.testing.assert_allclose(stationary(rare), [2 / 3, 1 / 3])


@pytest.mark.parametrize(("payoffs", "time"), [(PRISONERS, [0, 1]), (STAG_HUNT, [0, 1])])
def test_alpha_rank_prefers_the_strategy_that_invades(payoffs, time):
    assert alpha_rank(matrix_game(payoffs, 2)) == pytest.approx(time, abs=1e-4)


def test_coalitions_equal_sums_over_all_tables():
    game = random_game(5)
    population = np.array([0.6, 0.0, 0.4])
    for c in coalitions(game, population):
        seats = np.zeros(3, int)
        after = others = rome = 0.0
        for rest in itertools.product(range(3), repeat=4 - c.seats):
            chance = population[list(rest)].prod()
            seats = np.bincount([*rest, *[c.strategy] * c.seats], minlength=3)
            row = rows_of(seats[None])[0]
            after += chance * game.payoffs[row, c.strategy]
            rome += chance * game.rome[row]
            if rest:
                others += chance * game.payoffs[row, list(rest)].mean()
        assert (c.after, c.rome_after) == (pytest.approx(after), pytest.approx(rome))
        assert np.isnan(c.others) if c.seats == 4 else c.others == pytest.approx(others)
        assert c.before == pytest.approx(population @ game.expected_payoffs(population))


# --- invariances ----------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.permutations(range(3)))
def test_results_do_not_depend_on_the_order_of_strategies(seed, order):
    game = random_game(seed, players=3)
    counts = multisets(3, 3)
    rows = rows_of(counts[:, np.argsort(order)])
    other = SymmetricGame(3, game.payoffs[rows][:, order], game.rome[rows])
    population = np.array([0.2, 0.3, 0.5])
    same = game.expected_payoffs(population)[order]
    np.testing.assert_allclose(other.expected_payoffs(population[order]), same)
    np.testing.assert_allclose(alpha_rank(other), alpha_rank(game)[order], atol=1e-9)
    gains = {(c.strategy, c.seats): float(c.gain) for c in coalitions(game, population)}
    for c in coalitions(other, population[order]):
        assert float(c.gain) == pytest.approx(gains[order[c.strategy], c.seats])
    ours = sorted(tuple(e.shares.round(6)) for e in equilibria(game) if e.stable)
    theirs = [e.shares[np.argsort(order)] for e in equilibria(other) if e.stable]
    # Equilibria of three strategies may be missed, those of one or two never.
    small = lambda found: [s for s in found if sum(x > 0 for x in s) < 3]  # noqa: E731
    np.testing.assert_allclose(
        small(ours), small(sorted(tuple(s.round(6)) for s in theirs)), atol=1e-5
    )


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_dynamics_return_to_stable_equilibria(seed):
    game = random_game(seed, players=3)
    for equilibrium in equilibria(game):
        assert regret(game, equilibrium.shares[None])[0] <= 1e-7
        if equilibrium.stable:
            nearby = np.clip(equilibrium.shares + np.array([0.004, -0.002, 0.002]), 1e-3, 1)
            end = follow(game, nearby[None] / nearby.sum()).shares[0, 0]
            np.testing.assert_allclose(end, equilibrium.shares, atol=0.02)


# --- line-ups that were not played ----------------------------------------------------------


def test_drawn_multisets_include_all_with_one_or_two_strategies():
    rows = drawn_multisets(5, 6, 120, seed=1)
    assert len(rows) == len(set(rows)) == 120
    few = np.flatnonzero((multisets(5, 6) > 0).sum(axis=1) <= 2)
    assert set(few) <= set(rows)
    assert np.array_equal(rows, drawn_multisets(5, 6, 120, seed=1))
    assert len(drawn_multisets(5, 6, 1000, seed=1)) == number_of_multisets(5, 6)


def test_fit_is_exact_for_quadratic_payoffs_and_estimates_its_error():
    counts = multisets(4, 5)
    rng = np.random.default_rng(3)
    bend, rome_bend = rng.normal(size=(4, 4, 4)), rng.normal(size=(4, 4))
    payoffs = np.einsum("ri,sij,rj->rs", counts, bend, counts) / 50
    rome = np.einsum("ri,ij,rj->r", counts, rome_bend, counts) / 50
    rows = drawn_multisets(4, 5, 40, seed=2)
    here = counts > 0
    defined = np.where(here, payoffs, np.nan)
    filled, filled_rome = fill_missing(5, rows, defined[rows], rome[rows])
    np.testing.assert_allclose(filled[here], payoffs[here], atol=1e-8)
    np.testing.assert_allclose(filled_rome, rome, atol=1e-8)
    assert leave_one_out_error(5, rows, payoffs[rows]) < 1e-8
    missing = np.setdiff1d(np.arange(len(counts)), rows)
    errors, estimates = [], []
    for _ in range(20):
        rough = payoffs + rng.normal(0, [0.02, 0.05, 0.1, 0.2], payoffs.shape)
        off = (fill_missing(5, rows, rough[rows], rome[rows])[0] - rough)[missing][here[missing]]
        errors.append(np.mean(off**2))
        estimates.append(leave_one_out_error(5, rows, rough[rows]) ** 2)
    # Multisets left out in turn are more often at the edge than missing ones, so errors are larger.
    assert 0.8 * np.mean(errors) < np.mean(estimates) < 2 * np.mean(errors)


# --- intervals ------------------------------------------------------------------------------

#: A made-up game with known payoffs and Rome's rates.
TRUE = matrix_game(
    np.array([[0.1, 0.5], [0.2, 0.3]]), 3, rome=lambda seats: 0.2 + 0.2 * float(seats[0])
)


def simulate_groups(rng, groups=100, games=40):
    """Simulate groups of blocks, each with a common random effect on everybody."""
    luck = rng.normal(0, 0.03, groups)[:, None]
    payoffs = np.nan_to_num(TRUE.payoffs) + luck[..., None]
    rome = TRUE.rome + luck
    noise = rng.normal(0, 0.08, (groups, *TRUE.payoffs.shape))
    wins = (payoffs + noise) * games
    rates = (rome + rng.normal(0, 0.08, rome.shape)) * games
    rows = np.arange(len(TRUE.rome))
    return Played(3, rows, wins, rates, np.full(rates.shape, float(games)))


def test_intervals_have_nominal_coverage():
    """A 95% interval misses in 10 ± 3.1 of 200 simulations; above 22 has probability 1/3,000."""
    (true,) = [one for one in equilibria(TRUE) if one.stable]
    hawks = np.eye(2)[0]
    at_hawks, rome_at_hawks = regret(TRUE, hawks[None])[0], TRUE.rome_rate(hawks)
    missed = np.zeros(3, int)
    rng = np.random.default_rng(11)
    for _ in range(200):
        again = bootstrap_games(simulate_groups(rng))
        places, solved = balanced(again, np.tile(true.shares, (len(again.rome), 1)))
        assert solved.all() and are_stable(again, places).all()
        results = [
            (again.rome_rate(hawks), rome_at_hawks),
            (regret(again, np.tile(hawks, (len(again.rome), 1))), at_hawks),
            (again.rome_rate(places[:, None])[:, 0], TRUE.rome_rate(true.shares)),
        ]
        for i, (draws, truth) in enumerate(results):
            low, high = interval(draws)
            missed[i] += not low <= truth <= high
    assert (missed <= 22).all() and missed.min() >= 2, missed


def test_analysis_finds_the_true_states():
    (true,) = [one for one in equilibria(TRUE) if one.stable]
    analysis = analyse(
        simulate_groups(np.random.default_rng(4), 200, 400), starts=16, drawn_starts=4
    )
    hawks, doves, mixed = analysis.states
    assert [hawks.stable_draws, doves.stable_draws, mixed.stable_draws] == [0, 0, 1]
    assert not hawks.equilibrium and mixed.equilibrium and mixed.stable
    assert (mixed.basin.estimate, mixed.basin.low, hawks.basin.high) == (1, 1, 0)
    assert mixed.state.shares == pytest.approx(true.shares, abs=0.05)
    for one, rate in ((hawks, TRUE.rome_rate(np.eye(2)[0])),
                      (mixed, TRUE.rome_rate(true.shares))):  # fmt: skip
        assert one.rome.low < one.rome.estimate < one.rome.high
        assert one.rome.estimate == pytest.approx(rate, abs=0.02)
    assert 0 < hawks.regret.low < hawks.regret.estimate < hawks.regret.high
    assert [(c.strategy, c.seats) for c in hawks.coalitions] == [(1, 1), (1, 2), (1, 3)]
    assert hawks.coalitions[0].gain.low > 0
    assert hawks.alpha_rank.estimate + doves.alpha_rank.estimate == pytest.approx(1)


def test_measured_game_is_the_mean_over_all_games():
    played = simulate_groups(np.random.default_rng(1))
    game = measured_game(played)
    expected = played.wins.sum(axis=0) / played.games.sum(axis=0)[:, None]
    np.testing.assert_allclose(game.payoffs, expected)
    one_group = Played(3, played.rows, played.wins[:1], played.rome[:1], played.games[:1])
    with pytest.raises(PaxsimError, match="two or more groups"):
        bootstrap_games(one_group)


def test_groups_without_games_of_a_multiset_are_not_used():
    played = simulate_groups(np.random.default_rng(1), groups=4)
    games = played.games.copy()
    games[1, 0] = games[3] = 0
    assert Played(3, played.rows, played.wins, played.rome, games).used.tolist() == [0, 2]


def test_trajectories_to_unknown_states_count_for_none():
    game = matrix_game(HAWK_DOVE)
    states, ends = find_states(game, even_starts(2, 4))
    assert (reached(states[:2], ends) == ELSEWHERE).all()
