"""Train a policy: a linear softmax by REINFORCE, with NumPy, in a few minutes.

``python examples/learn_a_policy.py`` trains against three `builder` and measures the result;
``--minutes 5`` trains longer. REINFORCE makes the actions of won games more likely than those of
lost ones. The example shows how the parts fit together, not how to train a strong player.
"""

import argparse
import time

import numpy as np

import paxsim

PLAYERS, OPPONENTS = 4, "builder"
GAMES, STEPS = 512, 96  # games at once, and decisions in each between two updates
RATE, ENTROPY = 0.02, 0.005  # learning rate, and weight of the entropy, for exploration


class Softmax:
    """Probabilities of actions: ``exp(features @ weights)``, normalized over the allowed ones."""

    def __init__(self, env):
        samples = []
        for _ in range(60):  # to standardize the features
            samples.append(env.observations[:64].astype(np.float32))
            env.step(env.random_actions())
        samples = np.concatenate(samples)
        self.mean, self.scale = samples.mean(axis=0), np.maximum(samples.std(axis=0), 0.1)
        self.weights = np.zeros((env.layout.size + 1, env.layout.actions), np.float32)
        self._moments = [np.zeros_like(self.weights), np.zeros_like(self.weights)]
        self._updates = 0

    def features(self, observations):
        scaled = np.clip((observations - self.mean) / self.scale, -4, 4).astype(np.float32)
        return np.concatenate([scaled, np.ones((len(scaled), 1), np.float32)], axis=1)

    def probabilities(self, features, masks):
        logits = np.where(masks, features @ self.weights, -np.inf)
        values = np.exp(logits - logits.max(axis=1, keepdims=True))
        return values / values.sum(axis=1, keepdims=True)

    def improve(self, gradient):
        """Take one step of Adam."""
        self._updates += 1
        mean, square = self._moments
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        unbiased = square / (1 - 0.99**self._updates)
        self.weights += RATE * mean / (1 - 0.9**self._updates) / (np.sqrt(unbiased) + 1e-8)


def play(env, model, rng):
    """Play `STEPS` decisions of all games; returns are NaN where a game did not end in time."""
    features, masks, actions, rewards, ends = [], [], [], [], []
    for _ in range(STEPS):
        now, allowed = model.features(env.observations), env.masks.astype(bool)
        cumulative = model.probabilities(now, allowed).cumsum(axis=1)
        drawn = rng.random((env.games, 1), np.float32) * cumulative[:, -1:]
        chosen = np.minimum((cumulative <= drawn).sum(axis=1), env.layout.actions - 1)
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
    """Return the model, the shares of wins during training, and the number of decisions."""
    env = paxsim.VectorEnv(GAMES, PLAYERS, opponents=OPPONENTS, seed=seed)
    env.reset()
    model, rng = Softmax(env), np.random.default_rng(seed)
    begin, shares = time.monotonic(), []
    while time.monotonic() - begin < 60 * minutes or not shares:
        features, masks, actions, returns = play(env, model, rng)
        ended = ~np.isnan(returns)
        shares.append(float(returns[ended].mean()))
        x, allowed, taken = features[ended], masks[ended], actions[ended]
        chances = model.probabilities(x, allowed)
        logs = np.log(np.maximum(chances, 1e-9))
        entropy = -(chances * logs).sum(axis=1, keepdims=True)
        gradient = -chances * (returns[ended] - shares[-1])[:, None]
        gradient[np.arange(len(x)), taken] += returns[ended] - shares[-1]
        gradient -= ENTROPY * chances * (logs + entropy)
        model.improve(x.T @ gradient / len(x))
    return model, shares, env.decisions


def as_policy(model):
    """Return a policy that takes the most likely action of the model."""
    encoder = paxsim.envs.ObservationEncoder(paxsim.make_setting(PLAYERS))

    @paxsim.policy(compiled=False)
    def learned(table, me, choice):
        """Take the most likely action of the trained model."""
        observation, mask = encoder.encode(table, me, choice)
        features = model.features(observation[None])
        logits = np.where(mask.astype(bool), features @ model.weights, -np.inf)
        return encoder.option(int(logits.argmax()))

    return learned


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--games", type=int, default=2000)
    args, _ = parser.parse_known_args()
    model, shares, decisions = train(args.minutes)
    first, last = np.mean(shares[:3]), np.mean(shares[-3:])
    print(f"{decisions:,} decisions in {args.minutes:g} minutes")
    print(f"wins against {OPPONENTS}: {first:.1%} at the beginning and {last:.1%} at the end\n")
    learned = as_policy(model)
    for opponent in ("random", OPPONENTS, "conspirator", "tribune", "weighted"):
        lineup = [learned, opponent, opponent, opponent]
        print(paxsim.simulate(lineup, games=args.games, seed=99, jobs=1), "\n")
