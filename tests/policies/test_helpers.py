"""The helpers for policies, against plain sums over the cards on and off the table."""

from collections import Counter, namedtuple

import numpy as np
import pytest
from conftest import TABLES
from support import worlds
from support.positions import bare_game, card, lay_deck, lay_display, lay_legion, lay_rome

import paxsim
from paxsim import helpers
from paxsim.cards import CATEGORIES
from paxsim.helpers import BUY, NOBODY, PLACE, PLAY, REACT, TO_BOTTOM, TO_HAND

LEGIONS = 9
EXTRAS = 4  # playable_after is asked for 0 to 3 more symbols of land

answers_dtype = np.dtype(
    [
        ("strength", np.float64, (8, 7)),
        ("lead_over_rome", np.float64, (8, 7)),
        ("limit_of", np.int64, 8),
        ("price_of_legion", np.int64, (8, LEGIONS)),
        ("best_rival", np.float64, 7),
        ("rome_known", np.float64, 7),
        ("rome_now", np.float64, 7),
        ("rome_forecast", np.float64, 7),
        ("cards_unseen", np.float64, 7),
        ("symbols_unseen", np.float64, 7),
        ("income_if_played", np.int64, 7),
        ("is_military", np.int64, 7),
        ("within_limit", np.int64, (8, 60)),
        ("playable_after", np.int64, (8, 60, EXTRAS)),
        ("card_read", np.int64, (60, 3)),
        ("passes", np.int64, 120),
        ("means", np.int64, (120, 2)),
        ("income_of", np.int64),
        ("rounds_left", np.float64),
        ("richest_legion", np.int64),
        ("rome_holds", np.int64),
        ("copy_size", np.int64),
        ("hidden_part", np.float64),
        ("coming_part", np.float64),
    ],
    align=True,
)


@paxsim.helper
def ask_all(table, me, choice, found):
    """Put every question to every helper."""
    played = table.categories_played
    for category in range(7):
        for seat in range(table.players):
            found.strength[seat, category] = helpers.strength(table, seat, category)
            found.lead_over_rome[seat, category] = helpers.lead_over_rome(table, me, seat, category)
        found.best_rival[category] = helpers.best_rival(table, me, category)
        found.rome_known[category] = helpers.rome_known(table, me, category)
        found.rome_now[category] = helpers.rome_now(table, me, category)
        found.rome_forecast[category] = helpers.rome_forecast(table, me, category)
        found.cards_unseen[category] = helpers.cards_unseen(table, me, category)
        found.symbols_unseen[category] = helpers.symbols_unseen(table, me, category)
        found.is_military[category] = helpers.is_military(category)
        found.income_if_played[category] = helpers.income_if_played(
            table, me.seat, played, category
        )
    for seat in range(table.players):
        found.limit_of[seat] = helpers.limit_of(table, seat)
        for legion in range(table.legions):
            found.price_of_legion[seat, legion] = helpers.price_of_legion(table, seat, legion)
        for slot in range(me.hand_count):
            card = me.hand[slot]
            found.within_limit[seat, slot] = helpers.within_limit(table, seat, card)
            for extra in range(4):
                found.playable_after[seat, slot, extra] = helpers.playable_after(
                    table, seat, card, extra
                )
    for slot in range(me.hand_count):
        found.card_read[slot, 0] = helpers.category_of(me.hand[slot])
        found.card_read[slot, 1] = helpers.symbols_of(me.hand[slot])
        found.card_read[slot, 2] = helpers.value_of(me.hand[slot])
    for option in range(choice.count):
        found.passes[option] = helpers.passes(choice, option)
        if choice.kind == PLACE:
            found.means[option, 0] = helpers.placed_card(choice, option)
            found.means[option, 1] = helpers.placed_to(choice, option)
        elif choice.kind == BUY and not found.passes[option]:
            found.means[option, 1] = helpers.bought_legion(choice, option)
        elif (choice.kind == PLAY or choice.kind == REACT) and not found.passes[option]:
            found.means[option, 0] = helpers.played_card(me, choice, option)
    found.income_of = helpers.income_of(table, me.seat, played)
    found.rounds_left = helpers.rounds_left(table)
    found.richest_legion = helpers.richest_legion(table)
    found.rome_holds = helpers.rome_holds(table, me)
    found.copy_size = helpers.copy_size(table)
    found.hidden_part = helpers.hidden_part(table, me)
    found.coming_part = helpers.coming_part(table, me)


Position = namedtuple("Position", "game seat state found")


def look_at(game, seat=None):
    """What the helpers tell a seat (from 0; by default the one that decides)."""
    seat = game.seat - 1 if seat is None else seat
    found = np.zeros(1, answers_dtype)
    record = game.record
    ask_all(record["table"], record["seats"][seat], record["choices"][seat], found[0])
    return Position(game, seat, game.state(), found[0])


def random_game(players, level, seed):
    """A game in which chance decides, at each of its decisions."""
    chance = np.random.default_rng([seed, players, level or 0])
    game = paxsim.Game(players, solo_level=level, seed=seed)
    while not game.over:
        yield game
        count = len(game.options())
        peeks = game.decision == "turn" and chance.random() < 0.9  # long games, some peeking
        game.apply(0 if peeks else int(chance.integers(count)))


@pytest.fixture(scope="module")
def positions():
    """Decisions from random games at every kind of table, every third one."""
    return [
        look_at(game.copy())
        for players, level in TABLES
        for number, game in enumerate(random_game(players, level, seed=1))
        if number % 3 == 0
    ]


@pytest.fixture(scope="module")
def endings():
    """Finished games of several players, seen by every seat."""
    found = []
    for players in (2, 3, 4, 6):
        for seed in range(6):
            *_, game = random_game(players, None, seed)
            found += [look_at(game, seat) for seat in range(players)]
    return found


def symbols_in(texts, category):
    return sum(card(text).symbols for text in texts if card(text).category == category)


def with_bonus(symbols, category):
    """Symbols of a category, an army counting for three fleets and the reverse."""
    other = {"fleet": "army", "army": "fleet"}.get(category)
    return symbols[category] + (symbols[other] // 3 if other else 0)


def by_category(values):
    return dict(zip(CATEGORIES, values, strict=True))


# --- cards, prices, limits ------------------------------------------------------------------


def test_the_positions_show_every_kind_of_decision(positions):
    kinds = {position.game.decision for position in positions}
    assert kinds == {"display", "keep", "turn", "place", "buy", "play", "react"}
    assert any(position.state["seats"][position.seat]["peeked"] for position in positions)


def test_a_card_number_reads_as_category_symbols_and_value(positions):
    for _, seat, state, found in positions:
        for slot, text in enumerate(state["seats"][seat]["hand"]):
            category, symbols, value = found["card_read"][slot]
            assert f"{CATEGORIES[category]}/{symbols}/{value}" == text
    assert [CATEGORIES[i] for i in np.flatnonzero(found["is_military"])] == ["fleet", "army"]


def test_a_group_costs_the_value_of_its_cards_less_one_for_three_symbols_of_wealth(positions):
    for _, _, state, found in positions:
        for seat, owner in enumerate(state["seats"]):
            for legion, cards in enumerate(state["legions"]):
                value = sum(card(text).value for text in cards)
                price = max(value - owner["symbols"]["wealth"] // 3, 0)
                assert found["price_of_legion"][seat, legion] == price


def test_the_longer_of_land_and_intrigue_limits_fleets_and_armies(positions):
    for _, me, state, found in positions:
        for seat, owner in enumerate(state["seats"]):
            symbols = owner["symbols"]
            assert found["limit_of"][seat] == max(symbols["land"], symbols["intrigue"])
            for slot, text in enumerate(state["seats"][me]["hand"]):
                held = card(text)
                military = held.category in ("fleet", "army")
                for extra in range(EXTRAS):
                    limit = max(symbols["land"] + extra, symbols["intrigue"])
                    allowed = not military or symbols[held.category] + held.symbols <= limit
                    assert found["playable_after"][seat, slot, extra] == allowed
                assert found["within_limit"][seat, slot] == found["playable_after"][seat, slot, 0]


def test_the_cards_within_the_limit_are_the_ones_that_the_engine_offers(positions):
    for game, seat, state, found in positions:
        me = game.record["seats"][seat]
        if game.decision == "play" and me["money"] >= game.choice["price"]:
            offered = Counter(str(option.card) for option in game.options()[:-1])
            hand = state["seats"][seat]["hand"]
            assert offered == Counter(
                text for slot, text in enumerate(hand) if found["within_limit"][seat, slot]
            )


def test_the_option_helpers_say_what_the_options_mean(positions):
    places = {TO_HAND: "hand", TO_BOTTOM: "bottom"}
    for game, _, _, found in positions:
        for number, option in enumerate(game.options()):
            code, place = map(int, found["means"][number])
            assert found["passes"][number] == (option.action in ("stop", "pass"))
            if option.action == "place":
                assert paxsim.Card.from_code(code) == option.card
                assert places.get(place, place + 1) == option.to
            elif option.action in ("play", "react"):
                assert paxsim.Card.from_code(code) == option.card
            elif option.action == "buy":
                assert place + 1 == option.to


# --- income ---------------------------------------------------------------------------------


def paid_by_the_engine(game, option):
    """Income of the turn if this option is applied and nothing is played after it."""
    seat = game.seat
    other = game.copy()
    price = 0
    if option < len(game.options()) - 1:
        price = int(game.choice["price"])
        other.apply(option)
    if (other.decision, other.seat) == ("play", seat):
        other.apply(len(other.options()) - 1)
    before, after = (int(g.record["seats"][seat - 1]["money"]) for g in (game, other))
    return after - before + price


def test_the_income_foretold_is_the_income_that_the_engine_pays(positions):
    several = 0
    for game, _, _, found in positions:
        if game.decision != "play" or game.setting.players == 1:
            continue  # alone, the next turn may follow before anybody is asked
        *plays, _ = game.options()
        several += game.record["table"]["played"] > 0
        assert paid_by_the_engine(game, len(plays)) == found["income_of"]
        for number, option in enumerate(plays):
            foretold = by_category(found["income_if_played"])[option.card.category]
            assert paid_by_the_engine(game, number) == foretold
    assert several > 10


# --- strength, and Rome's -------------------------------------------------------------------


def test_strength_is_what_lies_out_with_the_bonus(positions):
    for _, me, state, found in positions:
        strengths = [
            [with_bonus(owner["symbols"], category) for category in CATEGORIES]
            for owner in state["seats"]
        ]
        assert found["strength"][: len(strengths)].tolist() == strengths
        others = strengths[:me] + strengths[me + 1 :]
        best = [max((row[i] for row in others), default=0) for i in range(7)]
        assert found["best_rival"].tolist() == best


def test_rome_is_known_by_its_open_cards_and_by_the_hidden_ones_after_peeking(positions):
    for _, me, state, found in positions:
        peeked = state["seats"][me]["peeked"]
        for category, known in by_category(found["rome_known"]).items():
            hidden = symbols_in(state["rome_hidden"], category) if peeked else 0
            assert known == state["rome_symbols"][category] + hidden


def test_hidden_cards_count_as_average_cards_until_peeked_at(positions):
    deck = paxsim.load_deck()
    for game, me, state, found in positions:
        peeked = state["seats"][me]["peeked"]
        part = 0 if peeked else game.setting.resolved()["rome_hidden"] / len(deck.cards)
        assert found["copy_size"] == len(deck.cards)
        assert found["hidden_part"] == pytest.approx(part)
        known = by_category(found["rome_known"])
        for category, now in by_category(found["rome_now"]).items():
            average = part * sum(c.symbols for c in deck.of_category(category))
            assert now == pytest.approx(with_bonus(known, category) + average)


def test_rome_is_never_expected_to_lose_what_it_has(positions):
    for _, _, _, found in positions:
        assert (found["rome_known"] <= found["rome_now"]).all()
        assert (found["rome_now"] < found["rome_forecast"]).all()
        assert found["coming_part"] > found["hidden_part"]


def test_the_more_cards_are_left_the_more_rome_is_expected_to_take():
    game = bare_game()
    forecasts, rounds = [], []
    for left in (0, 10, 30, 60):
        lay_deck(game, *["land/1/1"] * left)
        forecasts.append(look_at(game).found["rome_forecast"].copy())
        rounds.append(float(look_at(game).found["rounds_left"]))
    assert rounds[0] == 0.0 and rounds == sorted(set(rounds))
    assert all((a < b).all() for a, b in zip(forecasts, forecasts[1:], strict=False))


def test_a_lead_is_strength_less_what_rome_has_now(positions):
    for _, _, state, found in positions:
        seats = len(state["seats"])
        assert found["lead_over_rome"][:seats] == pytest.approx(
            found["strength"][:seats] - found["rome_now"]
        )


def test_at_the_end_a_seat_that_peeked_knows_the_very_score(endings):
    informed = [
        position for position in endings if position.state["seats"][position.seat]["peeked"]
    ]
    assert 20 < len(informed) < len(endings)
    for game, _, state, found in informed:
        result = game.result()
        seats = len(state["seats"])
        assert found["rome_holds"] == result["rome_categories"]
        assert found["rome_now"].tolist() == result["rome_symbols"][:7].tolist()
        lead = result["symbols"][:seats, :7] - result["rome_symbols"][:7]
        assert found["lead_over_rome"][:seats].tolist() == lead.tolist()


def test_a_seat_that_never_peeked_judges_rome_nearly_right(endings):
    """Three average cards in place of three unknown ones: off by less than a category a game."""
    off = [
        abs(int(position.found["rome_holds"]) - int(position.game.result()["rome_categories"]))
        for position in endings
        if not position.state["seats"][position.seat]["peeked"]
    ]
    assert len(off) > 10 and np.mean(off) < 1.0


def test_nothing_against_nothing_is_held_by_rome():
    game = bare_game(rules={"rome_hidden": 0})
    assert look_at(game).found["rome_holds"] == 7
    lay_display(game, 2, "land/1/1", "wealth/2/2")
    lay_rome(game, visible=["wealth/2/3"])
    assert look_at(game).found["rome_holds"] == 6


# --- what is still to come ------------------------------------------------------------------


def never_seen(position, workspace):
    """The cards that the deciding seat can't place, or has just drawn, as a counter of codes."""
    game = position.game
    known = worlds.beliefs_of(workspace, game._address)
    unseen = Counter(
        {int(known["card"][k]): int(known["unseen"][k]) for k in range(known["kinds"])}
    )
    if game.decision in ("display", "keep", "place"):
        unseen.update(game.choice["drawn"][: game.choice["drawn_count"]].tolist())
    return unseen


def test_unseen_cards_are_exactly_those_that_a_perfect_memory_can_not_place(positions):
    """What the search works out with a memory of its own, which onlookers have checked."""
    workspace, players = worlds.new_workspace(), Counter()
    for position in positions:
        unseen = never_seen(position, workspace)
        resolved = position.game.setting.resolved()
        out = len(position.game.setting.deck.cards) - resolved["cards_added"]
        in_play = 1 - out / unseen.total() if resolved["cards_added"] else 1
        for number, category in enumerate(CATEGORIES):
            mine = {
                paxsim.Card.from_code(code): n for code, n in unseen.items() if code & 7 == number
            }
            cards, symbols = sum(mine.values()), sum(n * one.symbols for one, n in mine.items())
            assert all(one.category == category for one in mine)
            assert position.found["cards_unseen"][number] == pytest.approx(cards * in_play)
            assert position.found["symbols_unseen"][number] == pytest.approx(symbols * in_play)
        players[position.game.setting.players] += 1
    assert min(players[count] for count in (1, 2, 3, 4, 6, 8)) > 10


def test_the_estimate_of_rounds_is_near_the_truth():
    """On average over the first turns of games between heuristics, to within two rounds."""
    for players in (2, 4, 8):
        errors = []
        for seed in range(12):
            rounds = paxsim.play("builder", players, seed=seed).rounds
            game = paxsim.Game(players, seed=seed)
            while game.decision == "keep":
                game.apply(0)
            errors.append(look_at(game).found["rounds_left"] - (rounds - 1))
        assert abs(np.mean(errors)) < 2.0


def test_rome_takes_the_group_that_is_richest_when_the_round_ends(positions):
    taken = 0
    for game, _, state, found in positions:
        table = game.record["table"]
        if game.decision != "play" or table["turns_left"] > 0 or game.setting.players > 4:
            continue
        if game.setting.players == 1:
            continue  # alone, the next turn may follow before anybody is asked
        other = game.copy()
        other.apply(len(other.options()) - 1)
        gained = Counter(other.state()["rome_cards"])
        gained.subtract(state["rome_cards"])
        group = state["legions"][found["richest_legion"]] if found["richest_legion"] >= 0 else []
        assert +gained == Counter(card(text).category for text in group)
        taken += bool(group)
    assert taken > 10


def test_in_a_tie_the_lowest_legion_is_the_richest_and_empty_legions_are_none():
    game = bare_game()
    assert look_at(game).found["richest_legion"] == NOBODY
    lay_legion(game, 3, "land/1/0")
    assert look_at(game).found["richest_legion"] == 2, "a worthless group is still a group"
    lay_legion(game, 2, "land/2/4")
    lay_legion(game, 3, "land/1/2", "army/1/2")
    assert look_at(game).found["richest_legion"] == 1


# --- chance ---------------------------------------------------------------------------------


@paxsim.helper
def throw(me, bound, throws):
    for i in range(throws.size):
        throws[i] = helpers.random_below(me, bound)


def test_a_seat_throws_fair_dice_of_its_own():
    game = paxsim.Game(2, seed=1)
    untouched = game.copy()
    throws = np.zeros(6000, np.int64)
    throw(game.record["seats"][0], 6, throws)
    counts = np.bincount(throws, minlength=6)
    assert len(counts) == 6 and counts.sum() == 6000
    # Chi-square with 5 degrees of freedom: 20.5 is exceeded once in a thousand times.
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5
    again = np.zeros(6000, np.int64)
    throw(untouched.record["seats"][0], 6, again)
    assert (throws == again).all(), "the same game gives the same throws"
    assert game.record["seats"][1].tobytes() == untouched.record["seats"][1].tobytes()
    assert game.record["hidden"].tobytes() == untouched.record["hidden"].tobytes()
