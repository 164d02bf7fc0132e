"""An oracle of tables: every column of every table from raw games, slowly and in the obvious way.

Games are played one rotation at a time and put into two frames, a row a game and a row a seat of a
game. A column is then a mean over blocks of plain selections, with the interval that
docs/statistics.md names. It shares no code with the package but for playing itself, the words for
rule sets, and (in `ratings`) the resampling, which draws with a fixed seed.
"""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize
from scipy.stats import beta, norm, t

import paxsim

PARTS = ("categories", "stronger", "fleet_army", "primus", "wealthiest")
FIELDS = (
    "shares", "points", "rome_wins", "winners", "rounds", "decisions", "primus", "rome_held",
    *(f"points_{part}" for part in PARTS),
)  # fmt: skip
GROUPS = 200  # super-blocks: deal number modulo this
ALPHA = 0.05


@dataclass
class Match:
    """A line-up, played `blocks` times in every order and rotation."""

    policies: list
    blocks: int
    seed: int
    level: int | None = None
    deck: object = "assumed"
    rules: dict = field(default_factory=dict)
    permutations: bool = False
    first_game: int = 0
    every_seat: bool = False

    def __post_init__(self):
        self.players = len(self.policies)
        self.labels = [paxsim.get_policy(spec).label for spec in self.policies]
        self.strategies = list(dict.fromkeys(self.labels))
        places = list(range(self.players))
        orders = itertools.permutations(places[1:]) if self.permutations else [places[1:]]
        self.orders = [[0, *rest] for rest in orders]
        # All rotations of one policy that never draws are the same game.
        alike = len(set(self.labels)) == 1 and self.labels[0] != "random" and not self.every_seat
        self.rotations = [0] if alike else places
        self.block_size = len(self.orders) * len(self.rotations)
        self.played = self.blocks * self.block_size
        self.games, self.seats = self.play()

    def play(self):
        """Every game, as a row a game and a row a seat."""
        games, seats = [], []
        for number, order in enumerate(self.orders):
            for turn, rotation in enumerate(self.rotations):
                batch = paxsim.play_batch(
                    [self.policies[place] for place in order], self.players, deals=self.blocks,
                    rotations=(rotation,), seed=self.seed, solo_level=self.level, deck=self.deck,
                    rules=self.rules,
                )  # fmt: skip
                columns = {name: batch.results[name].tolist() for name in FIELDS}
                for block in range(self.blocks):
                    result = {name: values[block] for name, values in columns.items()}
                    game = self.first_game + block * self.block_size
                    game += number * len(self.rotations) + turn
                    points = sorted(result["points"][: self.players], reverse=True)
                    games.append({
                        "game": game,
                        "block": block,
                        "rome": result["rome_wins"],
                        "alone": int(result["rome_wins"] and result["winners"] == 0),
                        "rounds": result["rounds"],
                        "decisions": result["decisions"],
                        "nobody": int(result["primus"] < 0),
                        "best": points[0],
                        "margin": points[0] - points[1] if self.players > 1 else 0,
                        **{f"holds_{name}": result["rome_held"] >> i & 1
                           for i, name in enumerate(paxsim.CATEGORIES)},
                    })  # fmt: skip
                    for seat in range(self.players):
                        position = order[(seat + rotation) % self.players]
                        share = result["shares"][seat]
                        seats.append({
                            "game": game,
                            "block": block,
                            "seat": seat + 1,
                            "position": position,
                            "strategy": self.labels[position],
                            "share": share,
                            "with_rome": share if result["rome_wins"] else 0.0,
                            "points": result["points"][seat],
                            **{part: result[f"points_{part}"][seat] for part in PARTS},
                        })  # fmt: skip
        return pd.DataFrame(games), pd.DataFrame(seats)

    def of(self, strategy):
        """The seats that a strategy plays."""
        return self.seats[self.seats.strategy == strategy]

    def group(self):
        """The columns that say what a row is about."""
        return {
            "players": self.players,
            "solo_level": self.level,
            "lineup": ", ".join(self.labels),
            **self.setting(),
        }

    def setting(self):
        return {"deck": paxsim.load_deck(self.deck).name, "rules": self.rules_in_words()}

    def rules_in_words(self):
        return paxsim.load_rules(self.rules).describe()

    def size(self, example):
        return {"games": self.played, "blocks": self.blocks, "example_game": example}

    def first_win(self, seats):
        """The first game in which one of these seats won."""
        won = seats[seats.share > 0]
        return won.game.min() if len(won) else None

    def first_rome(self):
        won = self.games[self.games.rome == 1]
        return won.game.min() if len(won) else None

    def fair_share(self):
        return (1 - self.games.alone.mean()) / self.players

    def share_by_block(self, strategy):
        """The share of a seat of a strategy, block by block."""
        return self.of(strategy).groupby("block").share.mean()

    def points_by_block(self, strategy):
        return self.of(strategy).groupby("block").points.mean()

    def mean(self, measure):
        """The mean of a measure of all games."""
        blocks = self.games.groupby("block")[measure].mean()
        most = min(self.games[measure].max(), 511)  # the last bin of a histogram
        return spread(measure, mean_interval(blocks, **reach(blocks, most))
                      if standard_error(blocks) == 0 else mean_interval(blocks))  # fmt: skip

    def mean_where_won(self, measure, column):
        """The mean of a measure of the games that the players won."""
        won = self.games.assign(won=1 - self.games.rome)
        blocks = won.assign(sum=won[column] * won.won).groupby("block")[["sum", "won"]].sum()
        return spread(measure, mean_of_some_interval(blocks["sum"], blocks.won))

    def seat_by_block(self, seat):
        return self.seats[self.seats.seat == seat].groupby("block").share.mean()


# --- intervals ------------------------------------------------------------------------------


def spread(name, interval):
    return dict(zip((name, f"{name}_low", f"{name}_high"), interval, strict=True))


def standard_error(blocks):
    """Of the mean of blocks; whatever is rounding noise is none."""
    values = np.asarray(blocks, float)
    sd = values.std(ddof=1) if len(values) > 1 else 0.0
    return 0.0 if sd < 1e-9 else sd / math.sqrt(len(values))


def all_equal(value, n, low, high):
    """Blocks that are all alike: a different one is rarer than the exact bound of 0 out of n."""
    w = beta.ppf(0.975, 1, n)
    return value, value - w * (value - low), value + w * (high - value)


def mean_interval(blocks, low=-math.inf, high=math.inf):
    """mean ± t · s / √n, cut where the quantity cannot lie."""
    n, mean, se = len(blocks), float(np.mean(blocks)), standard_error(blocks)
    if se == 0:
        return all_equal(mean, n, low, high)
    half = t.ppf(0.975, n - 1) * se
    return mean, max(low, mean - half), min(high, mean + half)


def effective_games(blocks, low=0.0, high=1.0, tail=ALPHA / 2):
    """Independent games as informative as these blocks, on a range of possible values.

    The variance is blended with that of blocks that are all or nothing, which has the weight of
    1.4 blocks, or more for smaller tails; that of the blocks has the weight of (Kish's number of)
    blocks with the event.
    """
    x = (np.asarray(blocks, float) - low) / (high - low)
    p, n = x.mean(), len(x)
    kish = [y.sum() ** 2 / (y**2).sum() for y in (x, 1 - x)]
    games = p * (1 - p)
    worst = games * n / (n - 1)
    return n * (min(kish) + more(tail)) / (min(kish) * x.var(ddof=1) / worst + more(tail))


def more(tail):
    """Blocks added that are all or nothing."""
    return 1.4 * (math.log(tail) / math.log(0.025)) ** 2


def exact(rate, games, low=0.0, high=1.0):
    """The interval of Clopper and Pearson for this many games."""
    won = (rate - low) / (high - low) * games
    ends = beta.ppf(0.025, won, games - won + 1), beta.ppf(0.975, won + 1, games - won)
    return rate, *(low + (high - low) * end for end in ends)


def exact_p(rate, games, reference, low=0.0, high=1.0):
    """Twice the chance of as many games won, or as few, at the reference."""
    won, there = games * (rate - low) / (high - low), (reference - low) / (high - low)
    more = beta.cdf(there, won, games - won + 1)
    less = beta.sf(there, won + 1, games - won)
    return min(1.0, 2 * min(more, less))


def rate_interval(blocks, low=0.0, high=1.0):
    """The exact interval with the effective number of games."""
    n, rate, se = len(blocks), float(np.mean(blocks)), standard_error(blocks)
    if se == 0:
        return all_equal(rate, n, low, high)
    return exact(rate, effective_games(blocks, low, high), low, high)


def reach(blocks, most):
    """What stands in for the bounds of a mean that has none, if all blocks are equal."""
    return dict(low=0.0, high=max(most, np.mean(blocks)) + 1)


def differing(blocks):
    """Differences that are not 0."""
    return int(np.count_nonzero(np.abs(np.asarray(blocks)) > 1e-12))


def few(blocks, largest=1.0, count=None):
    """Standard error of differences, of which but few (`count`) may not be 0."""
    x = np.asarray(blocks, float)
    n, z2 = len(x), norm.ppf(0.975) ** 2
    size2 = ((x**2).sum() + 2 * largest**2) / ((count or differing(x)) + 2)
    return math.sqrt(standard_error(x) ** 2 + z2 * size2 / n**2)


def uncounted(blocks, largest=1.0):
    """Fewest blocks that must differ."""
    x = np.asarray(blocks, float)
    return max((x**2).sum() / largest**2, x.sum() ** 2 / (x**2).sum())


def difference_interval(blocks, largest=1.0, count=None):
    """Wider than a t interval as long as few blocks differ."""
    mean, n = float(np.mean(blocks)), len(blocks)
    if standard_error(blocks) == 0:
        return all_equal(mean, n, -largest, largest)
    half = t.ppf(0.975, n - 1) * few(blocks, largest, count)
    return mean, max(-largest, mean - half), min(largest, mean + half)


def mean_of_some_interval(over, under):
    """A ratio of two block means, by the delta method; the blocks with the condition count."""
    over, under = np.asarray(over, float), np.asarray(under, float)
    if under.sum() == 0:
        return math.nan, math.nan, math.nan
    value = over.mean() / under.mean()
    left = (over - value * under) / under.mean()
    n, kish = len(left), under.sum() ** 2 / (under**2).sum()
    se = standard_error(left)
    if se == 0 or kish < 1 + 1e-12:
        return value, math.nan, math.nan
    se *= math.sqrt(kish / (kish - 1) * (n - 1) / n)
    factor = math.exp(min(700.0, t.ppf(0.975, max(kish - 1, 1)) * se / value))
    return value, value / factor, value * factor


def watched_interval(blocks, low=0.0, high=1.0, tightest=2000, alpha=ALPHA):
    """The confidence sequence: mean ± sd √((1 + 1/u) (log(1 + u) − 2 log α) / n)."""
    n, mean = len(blocks), float(np.mean(blocks))
    if n < 100:
        return mean, low, high
    best = brentq(lambda u: u - math.log(u + 1) + 2 * math.log(alpha), 1e-6, 100)
    u = n * best / tightest
    variance = np.var(blocks, ddof=1) + (high - low) ** 2 / n
    half = math.sqrt(variance * (1 + 1 / u) * (math.log(1 + u) - 2 * math.log(alpha)) / n)
    return mean, max(low, mean - half), min(high, mean + half)


def difference_p(blocks, largest=1.0):
    """Two-sided: is the mean of differences zero?"""
    if standard_error(blocks) == 0 or abs(np.mean(blocks)) < 1e-15:
        return p_value(blocks, -largest, largest)
    return 2 * t.sf(abs(np.mean(blocks)) / few(blocks, largest), len(blocks) - 1)


def p_value(blocks, low, high):
    """Two-sided: is the mean zero? From the exact interval on the range."""
    n, mean, se = len(blocks), float(np.mean(blocks)), standard_error(blocks)
    if abs(mean) < 1e-15:
        return 1.0
    if se == 0:
        return alike_p(mean, n, 0.0, low, high)
    return exact_p(mean, effective_games(blocks, low, high), 0.0, low, high)


def alike_p(value, n, reference, low=0.0, high=1.0):
    """Blocks that are all alike: the chance that none of n is of the kind that must be there."""
    w = (reference - value) / ((low if reference < value else high) - value)
    return min(1.0, 2 * (1 - w) ** n)


def holm(p_values):
    """The smallest p counts as often as there are, the next once less, and none below another."""
    k, worst, adjusted = len(p_values), 0.0, [0.0] * len(p_values)
    for rank, i in enumerate(sorted(range(k), key=lambda i: p_values[i])):
        worst = max(worst, min(1.0, (k - rank) * p_values[i]))
        adjusted[i] = worst
    return adjusted


# --- tables of every experiment -------------------------------------------------------------


def table(rows):
    return pd.DataFrame(rows)


def strategies(matches, watched=False):
    """Without the intervals that hold together, of rates unless watched; see `check_together`."""
    rows = []
    for match in matches:
        average = match.seats.groupby("block").share.mean()
        over = {name: match.share_by_block(name) - average for name in match.strategies}
        fair = 1 / match.players
        p = holm([
            p_value(over[name], -fair, 1 / match.labels.count(name) - fair)
            for name in match.strategies
        ])  # fmt: skip
        for name, adjusted in zip(match.strategies, p, strict=True):
            mine = match.of(name)
            rows.append({
                **match.group(),
                "strategy": name,
                "seats": match.labels.count(name),
                **(spread("win_rate", watched_interval(
                    match.share_by_block(name), alpha=ALPHA / len(match.strategies)))
                   if watched else {"win_rate": match.share_by_block(name).mean()}),
                "fair_share": match.fair_share(),
                "over_fair": over[name].mean(),
                "p_holm": adjusted,
                "won_with_rome": mine.with_rome.mean(),
                "won_on_points": (mine.share - mine.with_rome).mean(),
                "points": match.points_by_block(name).mean(),
                **match.size(match.first_win(mine)),
            })  # fmt: skip
    return table(rows)


def seats(matches):
    """Without the intervals, which hold together: see `check_together` in the tests."""
    rows = []
    for match in matches:
        if match.players == 1:
            continue
        average = match.seats.groupby("block").share.mean()
        numbers = range(1, match.players + 1)
        over = [match.seat_by_block(seat) - average for seat in numbers]
        fair = 1 / match.players
        p = holm([p_value(blocks, -fair, 1 - fair) for blocks in over])
        for seat in numbers:
            rows.append({
                **match.group(),
                "seat": seat,
                "win_rate": match.seat_by_block(seat).mean(),
                "fair_share": match.fair_share(),
                "over_fair": over[seat - 1].mean(),
                "p_holm": p[seat - 1],
                **match.size(match.first_win(match.seats[match.seats.seat == seat])),
            })  # fmt: skip
    return table(rows)


def seat_strategies(matches):
    rows = []
    for match in matches:
        for name in match.strategies:
            for seat in range(1, match.players + 1):
                there = match.of(name)[match.of(name).seat == seat]
                rows.append({
                    **match.group(),
                    "strategy": name,
                    "seat": seat,
                    **spread("win_rate", rate_interval(there.groupby("block").share.mean())),
                    **match.size(match.first_win(there)),
                })  # fmt: skip
    return table(rows)


def rome(matches, watched=False):
    rate = watched_interval if watched else rate_interval
    return table([
        {
            **match.group(),
            **spread("rome_wins", rate(match.games.groupby("block").rome.mean())),
            **spread("rome_alone", rate_interval(match.games.groupby("block").alone.mean())),
            "nobody_primus": match.games.nobody.mean(),
            **{f"holds_{c}": match.games[f"holds_{c}"].mean() for c in paxsim.CATEGORIES},
            **match.size(match.first_rome()),
        }
        for match in matches
    ])  # fmt: skip


def points(matches):
    return table([
        {
            **match.group(),
            "strategy": name,
            **{part: match.of(name)[part].mean() for part in PARTS},
            "points": match.points_by_block(name).mean(),
            **match.size(match.first_win(match.of(name))),
        }
        for match in matches
        for name in match.strategies
    ])  # fmt: skip


def games(matches):
    rows = []
    for match in matches:
        won = match.games.assign(won=1 - match.games.rome)
        decided = won[(won.rome == 1) | won.game.isin(match.seats[match.seats.share > 0].game)]
        rows.append({
            **match.group(),
            "players_won": int(won.won.sum()),
            **match.mean("rounds"),
            **match.mean_where_won("margin", "margin"),
            **match.mean_where_won("winner_points", "best"),
            **match.mean("decisions"),
            **match.size(decided.game.min()),
        })  # fmt: skip
    return table(rows)


def common(matches, watched=False):
    """The tables that every experiment has."""
    return {
        "strategies": strategies(matches, watched),
        "seats": seats(matches),
        "seat_strategies": seat_strategies(matches),
        "rome": rome(matches, watched),
        "points": points(matches),
        "games": games(matches),
    }


# --- tournament -----------------------------------------------------------------------------


def by_superblock(matches, name):
    """Wins and games of a strategy's seats over line-ups, in the super-blocks that have any."""
    wins, played = np.zeros(GROUPS), np.zeros(GROUPS)
    for match in matches:
        for seat in match.of(name).itertuples():
            wins[seat.block % GROUPS] += seat.share
            played[seat.block % GROUPS] += 1
    return wins[played > 0], played[played > 0]


def pooled(matches, name, tail=ALPHA / 2):
    """Rate, effective games and residuals of a strategy over line-ups on common deals."""
    wins, played = by_superblock(matches, name)
    rate = wins.sum() / played.sum()
    # The residuals add up to nothing, so their spread about 0 is that about their mean.
    left = (wins - rate * played) / played.mean()
    blocks = sum(match.blocks for match in matches)
    variance = (standard_error(left) * t.ppf(0.975, len(left) - 1) / norm.ppf(0.975)) ** 2
    if variance == 0:
        return rate, None, left
    spread = variance * (blocks - 1)
    kish = blocks * min(p**2 / (p**2 + spread) for p in (rate, 1 - rate))
    worst = rate * (1 - rate) / (blocks - 1)
    effective = blocks * (kish + more(tail)) / (kish * variance / worst + more(tail))
    return rate, effective, left


def pooled_interval(matches, name):
    rate, effective, left = pooled(matches, name)
    if effective is None:
        return all_equal(rate, sum(match.blocks for match in matches), 0.0, 1.0)
    return exact(rate, effective)


def pooled_p(matches, name, fair):
    """Is the rate the fair share?"""
    rate, effective, left = pooled(matches, name)
    if effective is None:
        n = sum(match.blocks for match in matches)
        return 1.0 if fair == rate else alike_p(rate, n, fair)
    return exact_p(rate, effective, fair)


def pooled_lead(matches, name, rival):
    """Do both win equally often? By the differences within super-blocks."""
    (rate, _, mine), (other, _, theirs) = (pooled(matches, who) for who in (name, rival))
    # The residuals and the difference of the rates stand for the blocks.
    blocks = mine - theirs + rate - other
    if abs(rate - other) < 1e-15:
        return 1.0
    if standard_error(blocks) == 0:
        return p_value(blocks, -1.0, 1.0)
    return 2 * t.sf(abs(rate - other) / few(blocks, count=uncounted(blocks)), len(blocks) - 1)


def earliest(numbers):
    found = [number for number in numbers if number is not None]
    return min(found) if found else None


def over_lineups(matches):
    return {"players": matches[0].players, **matches[0].setting()}


def contestants(matches):
    return list(dict.fromkeys(label for match in matches for label in match.labels))


def standings(matches):
    """Without the intervals, which hold together."""
    rows = []
    for name in contestants(matches):
        mine = [match for match in matches if name in match.labels]
        fair = np.mean([match.fair_share() for match in mine])
        rows.append({
            **over_lineups(matches),
            "strategy": name,
            "win_rate": pooled(mine, name)[0],
            "fair_share": fair,
            "p": pooled_p(mine, name, fair),
            "rome_wins": np.mean([match.games.rome.mean() for match in mine]),
            "lineups": len(mine),
            "games": sum(match.played for match in mine),
            "blocks": sum(match.blocks for match in mine),
            "example_game": earliest([match.first_win(match.of(name)) for match in mine]),
        })  # fmt: skip
    return table(rows).sort_values(["win_rate", "strategy"], ascending=[False, True])


def payoffs(matches):
    rows = []
    for name, rival in itertools.permutations(contestants(matches), 2):
        met = [match for match in matches if {name, rival} <= set(match.labels)]
        if met:
            rows.append({
                **over_lineups(matches),
                "strategy": name,
                "against": rival,
                **spread("win_rate", pooled_interval(met, name)),
                "p": pooled_lead(met, name, rival),
                "games": sum(match.played for match in met),
                "blocks": sum(match.blocks for match in met),
                "example_game": earliest([match.first_win(match.of(name)) for match in met]),
            })  # fmt: skip
    return table(rows)


def wins_table(matches):
    """Wins by super-block, line-up and contestant."""
    names = contestants(matches)
    wins = np.zeros((GROUPS, len(matches), len(names)))
    taken = np.zeros((len(matches), len(names)))
    for row, match in enumerate(matches):
        for seat in match.seats.itertuples():
            wins[seat.block % GROUPS, row, names.index(seat.strategy)] += seat.share
        for label in match.labels:
            taken[row, names.index(label)] += 1
    return names, wins[wins.sum(axis=(1, 2)) > 0], taken


def most_likely(wins, taken):
    """Plackett-Luce ratings by looking for the largest likelihood, each having drawn one game."""

    def unlikely(rating):
        weight = taken * np.exp(rating)
        chance = weight / weight.sum(axis=1, keepdims=True)
        seen = (wins * np.log(np.where(taken > 0, chance, 1.0))).sum()
        drawn = 0.5 * (-np.log1p(np.exp(-rating)) - np.log1p(np.exp(rating))).sum()
        return -(seen + drawn)

    found = minimize(unlikely, np.zeros(wins.shape[1]), tol=1e-12, method="BFGS").x
    return found - found.mean()


def ratings(matches):
    from paxsim.stats import bootstrap_ratings

    names, wins, taken = wins_table(matches)
    rating = most_likely(wins.sum(axis=0), taken)
    drawn = bootstrap_ratings(wins, taken)
    weight = taken * np.exp(rating)
    model = weight / weight.sum(axis=1, keepdims=True)
    games = wins.sum(axis=(0, 2))[:, None]
    seen = wins.sum(axis=0) / games
    error = np.sqrt(model * (1 - model) / games)
    sure = max(0.0, (np.abs(seen - model) - norm.ppf(1 - 0.025 / seen.size) * error).max())
    return table([
        {
            **over_lineups(matches),
            "strategy": names[i],
            "rating": rating[i],
            "rating_low": drawn.low[i],
            "rating_high": drawn.high[i],
            "chance_best": drawn.best[i],
            "misfit": np.abs(seen - model).max(),
            "sure_misfit": sure,
            "readable": bool(sure <= 0.05),
            "games": sum(match.played for match in matches),
            "blocks": sum(match.blocks for match in matches),
        }
        for i in np.argsort(-rating, kind="stable")
    ])  # fmt: skip


def tournament(counts):
    """The tables of a tournament, of lists of matches by player count."""
    everything = [match for matches in counts for match in matches]
    return {
        "standings": pd.concat([standings(matches) for matches in counts]),
        "payoffs": pd.concat([payoffs(matches) for matches in counts]),
        "ratings": pd.concat([ratings(matches) for matches in counts]),
        **common(everything),
    }


# --- comparisons ----------------------------------------------------------------------------


def welch(x, y):
    """A difference as if the two had been measured on different deals."""
    a, b = standard_error(x) ** 2, standard_error(y) ** 2
    n, difference = len(x), np.mean(x) - np.mean(y)
    df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (n - 1))
    squares = (a + b) * n * (n - 1) + n * difference**2
    added = norm.ppf(0.975) ** 2 * (squares + 2) / (n + 2) / n**2
    half = t.ppf(0.975, df) * math.sqrt(a + b + added)
    return difference, max(-1.0, difference - half), min(1.0, difference + half)


def capital(blocks, delta, lowest):
    """What gamblers own on average who bet on every block that its mean is above `delta`."""
    owned = []
    for number in range(1, 21):
        bet = 2.0 ** (-number / 2)
        log = 0.0
        for x in blocks:
            y = (x - delta) / (delta - lowest)
            log += bet * y + (math.log(1 - bet) + bet) * y**2
        owned.append(math.exp(log))
    return np.mean(owned)


def comparison(a, b, delta=0.0, sequential=False):
    x, y = ([*match.seats[match.seats.position == 0].groupby("block").share.mean()]
            for match in (a, b))  # fmt: skip
    gap = np.array(x) - np.array(y)
    answer = {"p": difference_p(gap)}
    if sequential:
        better, worse = capital(gap, delta, -1.0), capital(-gap, -delta, -1.0)
        decision = "undecided"
        if max(better, worse) >= 1 / ALPHA:
            decision = "better" if better >= worse else "not better"
        answer = {"delta": delta, "decision": decision, "e_value": better}
    paired = watched_interval(gap, -1.0, 1.0) if sequential else difference_interval(gap)
    rate = watched_interval if sequential else rate_interval
    first = [match.first_win(match.seats[match.seats.position == 0]) for match in (a, b)]
    row = {
        "players": a.players,
        "a": a.labels[0],
        "b": b.labels[0],
        "opponents": ", ".join(a.labels[1:]),
        **a.setting(),
        **spread("a_win_rate", rate(x)),
        **spread("b_win_rate", rate(y)),
        **spread("difference", paired),
        **spread("unpaired", welch(x, y)),
        "variance_factor": (np.var(x, ddof=1) + np.var(y, ddof=1)) / np.var(gap, ddof=1),
        **answer,
        "games": a.played + b.played,
        "blocks": a.blocks,
        "example_game": first[0],
        "example_game_b": first[1],
    }
    return {"comparison": table([row]), **common([a, b])}


def rule_changes(pairs):
    rows = []
    for base, variant in pairs:

        def change(value, base=base, variant=variant):
            return np.array(value(variant)) - np.array(value(base))

        last = base.players
        most = max(match.games.rounds.max() for match in (base, variant)) + 1.0
        changes = {
            "rome_change": change(lambda m: m.games.groupby("block").rome.mean()),
            "rounds_change": change(lambda m: m.games.groupby("block").rounds.mean()),
            "seat1_change": change(lambda m: m.seat_by_block(1)),
            f"seat{last}_change": change(lambda m, last=last: m.seat_by_block(last)),
        }
        row = {
            **variant.group(),
            **spread("rome_wins", rate_interval(variant.games.groupby("block").rome.mean())),
        }
        for name, blocks in changes.items():
            largest = most if name == "rounds_change" else 1.0
            row |= spread(name, difference_interval(blocks, largest))
            row[f"{name}_p"] = difference_p(blocks, largest)
        rows.append(
            {
                **row,
                "rome_differs": np.count_nonzero(changes["rome_change"]),
                "games": base.played + variant.played,
                "blocks": base.blocks,
                "example_game": variant.first_rome(),
            }
        )
    return {"rule_changes": table(rows), **common([m for pair in pairs for m in pair])}


# --- solo -----------------------------------------------------------------------------------


def level(match):
    return {
        "strategy": match.labels[0],
        "level": match.level,
        **spread("success", rate_interval(match.seats.groupby("block").share.mean())),
        **match.mean("rounds"),
        **match.setting(),
        **match.size(match.first_win(match.seats)),
    }


def campaign(matches):
    """The product of the levels' rates; its logarithm is a sum over common deals."""
    won = np.array([match.seats.groupby("block").share.mean() for match in matches])
    rates = won.mean(axis=1)
    product = rates.prod()
    if product == 0:
        high = math.prod(rate_interval(blocks)[2] for blocks in won)
        success = 0.0, 0.0, high
    else:
        ends = np.log([rate_interval(blocks) for blocks in won]).T
        together = np.eye(len(won))
        for i, j in itertools.permutations(range(len(won)), 2):
            if min(standard_error(won[i]), standard_error(won[j])) > 0:
                together[i, j] = np.corrcoef(won[i], won[j])[0, 1]
        down, up = (math.sqrt(x @ together @ x) for x in (ends[1] - ends[0], ends[2] - ends[0]))
        success = product, product * math.exp(-down), min(1.0, product * math.exp(up))
    return {
        "strategy": matches[0].labels[0],
        "levels": ",".join(str(match.level) for match in matches),
        **spread("success", success),
        **matches[0].setting(),
        "games": sum(match.played for match in matches),
        "blocks": matches[0].blocks,
        "example_game": matches[-1].first_win(matches[-1].seats),
    }


def solo(policies):
    """The tables of solo runs, of lists of matches by policy."""
    everything = [match for matches in policies for match in matches]
    found = {"levels": table([level(match) for match in everything])}
    campaigns = [campaign(matches) for matches in policies if len(matches) > 1]
    if campaigns:
        found["campaigns"] = table(campaigns)
    return {**found, **common(everything)}
