"""Helpers for policies, compared with sums over the cards on and off the table."""

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
EXTRAS = 4  # playable_after is called with 0 to 3 more symbols of land

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
def call_all(table, me, choice, answers):
    """Store the results of all helpers."""
    played = table.categories_played
    for category in range(7):
        for seat in range(table.players):
            answers.strength[seat, category] = helpers.strength(table, seat, category)
            answers.lead_over_rome[seat, category] = helpers.lead_over_rome(
                table, me, seat, category
            )
        answers.best_rival[category] = helpers.best_rival(table, me, category)
        answers.rome_known[category] = helpers.rome_known(table, me, category)
        answers.rome_now[category] = helpers.rome_now(table, me, category)
        answers.rome_forecast[category] = helpers.rome_forecast(table, me, category)
        answers.cards_unseen[category] = helpers.cards_unseen(table, me, category)
        answers.symbols_unseen[category] = helpers.symbols_unseen(table, me, category)
        answers.is_military[category] = helpers.is_military(category)
        answers.income_if_played[category] = helpers.income_if_played(
            table, me.seat, played, category
        )
    for seat in range(table.players):
        answers.limit_of[seat] = helpers.limit_of(table, seat)
        for legion in range(table.legions):
            answers.price_of_legion[seat, legion] = helpers.price_of_legion(table, seat, legion)
        for slot in range(me.hand_count):
            card = me.hand[slot]
            answers.within_limit[seat, slot] = helpers.within_limit(table, seat, card)
            for extra in range(4):
                answers.playable_after[seat, slot, extra] = helpers.playable_after(
                    table, seat, card, extra
                )
    for slot in range(me.hand_count):
        answers.card_read[slot, 0] = helpers.category_of(me.hand[slot])
        answers.card_read[slot, 1] = helpers.symbols_of(me.hand[slot])
        answers.card_read[slot, 2] = helpers.value_of(me.hand[slot])
    for option in range(choice.count):
        answers.passes[option] = helpers.passes(choice, option)
        if choice.kind == PLACE:
            answers.means[option, 0] = helpers.placed_card(choice, option)
            answers.means[option, 1] = helpers.placed_to(choice, option)
        elif choice.kind == BUY and not answers.passes[option]:
            answers.means[option, 1] = helpers.bought_legion(choice, option)
        elif (choice.kind == PLAY or choice.kind == REACT) and not answers.passes[option]:
            answers.means[option, 0] = helpers.played_card(me, choice, option)
    answers.income_of = helpers.income_of(table, me.seat, played)
    answers.rounds_left = helpers.rounds_left(table)
    answers.richest_legion = helpers.richest_legion(table)
    answers.rome_holds = helpers.rome_holds(table, me)
    answers.copy_size = helpers.copy_size(table)
    answers.hidden_part = helpers.hidden_part(table, me)
    answers.coming_part = helpers.coming_part(table, me)


Position = namedtuple("Position", "game seat state answers")


def look_at(game, seat=None):
    """Return what the helpers return to a seat (from 0; by default the one that decides)."""
    seat = game.seat - 1 if seat is None else seat
    answers = np.zeros(1, answers_dtype)
    record = game.record
    call_all(record["table"], record["seats"][seat], record["choices"][seat], answers[0])
    return Position(game, seat, game.state(), answers[0])


def random_game(players, level, seed):
    """Yield a random game at each of its decisions."""
    chance = np.random.default_rng([seed, players, level or 0])
    game = paxsim.Game(players, solo_level=level, seed=seed)
    while not game.over:
        yield game
        count = len(game.options())
        peeks = game.decision == "turn" and chance.random() < 0.9  # long games, some peeking
        game.apply(0 if peeks else int(chance.integers(count)))


@pytest.fixture(scope="module")
def positions():
    """Every third decision of random games at every kind of table."""
    positions = [
        look_at(game.copy())
        for players, level in TABLES
        for number, game in enumerate(random_game(players, level, seed=1))
        if number % 3 == 0
    ]
    kinds = {position.game.decision for position in positions}
    assert kinds == {"display", "keep", "turn", "place", "buy", "play", "react"}
    assert any(position.state["seats"][position.seat]["peeked"] for position in positions)
    return positions


@pytest.fixture(scope="module")
def endings():
    """Finished games of several players, from the view of every seat."""
    answers = []
    for players in (2, 3, 4, 6):
        for seed in range(6):
            *_, game = random_game(players, None, seed)
            answers += [look_at(game, seat) for seat in range(players)]
    return answers


def symbols_in(texts, category):
    return sum(card(text).symbols for text in texts if card(text).category == category)


def with_bonus(symbols, category):
    """Return symbols of a category, with a bonus army for three fleets and the reverse."""
    other = {"fleet": "army", "army": "fleet"}.get(category)
    return symbols[category] + (symbols[other] // 3 if other else 0)


def by_category(values):
    return dict(zip(CATEGORIES, values, strict=True))


# --- cards, prices, limits ------------------------------------------------------------------


def test_card_number_is_category_symbols_and_value(positions):
    for _, seat, state, answers in positions:
        for slot, text in enumerate(state["seats"][seat]["hand"]):
            category, symbols, value = answers["card_read"][slot]
            assert f"{CATEGORIES[category]}/{symbols}/{value}" == text
    assert [CATEGORIES[i] for i in np.flatnonzero(answers["is_military"])] == ["fleet", "army"]


def test_price_is_the_value_less_a_third_of_the_wealth(positions):
    for _, _, state, answers in positions:
        for seat, owner in enumerate(state["seats"]):
            for legion, cards in enumerate(state["legions"]):
                value = sum(card(text).value for text in cards)
                price = max(value - owner["symbols"]["wealth"] // 3, 0)
                assert answers["price_of_legion"][seat, legion] == price


def test_limit_is_the_larger_of_land_and_intrigue(positions):
    for _, me, state, answers in positions:
        for seat, owner in enumerate(state["seats"]):
            symbols = owner["symbols"]
            assert answers["limit_of"][seat] == max(symbols["land"], symbols["intrigue"])
            for slot, text in enumerate(state["seats"][me]["hand"]):
                held = card(text)
                military = held.category in ("fleet", "army")
                for extra in range(EXTRAS):
                    limit = max(symbols["land"] + extra, symbols["intrigue"])
                    allowed = not military or symbols[held.category] + held.symbols <= limit
                    assert answers["playable_after"][seat, slot, extra] == allowed
                assert (
                    answers["within_limit"][seat, slot] == answers["playable_after"][seat, slot, 0]
                )


def test_option_helpers_agree_with_the_options_of_the_game(positions):
    places = {TO_HAND: "hand", TO_BOTTOM: "bottom"}
    for game, _, _, answers in positions:
        for number, option in enumerate(game.options()):
            code, place = map(int, answers["means"][number])
            assert answers["passes"][number] == (option.action in ("stop", "pass"))
            if option.action == "place":
                assert paxsim.Card.from_code(code) == option.card
                assert places.get(place, place + 1) == option.to
            elif option.action in ("play", "react"):
                assert paxsim.Card.from_code(code) == option.card
            elif option.action == "buy":
                assert place + 1 == option.to


# --- income ---------------------------------------------------------------------------------


def paid_by_the_engine(game, option):
    """Return the income of the turn if an option is applied and nothing is played after it."""
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


def test_income_helpers_return_what_the_engine_pays(positions):
    several = 0
    for game, _, _, answers in positions:
        if game.decision != "play" or game.setting.players == 1:
            continue  # in solo the next turn may follow without a decision
        *plays, _ = game.options()
        several += game.record["table"]["played"] > 0
        assert paid_by_the_engine(game, len(plays)) == answers["income_of"]
        for number, option in enumerate(plays):
            expected = by_category(answers["income_if_played"])[option.card.category]
            assert paid_by_the_engine(game, number) == expected
    assert several > 10


# --- strength, and Rome's -------------------------------------------------------------------


def test_strength_includes_the_bonus(positions):
    for _, me, state, answers in positions:
        strengths = [
            [with_bonus(owner["symbols"], category) for category in CATEGORIES]
            for owner in state["seats"]
        ]
        assert answers["strength"][: len(strengths)].tolist() == strengths
        others = strengths[:me] + strengths[me + 1 :]
        best = [max((row[i] for row in others), default=0) for i in range(7)]
        assert answers["best_rival"].tolist() == best


def test_rome_known_includes_hidden_cards_after_peeking(positions):
    for _, me, state, answers in positions:
        peeked = state["seats"][me]["peeked"]
        for category, known in by_category(answers["rome_known"]).items():
            hidden = symbols_in(state["rome_hidden"], category) if peeked else 0
            assert known == state["rome_symbols"][category] + hidden


def test_rome_now_counts_hidden_cards_as_average_until_peeking(positions):
    deck = paxsim.load_deck()
    for game, me, state, answers in positions:
        peeked = state["seats"][me]["peeked"]
        part = 0 if peeked else game.setting.resolved()["rome_hidden"] / len(deck.cards)
        assert answers["copy_size"] == len(deck.cards)
        assert answers["hidden_part"] == pytest.approx(part)
        known = by_category(answers["rome_known"])
        for category, now in by_category(answers["rome_now"]).items():
            average = part * sum(c.symbols for c in deck.of_category(category))
            assert now == pytest.approx(with_bonus(known, category) + average)
        seats = len(state["seats"])
        lead = answers["strength"][:seats] - answers["rome_now"]
        assert answers["lead_over_rome"][:seats] == pytest.approx(lead)
        assert (answers["rome_now"] < answers["rome_forecast"]).all()


def test_rome_forecast_grows_with_the_cards_left():
    game = bare_game()
    forecasts, rounds = [], []
    for left in (0, 10, 30, 60):
        lay_deck(game, *["land/1/1"] * left)
        forecasts.append(look_at(game).answers["rome_forecast"].copy())
        rounds.append(float(look_at(game).answers["rounds_left"]))
    assert rounds[0] == 0.0 and rounds == sorted(set(rounds))
    assert all((a < b).all() for a, b in zip(forecasts, forecasts[1:], strict=False))


def test_seat_that_peeked_knows_the_final_score(endings):
    informed = [
        position for position in endings if position.state["seats"][position.seat]["peeked"]
    ]
    assert 20 < len(informed) < len(endings)
    for game, _, state, answers in informed:
        result = game.result()
        seats = len(state["seats"])
        assert answers["rome_holds"] == result["rome_categories"]
        assert answers["rome_now"].tolist() == result["rome_symbols"][:7].tolist()
        lead = result["symbols"][:seats, :7] - result["rome_symbols"][:7]
        assert answers["lead_over_rome"][:seats].tolist() == lead.tolist()


def test_rome_holds_categories_that_nobody_shows():
    game = bare_game(rules={"rome_hidden": 0})
    assert look_at(game).answers["rome_holds"] == 7
    lay_display(game, 2, "land/1/1", "wealth/2/2")
    lay_rome(game, visible=["wealth/2/3"])
    assert look_at(game).answers["rome_holds"] == 6
    game = bare_game(rules={"rome_hidden": 0, "rome_wins_zero_ties": False})
    lay_display(game, 2, "land/1/1")
    lay_rome(game, visible=["wealth/2/3", "land/1/1"])
    assert look_at(game).answers["rome_holds"] == 2


# --- what is still to come ------------------------------------------------------------------


def never_seen(position, workspace):
    """Return the cards that the deciding seat has not located, or has just drawn, by code."""
    game = position.game
    known = worlds.beliefs_of(workspace, game._address)
    unseen = Counter(
        {int(known["card"][k]): int(known["unseen"][k]) for k in range(known["kinds"])}
    )
    if game.decision in ("display", "keep", "place"):
        unseen.update(game.choice["drawn"][: game.choice["drawn_count"]].tolist())
    return unseen


def test_unseen_cards_are_those_that_a_perfect_memory_has_not_located(positions):
    """The search derives them in another way, which test_knowledge checks."""
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
            assert position.answers["cards_unseen"][number] == pytest.approx(cards * in_play)
            assert position.answers["symbols_unseen"][number] == pytest.approx(symbols * in_play)
        players[position.game.setting.players] += 1
    assert min(players[count] for count in (1, 2, 3, 4, 6, 8)) > 10


def test_rounds_left_is_off_by_less_than_two_on_average():
    for players in (2, 4, 8):
        errors = []
        for seed in range(12):
            rounds = paxsim.play("builder", players, seed=seed).rounds
            game = paxsim.Game(players, seed=seed)
            while game.decision == "keep":
                game.apply(0)
            errors.append(look_at(game).answers["rounds_left"] - (rounds - 1))
        assert abs(np.mean(errors)) < 2.0


def test_richest_legion_is_the_group_that_rome_takes(positions):
    taken = 0
    for game, _, state, answers in positions:
        table = game.record["table"]
        if game.decision != "play" or table["turns_left"] > 0 or game.setting.players > 4:
            continue
        if game.setting.players == 1:
            continue  # in solo the next turn may follow without a decision
        other = game.copy()
        other.apply(len(other.options()) - 1)
        gained = Counter(other.state()["rome_cards"])
        gained.subtract(state["rome_cards"])
        group = (
            state["legions"][answers["richest_legion"]] if answers["richest_legion"] >= 0 else []
        )
        assert +gained == Counter(card(text).category for text in group)
        taken += bool(group)
    assert taken > 10


def test_richest_legion_is_the_lowest_in_a_tie_and_never_empty():
    game = bare_game()
    assert look_at(game).answers["richest_legion"] == NOBODY
    lay_legion(game, 3, "land/1/0")
    assert look_at(game).answers["richest_legion"] == 2, "a worthless group is still a group"
    lay_legion(game, 2, "land/2/4")
    lay_legion(game, 3, "land/1/2", "army/1/2")
    assert look_at(game).answers["richest_legion"] == 1


# --- chance ---------------------------------------------------------------------------------


@paxsim.helper
def throw(me, bound, throws):
    for i in range(throws.size):
        throws[i] = helpers.random_below(me, bound)


def test_random_below_draws_only_from_the_stream_of_the_seat():
    game = paxsim.Game(2, seed=1)
    before, again = game.copy(), game.copy()
    throws = np.zeros((2, 600), np.int64)
    throw(game.record["seats"][0], 6, throws[0])
    throw(again.record["seats"][0], 6, throws[1])
    assert (throws[0] == throws[1]).all() and set(throws[0].tolist()) == set(range(6))
    assert game.record["seats"][1].tobytes() == before.record["seats"][1].tobytes()
    assert game.record["hidden"].tobytes() == before.record["hidden"].tobytes()
