"""Sampled worlds: they fit what the seat knows and have the right distribution."""

import functools
import itertools
from collections import Counter

import numpy as np
import pytest
from conftest import TABLE_NAMES, TABLES
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from support import worlds
from support.hypothesis_strategies import playable_settings

import paxsim
from paxsim.engine.loop import apply_option, start_game
from paxsim.engine.records import OVER, PEEK, RING, TURN, address_of, game_dtype
from paxsim.engine.rng import seat_keys

#: Chance of a false alarm if a seed were drawn anew; the seeds are fixed.
RARE = 1e-4


def begun(setting, deal, seed=3):
    """Return the record of a game at its first decision."""
    record = setting.new_game()
    start_game(address_of(record), seat_keys(seed), seed, deal, 0)
    return record


def view(record):
    return record.view(game_dtype)[0]


def deciding(record):
    """Return the deciding seat's record and choice."""
    game = view(record)
    seat = int(game["hidden"]["seat"])
    return game["seats"][seat], game["choices"][seat]


def play_some(record, random, steps, peeking=0.1):
    """Play random decisions; peeks are rare, as each takes a turn."""
    for _ in range(steps):
        if view(record)["hidden"]["decision"] == OVER:
            return
        choice = deciding(record)[1]
        option = int(random.integers(choice["count"]))
        if choice["kind"] == TURN and choice["count"] > 1:
            option = PEEK if random.random() < peeking else 0
        apply_option(address_of(record), option)


def cards_of(game):
    """Return all cards in the deck, removed, with Rome and in hands, as a counter."""
    hidden, table = game["hidden"], game["table"]
    deck = [(int(table["deck_top"]) + i) % RING for i in range(table["deck_left"])]
    lists = [hidden["deck"][deck], hidden["removed"][: hidden["removed_count"]]]
    lists.append(hidden["rome_hidden"][: table["rules"]["rome_hidden"]])
    lists += [one["hand"][: one["hand_count"]] for one in game["seats"][: table["players"]]]
    return Counter(np.concatenate(lists).tolist())


@given(playable_settings(), st.integers(0, 10**6), st.integers(0, 150))
def test_a_sampled_world_fits_the_beliefs_of_the_seat(setting, deal, steps):
    record, random = begun(setting, deal), np.random.default_rng(deal)
    play_some(record, random, steps)
    if view(record)["hidden"]["decision"] == OVER:
        return
    workspace = shared_workspace()  # used repeatedly, as in a run
    game, before = view(record), record.copy()
    beliefs = worlds.beliefs_of(workspace, address_of(record))
    world = worlds.sample_world(workspace, address_of(record))
    seat = int(game["hidden"]["seat"])
    game["seats"][seat]["stream"] = view(before)["seats"][seat]["stream"]
    assert (record == before).all(), "only the random stream may change"

    assert world["table"].tobytes() == game["table"].tobytes()
    assert world["choices"][seat].tobytes() == game["choices"][seat].tobytes()
    for name in ("seat", "decision", "removed_count"):
        assert world["hidden"][name] == game["hidden"][name]
    for name in set(world["seats"].dtype.names) - {"stream", "memory", "params"}:
        assert np.array_equal(world["seats"][seat][name], game["seats"][seat][name]), name
    rome = setting.resolved()["rome_hidden"]
    rivals = [rival for rival in range(setting.players) if rival != seat]
    for rival in rivals:
        mine, theirs = world["seats"][rival], game["seats"][rival]
        for name in ("seat", "money", "hand_count", "peeked"):
            assert mine[name] == theirs[name]
        assert not mine["hand"][mine["hand_count"] :].any() and not mine["memory"].any()
        count = beliefs["hand_count"][rival]
        assert mine["hand"][:count].tolist() == beliefs["hand"][rival][:count].tolist()
        assert not mine["buried_count"] and not mine["buried"].any()
        if mine["peeked"]:
            assert (
                mine["rome_peeked"][:rome].tolist()
                == world["hidden"]["rome_hidden"][:rome].tolist()
            )
        else:
            assert not mine["rome_hidden"].any() and not mine["rome_peeked"].any()
    streams = [tuple(world["seats"][s]["stream"].tolist()) for s in range(setting.players)]
    assert len(set(streams)) == setting.players

    real, made = cards_of(game), cards_of(world)
    if setting.resolved()["cards_added"]:
        copies = Counter({card.code: 2 * n for card, n in setting.deck.counts.items()})
        assert made.total() == real.total() and made <= copies
    else:
        assert made == real
    for slot in beliefs["deck"].nonzero()[0]:
        if (slot - int(game["table"]["deck_top"])) % RING < game["table"]["deck_left"]:
            assert world["hidden"]["deck"][slot] == game["hidden"]["deck"][slot]
    if game["seats"][seat]["peeked"]:
        assert (world["hidden"]["rome_hidden"] == game["hidden"]["rome_hidden"])[:rome].all()
    symbols = np.zeros(8, int)
    for code in world["hidden"]["rome_hidden"][:rome].tolist():
        symbols[code & 7] += (code >> 3) & 31
    assert (world["hidden"]["rome_hidden_symbols"] == symbols).all()

    continued = np.array([world]).view(np.uint8)
    play_some(continued, random, 20_000)
    assert view(continued)["hidden"]["decision"] == OVER


@functools.cache
def shared_workspace():
    return worlds.new_workspace()


SMALL = paxsim.Deck(
    name="small",
    cards=tuple(sorted(paxsim.Card(c, 1, v) for c in paxsim.CATEGORIES[:5] for v in (0, 1))),
)


def places_of(world, seat):
    """Return all that a seat does not see as a tuple: hands, Rome, deck, removed cards."""
    hidden, table = world["hidden"], world["table"]
    deck = [(int(table["deck_top"]) + i) % RING for i in range(table["deck_left"])]
    hands = [
        world["seats"][rival]["hand"][: world["seats"][rival]["hand_count"]].tolist()
        for rival in range(table["players"])
        if rival != seat
    ]
    rome = hidden["rome_hidden"][: table["rules"]["rome_hidden"]].tolist()
    removed = hidden["removed"][: hidden["removed_count"]].tolist()
    return tuple(itertools.chain(*hands, rome, hidden["deck"][deck].tolist(), removed))


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_unlocated_cards_are_equally_likely_in_every_place(steps):
    rules = {"cards_removed": 1, "rome_hidden": 1, "legions": 2, "draft_sizes": [2, 2]}
    record = begun(paxsim.make_setting(2, deck=SMALL, rules=rules), 4)
    play_some(record, np.random.default_rng(1), steps, peeking=0.0)
    workspace, seat = worlds.new_workspace(), int(view(record)["hidden"]["seat"])
    beliefs = worlds.beliefs_of(workspace, address_of(record))
    unseen = [int(beliefs["card"][k]) for k in range(beliefs["kinds"]) if beliefs["unseen"][k]]
    assert len(unseen) == beliefs["places"] > 2
    repeats = 6000
    samples = np.array(
        [
            places_of(worlds.sample_world(workspace, address_of(record)), seat)
            for _ in range(repeats)
        ]
    )
    uncertain = [column for column in samples.T if len(set(column)) > 1]
    assert len(uncertain) == beliefs["places"]
    for column in uncertain:
        counts = [(column == card).sum() for card in unseen]
        assert sum(counts) == repeats and chisquare(counts).pvalue > RARE
    pairs = Counter(zip(uncertain[0].tolist(), uncertain[1].tolist(), strict=True))
    assert len(pairs) == len(unseen) * (len(unseen) - 1)
    assert chisquare(list(pairs.values())).pvalue > RARE


TINY = paxsim.Deck(
    name="tiny",
    cards=tuple(
        sorted(
            paxsim.Card(category, 1, 1)
            for category, count in (("land", 1), ("wealth", 2), ("army", 3))
            for _ in range(count)
        )
    ),
)


def chances(copy, added, observed):
    """Return the probability of every order of the unseen cards, by enumeration.

    Parameters
    ----------
    copy : list of int
        One copy of the deck; `added` cards of a second one are in play.
    observed : list of int
        The cards in some places.
    """
    weights = Counter()
    for second in itertools.combinations(copy, added):
        in_play = (*copy, *second)
        hits = sum(
            order == tuple(observed) for order in itertools.permutations(in_play, len(observed))
        )
        rest = Counter(in_play)
        rest.subtract(observed)
        weights[tuple(sorted(rest.elements() if min(rest.values()) >= 0 else ()))] += hits
    orders = Counter()
    for rest, weight in weights.items():
        if weight:
            for order, same in Counter(itertools.permutations(rest)).items():
                orders[order] += weight * same
    total = orders.total()
    return {order: weight / total for order, weight in orders.items()}


@pytest.mark.parametrize("deal", range(4))
def test_distribution_with_part_of_a_second_copy(deal):
    """The cards out of play depend on those observed and on their numbers in a copy."""
    rules = {"cards_added": 3, "cards_removed": 1, "rome_hidden": 1, "rome_open": 1, "legions": 1}
    rules["draft_sizes"] = [2, 1, 1, 1, 1]
    record = begun(paxsim.make_setting(5, deck=TINY, rules=rules), deal)
    workspace, game = worlds.new_workspace(), view(record)
    assert worlds.beliefs_of(workspace, address_of(record))["out"] == 3
    observed = [int(game["table"]["shown"][0]), *deciding(record)[1]["drawn"][:2].tolist()]
    expected = chances([card.code for card in TINY.cards], 3, observed)
    repeats = 20_000
    samples = Counter(
        places_of(worlds.sample_world(workspace, address_of(record)), 0) for _ in range(repeats)
    )
    assert set(samples) <= set(expected)
    counts = [samples[order] for order in expected]
    assert chisquare(counts, [repeats * chance for chance in expected.values()]).pvalue > RARE


@pytest.mark.parametrize(("players", "level"), TABLES, ids=TABLE_NAMES)
def test_copy_of_a_game_over_another_continues_like_the_original(players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    random = np.random.default_rng(players)
    target = begun(paxsim.make_setting(8), 99)  # of another setting, and far on
    play_some(target, random, 300)
    params = view(target)["seats"]["params"]
    params[:] = random.random(params.shape)
    for steps in (0, 3, 40, 90, 10):
        source = begun(setting, steps)
        play_some(source, random, steps)
        before = params[: setting.players].copy()
        worlds.copy_game(address_of(target), address_of(source))
        assert (params[: setting.players] == before).all()
        compare_games(view(target), view(source))
        for _ in range(2000):
            if view(source)["hidden"]["decision"] == OVER:
                break
            option = int(random.integers(deciding(source)[1]["count"]))
            counts = [apply_option(address_of(game), option) for game in (source, target)]
            assert counts[0] == counts[1]
        compare_games(view(target), view(source))
        assert view(source)["hidden"]["decision"] == OVER


def compare_games(one, other):
    """Compare all records that can be read, except the parameters of policies."""
    for part in ("table", "hidden"):
        assert one[part].tobytes() == other[part].tobytes(), part
    for seat in range(other["table"]["players"]):
        assert one["choices"][seat].tobytes() == other["choices"][seat].tobytes()
        for name in set(other["seats"].dtype.names) - {"params"}:
            assert np.array_equal(one["seats"][seat][name], other["seats"][seat][name]), name
