"""A policy that learns: a linear softmax, trained with numpy in a few minutes.

``python examples/learn_a_policy.py`` trains against three `builder` and shows how strong the result
is; ``--minutes 5`` trains longer. The method is the simplest there is (REINFORCE): play, and make
the actions of won games likelier than those of lost ones. It is an example of how the parts fit
together, not of a strong player.
"""

import argparse
import time

import numpy as np

import paxsim

PLAYERS, OPPONENTS = 4, "builder"
GAMES, STEPS = 512, 96  # games at once, and decisions of each between two updates
RATE, CURIOSITY = 0.02, 0.005  # size of an update; weight of the entropy, which keeps it trying


class Softmax:
    """Chances of actions: ``exp(features @ weights)`` among the allowed ones."""

    def __init__(self, env):
        seen = []
        for _ in range(60):  # what the numbers of an observation are like
            seen.append(env.observations[:64].astype(np.float32))
            env.step(env.random_actions())
        seen = np.concatenate(seen)
        self.middle, self.scale = seen.mean(axis=0), np.maximum(seen.std(axis=0), 0.1)
        self.weights = np.zeros((env.layout.size + 1, env.layout.actions), np.float32)
        self._moments = [np.zeros_like(self.weights), np.zeros_like(self.weights)]
        self._updates = 0

    def features(self, observations):
        scaled = np.clip((observations - self.middle) / self.scale, -4, 4).astype(np.float32)
        return np.concatenate([scaled, np.ones((len(scaled), 1), np.float32)], axis=1)

    def chances(self, features, masks):
        wishes = np.where(masks, features @ self.weights, -np.inf)
        chances = np.exp(wishes - wishes.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def improve(self, gradient):
        """One step of Adam."""
        self._updates += 1
        mean, square = self._moments
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        unbiased = square / (1 - 0.99**self._updates)
        self.weights += RATE * mean / (1 - 0.9**self._updates) / (np.sqrt(unbiased) + 1e-8)


def play(env, model, dice):
    """Some decisions of all games, and what came of them: NaN where a game did not end in time."""
    features, masks, actions, rewards, ends = [], [], [], [], []
    for _ in range(STEPS):
        now, allowed = model.features(env.observations), env.masks.astype(bool)
        rising = model.chances(now, allowed).cumsum(axis=1)
        drawn = dice.random((env.games, 1), np.float32) * rising[:, -1:]
        chosen = np.minimum((rising <= drawn).sum(axis=1), env.layout.actions - 1)
        chosen = np.where(allowed[np.arange(env.games), chosen], chosen, allowed.argmax(axis=1))
        env.step(chosen)
        features.append(now)
        masks.append(allowed)
        actions.append(chosen)
        rewards.append(env.rewards[:, 0].copy())  # position 0 is the learner's
        ends.append(env.done.copy())
    returns = np.full((STEPS, env.games), np.nan, np.float32)
    later = np.full(env.games, np.nan, np.float32)
    for step in reversed(range(STEPS)):
        later = np.where(ends[step], rewards[step], later)
        returns[step] = later
    return np.array(features), np.array(masks), np.array(actions), returns


def train(minutes, seed=1):
    """The weights after so many minutes, and the share of wins on the way."""
    env = paxsim.VectorEnv(GAMES, PLAYERS, opponents=OPPONENTS, seed=seed)
    env.reset()
    model, dice = Softmax(env), np.random.default_rng(seed)
    begin, shares = time.monotonic(), []
    while time.monotonic() - begin < 60 * minutes or not shares:
        features, masks, actions, returns = play(env, model, dice)
        known = ~np.isnan(returns)
        shares.append(float(returns[known].mean()))
        x, allowed, taken = features[known], masks[known], actions[known]
        chances = model.chances(x, allowed)
        logs = np.log(np.maximum(chances, 1e-9))
        entropy = -(chances * logs).sum(axis=1, keepdims=True)
        push = -chances * (returns[known] - shares[-1])[:, None]
        push[np.arange(len(x)), taken] += returns[known] - shares[-1]
        push -= CURIOSITY * chances * (logs + entropy)
        model.improve(x.T @ push / len(x))
    return model, shares, env.decisions


def as_policy(model):
    """What was learnt, as a policy like any other: it takes the likeliest action."""
    encoder = paxsim.envs.ObservationEncoder(paxsim.make_setting(PLAYERS))

    @paxsim.policy(compiled=False)
    def learned(table, me, choice):
        """Takes the action that won most in training."""
        observation, mask = encoder.encode(table, me, choice)
        features = model.features(observation[None])
        wishes = np.where(mask.astype(bool), features @ model.weights, -np.inf)
        return encoder.option(int(wishes.argmax()))

    return learned


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--games", type=int, default=2000)
    asked, _ = parser.parse_known_args()
    model, shares, decisions = train(asked.minutes)
    first, last = np.mean(shares[:3]), np.mean(shares[-3:])
    print(f"{decisions:,} decisions in {asked.minutes:g} minutes; against {OPPONENTS} it won")
    print(f"{first:.1%} of the games at the beginning and {last:.1%} at the end of the training\n")
    learned = as_policy(model)
    for field in ("random", OPPONENTS, "conspirator", "tribune", "weighted"):
        lineup = [learned, field, field, field]
        print(paxsim.simulate(lineup, games=asked.games, seed=99, jobs=1), "\n")
