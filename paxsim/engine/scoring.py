"""Scoring: bonuses, the comparison with Rome, points, shared wins, and solo."""

from __future__ import annotations

from paxsim.cards import ARMY, FLEET
from paxsim.engine import events
from paxsim.engine.jit import kernel, short
from paxsim.engine.piles import needed_to_hold
from paxsim.engine.records import N_CATEGORIES, NOBODY, TIE_MONEY
from paxsim.engine.turn import empty_legions


@kernel
def score(game, result):
    """Fill a result record of zeros from a finished game.

    Points are those of a players' victory, also when Rome wins.
    """
    table = game.table
    result.rounds = table.round
    result.deck_left = table.deck_left
    result.empty_legions = empty_legions(table)
    result.primus = table.primus
    count_symbols(game, result)
    compare_with_rome(table, result)
    for seat in range(table.players):
        count_points(game, result, seat)
    give_wealthiest(game, result)
    if table.solo_level:
        win_solo(table, result)
    else:
        win(game, result)


@kernel
def count_symbols(game, result):
    """Count the symbols of every seat and of Rome, with hidden cards and bonuses."""
    table = game.table
    for seat in range(table.players):
        for category in range(N_CATEGORIES):
            result.symbols[seat, category] = table.strength[seat, category]
    for category in range(N_CATEGORIES):
        result.rome_symbols[category] = (
            table.rome_symbols[category] + game.hidden.rome_hidden_symbols[category]
        )
    add_bonus(result.rome_symbols, table.rules.bonus_step)


@kernel
def add_bonus(symbols, step):
    """Add an army for every `step` fleets and a fleet for every `step` armies."""
    armies = symbols[FLEET] // step
    fleets = symbols[ARMY] // step
    symbols[ARMY] += armies
    symbols[FLEET] += fleets


@kernel
def compare_with_rome(table, result):
    """Find the categories that Rome holds: it has at least as many symbols as every player."""
    held = 0
    count = 0
    for category in range(N_CATEGORIES):
        if result.rome_symbols[category] >= needed_to_hold(table, category):
            held |= 1 << category
            count += 1
    result.rome_held = held
    result.rome_categories = count


@kernel
def stronger_than_rome(result, seat):
    """Count the categories in which a seat has more symbols than Rome."""
    count = 0
    for category in range(N_CATEGORIES):
        if result.symbols[seat, category] > result.rome_symbols[category]:
            count += 1
    return count


@kernel
def categories_displayed(table, seat):
    """Count the categories in which a seat displays a card; a bonus is no card."""
    count = 0
    for category in range(N_CATEGORIES):
        if table.cards[seat, category] > 0:
            count += 1
    return count


@kernel
def count_points(game, result, seat):
    """Count a seat's points, except those for the largest sum of money."""
    table = game.table
    rules = table.rules
    fleets_armies = result.symbols[seat, FLEET] + result.symbols[seat, ARMY]
    result.points_categories[seat] = rules.points_category * categories_displayed(table, seat)
    result.points_stronger[seat] = rules.points_stronger * stronger_than_rome(result, seat)
    result.points_fleet_army[seat] = rules.points_fleet_army * fleets_armies
    result.points_primus[seat] = rules.points_primus if table.primus == seat else 0
    result.points[seat] = (
        result.points_categories[seat]
        + result.points_stronger[seat]
        + result.points_fleet_army[seat]
        + result.points_primus[seat]
    )


@short
def wealth_of(game, seat):
    """Return a seat's money, each hand card counting 1 Aureus."""
    return game.seats[seat].money + game.seats[seat].hand_count


@kernel
def give_wealthiest(game, result):
    """Give the points for the largest sum of money to all who tie for it."""
    players = game.table.players
    largest = 0
    for seat in range(players):
        result.money[seat] = game.seats[seat].money
        result.hand_count[seat] = game.seats[seat].hand_count
        largest = max(largest, wealth_of(game, seat))
    for seat in range(players):
        gain = game.table.rules.points_wealthiest if wealth_of(game, seat) == largest else 0
        result.points_wealthiest[seat] = gain
        result.points[seat] += gain


@kernel
def win_solo(table, result):
    """Decide a solo game: all categories displayed and enough of them above Rome."""
    won = (
        categories_displayed(table, 0) == N_CATEGORIES
        and stronger_than_rome(result, 0) >= table.rules.solo_needs
    )
    result.rome_wins = not won
    result.winners = won
    result.shares[0] = 1.0 if won else 0.0


@kernel
def win(game, result):
    """Give the win to Rome and the holder of primus conspiratus, or to the best players."""
    table = game.table
    result.rome_wins = result.rome_categories >= table.rules.rome_needs
    if result.rome_wins:
        result.winners = table.primus != NOBODY
        if table.primus != NOBODY:
            result.shares[table.primus] = 1.0
        return
    by_money = table.rules.tie == TIE_MONEY
    best = NOBODY
    winners = 0
    for seat in range(table.players):
        order = 1 if best == NOBODY else rank(game, result, seat, best, by_money)
        if order > 0:
            best = seat
            winners = 1
        elif order == 0:
            winners += 1
    result.winners = winners
    for seat in range(table.players):
        if rank(game, result, seat, best, by_money) == 0:
            result.shares[seat] = 1.0 / winners


@short
def rank(game, result, seat, other, by_money):
    """Compare two seats: positive if `seat` ranks above `other`, 0 for a tie, else negative."""
    difference = result.points[seat] - result.points[other]
    if difference == 0 and by_money:
        difference = wealth_of(game, seat) - wealth_of(game, other)
    return difference


@kernel
def write_score(game, log, result):
    """Score a finished game in a scratch record and log the result."""
    players = game.table.players
    for seat in range(players):
        result.shares[seat] = 0.0
    score(game, result)
    events.write(log, events.SCORE, 0, 0, 0)
    write_symbols(log, result.rome_symbols)
    events.write(log, events.SEATS, 0, 0, 0)
    for seat in range(players):
        write_seat(game, log, result, seat)
    events.write(log, events.OUTCOME, result.primus + 1, result.rome_categories, result.rome_wins)
    count = 0
    for seat in range(players):
        if result.shares[seat] > 0:
            events.write(log, events.WINNER, min(count, 1), 0, seat)
            count += 1
    events.write(log, events.SHARES, 0, 0, 0)
    for seat in range(players):
        sharing = result.winners if result.shares[seat] > 0 else 0
        events.write(log, events.SHARE, min(seat, 1), 0, sharing)
    events.write(log, events.SCORED, min(game.table.solo_level, 1), 0, not result.rome_wins)


@kernel
def write_symbols(log, symbols):
    """Log symbols by category."""
    for category in range(N_CATEGORIES):
        events.write(log, events.SYMBOLS, category, 0, symbols[category])


@kernel
def write_seat(game, log, result, seat):
    """Log a seat's final symbols, money, hand and points."""
    me = game.seats[seat]
    events.write(log, events.SEAT, seat, 0, 0)
    write_symbols(log, result.symbols[seat])
    events.write(log, events.HAND, 0, 0, me.money)
    events.write_cards(log, me.hand, 0, me.hand_count)
    events.write(log, events.POINTS, 0, 0, result.points_categories[seat])
    events.write(log, events.POINTS, 1, 0, result.points_stronger[seat])
    events.write(log, events.POINTS, 2, 0, result.points_fleet_army[seat])
    events.write(log, events.POINTS, 3, 0, result.points_primus[seat])
    events.write(log, events.POINTS, 4, 0, result.points_wealthiest[seat])
    events.write(log, events.POINTS, 5, 0, result.points[seat])
    events.write(log, events.SEAT_END, 0, 0, 0)
