"""VectorEnv: the same games as `paxsim.play`, valid random actions, independent copies."""

import numpy as np
import pytest
from support.environments import COPIES, action_of, view_of

import paxsim
from paxsim.game import Game, decisions
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting


def actions_of(setting, lineup, seed, deal, rotation, position=None):
    """Return the actions of a game between policies, all or those of one position."""
    actions = []
    for game, option in decisions(setting, lineup, seed, deal, rotation):
        if position is None or (game.seat - 1 + rotation) % setting.players == position:
            actions.append(action_of(game, option))
    return actions


def play_until_done(env, scripts):
    """Play the scripted actions of the first game of each place; return results and rewards."""
    env.reset()
    steps, ended = 0, {}
    while len(ended) < env.games:
        script = [scripts[i] if i not in ended else [] for i in range(env.games)]
        env.step(
            np.array(
                [
                    actions[steps] if steps < len(actions) else env.masks[i].argmax()
                    for i, actions in enumerate(script)
                ]
            )
        )
        steps += 1
        for i in np.flatnonzero(env.done):
            if i not in ended:
                assert steps == len(scripts[i])
                ended[i] = env.results[i].copy(), env.rewards[i].tolist()
    return [ended[i] for i in range(env.games)]


@pytest.mark.parametrize(("players", "level"), [(1, 1), (1, 5), (2, None), (4, None), (8, None)])
def test_games_equal_those_of_play(players, level):
    setting, lineup = make_setting(players, solo_level=level), make_lineup("weighted", players)
    env = paxsim.VectorEnv(3, players, seed=8, first_deal=2, solo_level=level)
    scripts = [actions_of(setting, lineup, 8, 2 + i, 0) for i in range(3)]
    for i, (record, rewards) in enumerate(play_until_done(env, scripts)):
        expected = paxsim.play(lineup.specs, players, seed=8, deal=2 + i, solo_level=level).record
        for name in set(record.dtype.names) - {"decisions"}:
            assert np.array_equal(record[name], expected[name]), name
        assert rewards == pytest.approx(expected["shares"][:players].tolist())


def test_opponents_play_every_deal_in_all_rotations():
    setting, others = make_setting(3), ["builder", "miser"]
    lineup = make_lineup(["tribune", *others], 3)
    env = paxsim.VectorEnv(6, 3, opponents=others, seed=4)
    scripts = [actions_of(setting, lineup, 4, i // 3, i % 3, position=0) for i in range(6)]
    for i, (_, rewards) in enumerate(play_until_done(env, scripts)):
        shares = paxsim.play(lineup.specs, seed=4, deal=i // 3, rotation=i % 3).shares
        assert rewards == pytest.approx([shares[(p - i % 3) % 3] for p in range(3)])
    env.reset()
    assert env.seats.tolist() == [0, 2, 1, 0, 2, 1]


def test_number_of_games_does_not_change_the_deals():
    def points(games):
        env = paxsim.VectorEnv(games, 2, seed=5)
        env.reset()
        points_of = {}
        while len(points_of) < 8:
            env.step(env.masks.argmax(axis=1))
            for i in np.flatnonzero(env.done):
                points_of.setdefault(int(env.results[i]["deal"]), env.results[i]["points"].tolist())
        return {deal: points_of[deal] for deal in range(4)}

    assert points(1) == points(8)


@pytest.mark.parametrize("legions", [1, 5])
def test_observations_equal_those_of_single_games(legions):
    rules = {"legions": legions}
    env = paxsim.VectorEnv(5, 2, seed=1, rules=rules)
    env.reset()
    games = [Game.of_setting(make_setting(2, rules=rules), 1, deal, 0) for deal in range(5)]
    for _ in range(30):
        actions = env.random_actions()
        for i, game in enumerate(games):
            expected = view_of(game).observe(game.seat - 1)
            assert np.array_equal(env.observations[i], expected["observation"])
            assert np.array_equal(env.masks[i], expected["action_mask"])
            view_of(game).act(int(actions[i]))
        env.step(actions)


@pytest.mark.parametrize("make_copy", COPIES)
def test_copy_plays_independently(make_copy):
    env = paxsim.VectorEnv(20, 3, opponents="first", seed=1)
    env.reset()
    env.step(env.random_actions())
    other = make_copy(env)
    before = [array.copy() for array in (env.observations, env.masks, env.seats)]
    actions = env.random_actions()
    assert (other.random_actions() == actions).all()
    other.step(actions)
    after = (env.observations, env.masks, env.seats)
    assert all((a == b).all() for a, b in zip(before, after, strict=True))
    env.step(actions)
    assert (other.observations == env.observations).all() and other.decisions == env.decisions


def test_random_actions_are_allowed_and_cover_all_actions():
    env = paxsim.VectorEnv(500, 4, seed=1)
    env.reset()
    drawn = np.zeros(env.layout.actions, bool)
    for _ in range(300):
        actions = env.random_actions()
        assert env.masks[np.arange(500), actions].all()
        drawn[actions] = True
        env.step(actions)
    never = [env.layout.action_name(a) for a in np.flatnonzero(~drawn)]
    # Three cards in view need six religion symbols, which is rare.
    assert all("drawn card 3" in name for name in never), never
    assert env.decisions == 150_000


def test_equal_cards_are_one_action_with_the_usual_probability():
    env = paxsim.VectorEnv(400, 2, seed=1)
    env.reset()
    pairs = 0
    for _ in range(60):
        for _ in range(3):
            actions = env.random_actions()
        hands = env.layout.part(env.observations, "hand")
        playable = env.masks[:, env.layout.first_kind :] * (hands > 1)
        rows = np.flatnonzero(playable.any(axis=1) & (env.masks.sum(axis=1) == 2))
        if len(rows):  # two equal cards, or pass
            draws = np.array([env.random_actions()[rows] for _ in range(60)])
            passed = (draws == 2).mean()
            assert abs(passed - 0.5) < 4.5 * 0.5 / np.sqrt(draws.size), passed
            pairs += len(rows)
        env.step(actions)
    assert pairs > 30


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0], r"shape \(2,\), got shape \(1,\)"),
        ([0.5, 1.0], "float64"),
        ([-1, -1], r"actions\[0\] is -1, but only 3, 4 "),
        ([3, 99_999], r"actions\[1\] is 99999, but only 3, 4 "),
        ([3, 0], r"actions\[1\] is 0"),
    ],
)
def test_invalid_actions_change_nothing(actions, words):
    env = paxsim.VectorEnv(2, 2, seed=3)
    with pytest.raises(paxsim.PaxsimError):
        env.step(np.array(actions))
    env.reset()
    with pytest.raises(paxsim.PaxsimError, match=words):
        env.step(np.array(actions))
    assert env.masks[:, 3:5].all() and env.decisions == 0
    env.step(np.array([3, 3]))
    assert env.decisions == 2


def test_overwritten_arrays_change_nothing():
    env, reference = paxsim.VectorEnv(4, 3, seed=1), paxsim.VectorEnv(4, 3, seed=1)
    env.reset(), reference.reset()
    for _ in range(20):
        actions = env.random_actions()
        for array, number in ((env.observations, -1), (env.masks, 1), (env.seats, 1 << 50)):
            array[:] = number
        env.step(actions)
        reference.step(actions)
        for name in ("observations", "masks", "seats", "rewards", "done"):
            assert np.array_equal(getattr(env, name), getattr(reference, name)), name
    allowed = ", ".join(map(str, np.flatnonzero(env.masks[0])))
    wrong = int(env.masks[0].argmin())
    env.masks[:] = 1
    with pytest.raises(paxsim.PaxsimError, match=f"only {allowed} are allowed"):
        env.step(np.full(4, wrong))


def test_reset_with_a_seed_equals_an_environment_with_that_seed():
    env, other = (paxsim.VectorEnv(16, players=3, seed=seed) for seed in (1, 2))
    env.reset()
    env.step(env.random_actions())
    for one, seed in ((env, 2), (other, None)):
        one.reset(seed)
        for _ in range(200):
            one.step(one.random_actions())
    for name in ("observations", "masks", "results", "seats"):
        assert np.array_equal(getattr(env, name), getattr(other, name)), name


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"games": 0}, "games"),
        ({"games": 2, "players": 3, "opponents": "first,first,first"}, "opponents"),
        ({"games": 2, "players": 1, "solo_level": 1, "opponents": "random"}, "opponents"),
        ({"games": 2, "players": 2, "opponents": "search:rollouts=2"}, "opponents"),
    ],
)
def test_invalid_arguments_raise(arguments, field):
    with pytest.raises(paxsim.PaxsimError, match=field):
        paxsim.VectorEnv(**arguments)


def test_calls_before_reset_raise():
    env = paxsim.VectorEnv(2, 2)
    for call in (env.random_actions, lambda: env.step(np.zeros(2, int)), lambda: env.reset(-1)):
        with pytest.raises(paxsim.PaxsimError, match="reset|seed"):
            call()
