"""Imagined worlds: they fit what the seat knows, and are as likely as they are in truth."""

import itertools
from collections import Counter

import numpy as np
import pytest
from conftest import TABLE_NAMES, TABLES
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from support import imagined
from support.strategies import playable_settings

import paxsim
from paxsim.engine.loop import apply_option, start_game
from paxsim.engine.records import OVER, PEEK, RING, TURN, address_of, game_dtype
from paxsim.engine.rng import seat_keys

#: Chance of a false alarm if a seed were drawn anew; the seeds are fixed.
RARE = 1e-4


def begun(setting, deal, seed=3):
    """A dealt game at its first decision: record and address."""
    record = setting.new_game()
    start_game(address_of(record), seat_keys(seed), seed, deal, 0)
    return record


def view(record):
    return record.view(game_dtype)[0]


def deciding(record):
    """The deciding seat's record and choice."""
    game = view(record)
    seat = int(game["hidden"]["seat"])
    return game["seats"][seat], game["choices"][seat]


def play_some(record, random, steps, peeking=0.1):
    """Random decisions; peeks are rare, as each is a turn not taken."""
    for _ in range(steps):
        if view(record)["hidden"]["decision"] == OVER:
            return
        choice = deciding(record)[1]
        option = int(random.integers(choice["count"]))
        if choice["kind"] == TURN and choice["count"] > 1:
            option = PEEK if random.random() < peeking else 0
        apply_option(address_of(record), option)


def cards_of(game):
    """All cards that are in nobody's sight and in hands, and on the table, as a counter."""
    hidden, table = game["hidden"], game["table"]
    deck = [(int(table["deck_top"]) + i) % RING for i in range(table["deck_left"])]
    lists = [hidden["deck"][deck], hidden["removed"][: hidden["removed_count"]]]
    lists.append(hidden["rome_hidden"][: table["rules"]["rome_hidden"]])
    lists += [one["hand"][: one["hand_count"]] for one in game["seats"][: table["players"]]]
    return Counter(np.concatenate(lists).tolist())


@given(playable_settings(), st.integers(0, 10**6), st.integers(0, 150))
def test_an_imagined_world_fits_all_that_the_seat_knows(setting, deal, steps):
    record, random = begun(setting, deal), np.random.default_rng(deal)
    play_some(record, random, steps)
    if view(record)["hidden"]["decision"] == OVER:
        return
    workspace = WORKSPACES.setdefault(
        "one", imagined.new_workspace()
    )  # used again and again, as in a run
    game, before = view(record), record.copy()
    known = imagined.what_is_known(workspace, address_of(record))
    world = imagined.imagine(workspace, address_of(record))
    seat = int(game["hidden"]["seat"])
    game["seats"][seat]["stream"] = view(before)["seats"][seat]["stream"]
    assert (record == before).all(), "the searcher may only draw from its random stream"

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
        count = known["hand_count"][rival]
        assert mine["hand"][:count].tolist() == known["hand"][rival][:count].tolist()
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
    for slot in known["deck"].nonzero()[0]:
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


WORKSPACES = {}

SMALL = paxsim.Deck(
    name="small",
    cards=tuple(sorted(paxsim.Card(c, 1, v) for c in paxsim.CATEGORIES[:5] for v in (0, 1))),
)


def places_of(world, seat):
    """Everything that a seat does not see, as one tuple: hands, Rome, deck, removed cards."""
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
def test_every_unseen_card_is_as_likely_in_every_place(steps):
    rules = {"cards_removed": 1, "rome_hidden": 1, "legions": 2, "draft_sizes": [2, 2]}
    record = begun(paxsim.make_setting(2, deck=SMALL, rules=rules), 4)
    play_some(record, np.random.default_rng(1), steps, peeking=0.0)
    workspace, seat = imagined.new_workspace(), int(view(record)["hidden"]["seat"])
    known = imagined.what_is_known(workspace, address_of(record))
    unseen = [int(known["card"][k]) for k in range(known["kinds"]) if known["unseen"][k]]
    assert len(unseen) == known["places"] > 2
    worlds = 6000
    found = np.array(
        [places_of(imagined.imagine(workspace, address_of(record)), seat) for _ in range(worlds)]
    )
    uncertain = [column for column in found.T if len(set(column)) > 1]
    assert len(uncertain) == known["places"]
    for column in uncertain:
        counts = [(column == card).sum() for card in unseen]
        assert sum(counts) == worlds and chisquare(counts).pvalue > RARE
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


def chances(copy, added, seen):
    """The chance of every order of the unseen cards, by going through all that may be in play.

    Parameters
    ----------
    copy : list of int
        One copy of the deck; `added` cards of a second one are in play.
    seen : list of int
        The cards in some places.
    """
    weights = Counter()
    for second in itertools.combinations(copy, added):
        in_play = (*copy, *second)
        hits = sum(order == tuple(seen) for order in itertools.permutations(in_play, len(seen)))
        rest = Counter(in_play)
        rest.subtract(seen)
        weights[tuple(sorted(rest.elements() if min(rest.values()) >= 0 else ()))] += hits
    orders = Counter()
    for rest, weight in weights.items():
        if weight:
            for order, same in Counter(itertools.permutations(rest)).items():
                orders[order] += weight * same
    total = orders.total()
    return {order: weight / total for order, weight in orders.items()}


@pytest.mark.parametrize("deal", range(4))
def test_with_a_second_copy_in_part_every_deal_is_as_likely_as_it_is_in_truth(deal):
    """Which cards are not in play depends on those that are seen, and on how many a copy has."""
    rules = {"cards_added": 3, "cards_removed": 1, "rome_hidden": 1, "rome_open": 1, "legions": 1}
    rules["draft_sizes"] = [2, 1, 1, 1, 1]
    record = begun(paxsim.make_setting(5, deck=TINY, rules=rules), deal)
    workspace, game = imagined.new_workspace(), view(record)
    assert imagined.what_is_known(workspace, address_of(record))["out"] == 3
    seen = [int(game["table"]["shown"][0]), *deciding(record)[1]["drawn"][:2].tolist()]
    expected = chances([card.code for card in TINY.cards], 3, seen)
    worlds = 20_000
    found = Counter(
        places_of(imagined.imagine(workspace, address_of(record)), 0) for _ in range(worlds)
    )
    assert set(found) <= set(expected)
    counts = [found[order] for order in expected]
    assert chisquare(counts, [worlds * chance for chance in expected.values()]).pvalue > RARE


@pytest.mark.parametrize(("players", "level"), TABLES, ids=TABLE_NAMES)
def test_a_lean_copy_over_another_game_is_that_game_and_plays_on_like_it(players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    random = np.random.default_rng(players)
    target = begun(paxsim.make_setting(8), 99)  # of another setting, and far on
    play_some(target, random, 300)
    params = view(target)["seats"]["params"]
    params[:] = random.random(params.shape)
    for steps in (0, 3, 40, 90, 10):
        source = begun(setting, steps)
        play_some(source, random, steps)
        kept = params[: setting.players].copy()
        imagined.copy_lean(address_of(target), address_of(source))
        assert (params[: setting.players] == kept).all()
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
    """All that anybody reads is the same, but for the parameters of the policies."""
    for part in ("table", "hidden"):
        assert one[part].tobytes() == other[part].tobytes(), part
    for seat in range(other["table"]["players"]):
        assert one["choices"][seat].tobytes() == other["choices"][seat].tobytes()
        for name in set(other["seats"].dtype.names) - {"params"}:
            assert np.array_equal(one["seats"][seat][name], other["seats"][seat][name]), name
