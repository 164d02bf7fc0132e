"""PettingZoo and Gymnasium environments: the libraries' own checks, rewards, copies, errors."""

import warnings
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec
from support.environments import COPIES, view_of

import paxsim


def first_allowed(observation):
    """Return the lowest allowed action."""
    return int(observation["action_mask"].argmax())


def seen_by_decider(env):
    """Return the observation of the agent that decides."""
    return env.observe(env.agent_selection) if hasattr(env, "agents") else env._view.observe(0)


# --- the libraries' checks ----------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 8])
def test_pettingzoo_checks_pass(players):
    def parallel(**options):
        return paxsim.parallel_env(players, **options)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Observations with masks are dicts, as in PettingZoo's own card games.
        for message in ("Observation space for each agent probably", "Observation is not a NumPy"):
            warnings.filterwarnings("ignore", message=message)
        api_test(paxsim.env(players=players), num_cycles=200)
        seed_test(lambda: paxsim.env(players=players), num_cycles=40)
        parallel_api_test(parallel(), num_cycles=40)
        parallel_seed_test(parallel, num_cycles=20)
        max_cycles_test(
            SimpleNamespace(parallel_env=parallel, env=lambda **o: parallel_to_aec(parallel(**o)))
        )


@pytest.mark.parametrize("level", [1, 5])
def test_gymnasium_checks_pass(level):
    made = gymnasium.make("paxsim.envs.gymnasium:paxsim/Solo-v0", level=level)
    assert made.spec.id == "paxsim/Solo-v0" and made.unwrapped.setting.solo_level == level
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*was modified|.*spec")
        check_env(paxsim.solo_env(level), skip_render_check=True)


# --- games --------------------------------------------------------------------------------------


def play_random(env, deal):
    """Play a deal with random allowed actions; return the total rewards."""
    env.reset(seed=6, options={"deal": deal})
    rng, total = np.random.default_rng(deal), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        allowed = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(rng.choice(allowed)))
    return total


def test_rewards_are_the_shares_of_the_same_deal():
    env, rewards = paxsim.env(players=3), set()
    for deal in range(12):
        total = play_random(env, deal)
        game, rng = paxsim.Game(3, seed=6, deal=deal), np.random.default_rng(deal)
        view = view_of(game)
        while not game.over:
            allowed = np.flatnonzero(view.observe(game.seat - 1)["action_mask"])
            view.act(int(rng.choice(allowed)))
        assert list(total.values()) == game.result()["shares"][:3].tolist()
        rewards.add(tuple(total.values()))
    assert len(rewards - {(0.0, 0.0, 0.0)}) > 1  # otherwise swapped seats would go unnoticed


def test_parallel_game_equals_the_aec_game_and_others_wait():
    env, aec = paxsim.parallel_env(3), paxsim.env(3)
    observations, _ = env.reset(seed=6, options={"deal": 1})
    aec.reset(seed=6, options={"deal": 1})
    while env.agents:
        deciding = aec.agent_selection
        for agent, observed in observations.items():
            expected = aec.observe(agent)
            assert np.array_equal(observed["observation"], expected["observation"])
            waits = agent != deciding
            assert observed["action_mask"].tolist() == [*expected["action_mask"], waits]
        actions = {agent: first_allowed(observed) for agent, observed in observations.items()}
        aec.step(actions[deciding])
        observations, rewards, terminated, truncated, _ = env.step(actions)
    assert rewards == aec.unwrapped.rewards and sum(rewards.values()) in (0, pytest.approx(1))
    assert all(terminated.values()) and not any(truncated.values())
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize("most", range(1, 7))  # one of them ends with a turn of its seat
def test_max_cycles_truncates_the_game_for_all(most):
    env = paxsim.env(players=3, max_cycles=most)
    env.reset(seed=1)
    counts, cut = dict.fromkeys(env.possible_agents, 0), False
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert not terminated
        if truncated and not cut:
            assert counts[agent] == most  # it was about to decide once more
        cut |= truncated
        counts[agent] += not truncated
        env.step(None if truncated else first_allowed(observation))
    assert cut and max(counts.values()) == most


def test_samples_without_a_mask_are_allowed():
    env = paxsim.env(players=4)
    env.reset(seed=2)
    for agent in env.agent_iter(max_iter=40):
        env.step(env.action_space(agent).sample())
    solo = paxsim.solo_env(3)
    solo.reset(seed=2)
    for _ in range(10):
        assert "illegal" not in solo.step(solo.action_space.sample())[4]


@pytest.mark.parametrize("make_copy", COPIES)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_copy_plays_independently(make_copy, render_mode):
    for make in (paxsim.env, paxsim.solo_env):
        env = make(render_mode=render_mode)
        env.reset(seed=1)
        action, before = first_allowed(seen_by_decider(env)), str(seen_by_decider(env))
        other = make_copy(env)
        other.step(action)
        assert str(seen_by_decider(env)) == before != str(seen_by_decider(other))
        env.step(action)
        assert str(seen_by_decider(env)) == str(seen_by_decider(other))
        if render_mode:
            assert env.render() == other.render()


@pytest.mark.parametrize("make_copy", COPIES)
def test_copy_of_a_parallel_environment_plays_independently(make_copy):
    env = paxsim.parallel_env(players=3)
    env.reset(seed=1)
    other, before = make_copy(env), str(env._observations())

    def act(env):
        return str(env.step({agent: first_allowed(env.observe(agent)) for agent in env.agents}))

    answer = act(other)
    assert str(env._observations()) == before and act(env) == answer


def test_rendering_shows_the_deciding_seat_and_then_the_whole_game():
    env = paxsim.env(players=2, render_mode="ansi")
    env.reset(seed=3)
    while env.unwrapped.game.decision != "buy":
        env.step(first_allowed(seen_by_decider(env)))
    text = env.render()
    assert "Round 1" in text and "Legions: " in text and "(you)" in text
    hands = [line for line in text.splitlines() if "hand:" in line and "(you)" not in line]
    assert len(hands) == 1 and "/" not in hands[0].split("hand:")[1]
    page = paxsim.env(players=2, render_mode="html")
    page.reset(seed=3)
    with pytest.raises(paxsim.PaxsimError, match="html"):
        page.render()
    play_random(page, 0)
    assert page.render().startswith("<!DOCTYPE html>")


# --- errors -------------------------------------------------------------------------------------


def after_reset(env, **options):
    env.reset(seed=1, **options)
    return env


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paxsim.env(1), "paxsim.solo_env"),
        (lambda: paxsim.env(9), "between 2 and 8.* got 9"),
        (lambda: paxsim.env(None), "players"),
        (lambda: paxsim.env(2, render_mode="human"), "render_mode"),
        (lambda: paxsim.env(2, max_cycles=0), "max_cycles"),
        (lambda: paxsim.solo_env(level=None), "level"),
        (lambda: after_reset(paxsim.env(2)).step(0), "one of 3, 4, got 0"),
        (lambda: after_reset(paxsim.env(2)).observe("seat_3"), "agent"),
        (lambda: paxsim.parallel_env(2).step({}), "reset"),
        (lambda: after_reset(paxsim.parallel_env(2)).step(3), "actions must be a dict"),
        (lambda: after_reset(paxsim.parallel_env(2)).step({"seat_1": 3, "seat_2": 3}), "seat_2"),
        (lambda: after_reset(paxsim.parallel_env(2)).step({"seat_1": 3}), "seat_2 .* got None"),
        (lambda: paxsim.solo_env().step(0), "reset"),
        (lambda: paxsim.solo_env(render_mode="ansi").render(), "reset"),
        (lambda: after_reset(paxsim.solo_env()).step("x"), "integer"),
        (lambda: after_reset(paxsim.solo_env()).step(0.5), "integer"),
    ],
)
def test_mistakes_raise_one_line(call, words):
    with pytest.raises(paxsim.PaxsimError, match=words) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("make", [paxsim.env, paxsim.parallel_env, paxsim.solo_env])
@pytest.mark.parametrize("options", [{"deals": 3}, 3, {"deal": -1}])
def test_options_of_reset_are_checked(make, options):
    with pytest.raises(paxsim.PaxsimError, match="deal"):
        make().reset(seed=1, options=options)


def test_an_action_that_is_not_allowed_loses_a_solo_game():
    solo = paxsim.solo_env(2)
    for action in (0, np.array(10**6)):
        solo.reset(seed=1)
        assert solo.step(action)[1:] == (0.0, True, False, {"illegal": True})
        with pytest.raises(paxsim.PaxsimError, match="reset"):
            solo.step(0)


def test_rendering_without_a_mode_warns():
    for env in (paxsim.env(players=2), paxsim.solo_env()):
        env.reset(seed=1)
        with pytest.warns(UserWarning, match="render_mode"):
            assert env.render() is None
