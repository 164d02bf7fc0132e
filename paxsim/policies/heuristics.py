"""Built-in policies: random play, and heuristics of a few lines on top of the planner."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.rng import below
from paxsim.helpers import (
    ARMY,
    FLEET,
    INTRIGUE,
    N_CATEGORIES,
    NOBODY,
    SENATOR,
    WEALTH,
    best_rival,
    category_of,
    is_military,
    symbols_of,
)
from paxsim.policies.planner import heuristic
from paxsim.policies.registry import policy
from paxsim.policies.utility import (
    SUMS,
    add_card_value,
    add_symbol_value,
    leading_rival,
    raise_wanted,
    rome_win_chance,
    rounds_to_come,
    set_wanted,
    symbols_needed,
    value_defence,
    value_foresight,
    value_limit,
    value_money,
    value_peeking,
    value_points,
    value_primus,
    value_reach,
    value_rome,
    value_rows,
    value_step,
    value_taking,
)


@policy
def random(table, me, choice):
    """Choose any legal option with equal probability: the yardstick of every other policy."""
    return below(me.stream, choice.count)


@policy
def first(table, me, choice):
    """Choose option 0: keep and play the first card, buy the first group one can pay for."""
    return 0


@heuristic
def builder(table, me, breadth=2.5, stronger=2.0, thrift=0.35):
    """Show a card of all seven categories first, then outgrow Rome where it takes least.

    Every category shown is worth two points whatever Rome does, and a broad display gains from
    almost any card.
    """
    value_points(table, me, breadth, stronger, 0.5)
    value_limit(table, me, 0.3)
    value_money(me, thrift)


@kernel
def row_to_build(table, me):
    """Return the category with most cards; displayed ones count twice, those in hand once."""
    best = 0
    longest = -1
    for category in range(N_CATEGORIES):
        if category != INTRIGUE and not is_military(category):
            length = 2 * table.cards[me.seat, category]
            for slot in range(me.hand_count):
                length += category_of(me.hand[slot]) == category
            if length > longest:
                longest = length
                best = category
    return best


@heuristic
def economist(table, me, row=0.5, thrift=0.5):
    """Build one long row: each card added to it pays for the whole row, turn after turn.

    The row is the one with most cards in display and hand, except intrigue, which pays nothing, and
    fleets and armies, which need land. Late in the game income has nothing left to buy.
    """
    value_points(table, me, 1.2, 1.5, 0.5)
    add_card_value(me, row_to_build(table, me), row * (1.0 + min(rounds_to_come(me), 4.0)))
    value_limit(table, me, 0.3)
    value_money(me, thrift)


@heuristic(solo=False)
def conspirator(table, me, intrigue=2.0, margin=2.0, thrift=0.25):
    """Hold primus conspiratus and let Rome win.

    Intrigue comes first, with a lead so that no rival takes primus conspiratus late. It also helps
    Rome where a category is close. Not available in solo, where Rome's win is the player's loss.
    """
    value_points(table, me, 0.3, 0.0, 0.0)
    value_primus(table, me, intrigue, margin)
    value_rome(table, me, 0.5)
    value_money(me, thrift)


@heuristic(solo=False)
def feeder(table, me, feed=1.5, intrigue=1.6, margin=1.0, thrift=0.3):
    """Make Rome win: pile up below the legion it takes what it lacks, and lead in intrigue.

    Not available in solo, where Rome's win is the player's loss.
    """
    value_points(table, me, 0.3, 0.0, 0.0)
    value_primus(table, me, intrigue, margin)
    value_rome(table, me, feed)
    value_money(me, thrift)


@heuristic
def starver(table, me, hunger=1.0, wrest=6.0, thrift=0.2):
    """Buy what Rome would take, or steer it to poor groups, and take the categories it holds.

    Rome grows by one group per round. Buying the richest group, or leaving Rome one that doesn't
    help it, slows it most. Where a rival is above Rome, nothing more is needed.
    """
    value_points(table, me, 1.0, 0.5, 0.3)
    value_taking(table, me, wrest)
    value_limit(table, me, 0.4)
    value_rome(table, me, -hunger)
    value_money(me, thrift)


#: Claim on a seat's categories by seat order, so that seats begin with different categories.
_BY_SEATING = 0.9
#: Subtracted from the claim on fleets and armies, which also need land.
_NEEDS_LAND = 0.5


@kernel
def note_claims(table, me):
    """Compute this seat's claim on each category, in its scratch space.

    Symbols shown count, those in hand count half, those of the best rival are subtracted.
    """
    symbols = table.symbols[me.seat]
    for category in range(N_CATEGORIES):
        me.memory[SUMS + category] = symbols[category] - best_rival(table, me, category)
    for slot in range(me.hand_count):
        me.memory[SUMS + category_of(me.hand[slot])] += 0.5 * symbols_of(me.hand[slot])
    category = me.seat + 0
    while category < N_CATEGORIES:
        me.memory[SUMS + category] += _BY_SEATING
        category += table.players
    me.memory[SUMS + FLEET] -= _NEEDS_LAND
    me.memory[SUMS + ARMY] -= _NEEDS_LAND


@kernel
def take_best_claim(me):
    """Return the category with the strongest claim and remove it."""
    best = 0
    most = me.memory[SUMS]
    for category in range(1, N_CATEGORIES):
        claim = me.memory[SUMS + category]
        best = category if claim > most else best
        most = max(most, claim)
    me.memory[SUMS + best] = -1e9
    return best


@heuristic
def tribune(table, me, focus=2.5, spare=2.0, breadth=0.4, starve=1.0, thrift=0.25):
    """Claim a few categories that no rival claims, and be far above Rome in just these.

    The players beat Rome if they are above it in four categories, no matter who. So the seats
    divide the categories, by what they display and at first by seat order.
    """
    value_points(table, me, breadth, 0.6, 0.4)
    note_claims(table, me)
    for _ in range(1 + 6 // table.players):
        category = take_best_claim(me)
        need = symbols_needed(table, me, category) + spare
        if need > 0.0:
            add_symbol_value(me, category, focus)
            raise_wanted(me, category, need)
    value_limit(table, me, 0.5)
    value_rome(table, me, -starve)
    value_money(me, thrift)


@heuristic
def admiral(table, me, arms=1.4, land=1.0, thrift=0.3):
    """Land first, then fleets and armies: a point each, more with the bonus, and two categories.

    Land must keep pace with the longer row; through the bonus each row strengthens the other.
    """
    value_points(table, me, 1.2, 1.5, arms)
    set_wanted(me, FLEET, 9.0)
    set_wanted(me, ARMY, 9.0)
    value_limit(table, me, land)
    value_money(me, thrift)


@heuristic
def merchant(table, me, wealth=0.5, thrift=0.45):
    """Play wealth early, so that every group is cheaper; then buy whatever is a bargain.

    A discount pays only for the purchases still to come, so wealth is worth less every round.
    """
    value_points(table, me, 1.8, 2.0, 0.6)
    value_step(table, me, WEALTH, table.rules.discount_step, wealth * rounds_to_come(me))
    value_limit(table, me, 0.4)
    value_money(me, thrift)


@heuristic
def augur(table, me, piety=0.5, thrift=0.3):
    """Play religion early: seeing two or three cards at once improves every later placement."""
    value_points(table, me, 1.5, 2.0, 0.5)
    value_taking(table, me, 1.0)
    value_foresight(table, me, piety * rounds_to_come(me))
    value_limit(table, me, 0.4)
    value_money(me, thrift)


@heuristic
def racer(table, me, stronger=4.0, thrift=0.3):
    """Get barely above Rome in four categories, the ones where least is missing."""
    value_points(table, me, 1.5, stronger, 0.5)
    value_limit(table, me, 0.3)
    value_rome(table, me, -0.5)
    value_money(me, thrift)


@heuristic
def miser(table, me, thrift=0.8, intrigue=0.8):
    """Spend little, play what is free, and take the points for the largest sum of money."""
    value_points(table, me, 2.0, 2.0, 0.8)
    value_primus(table, me, intrigue, 0.0)
    value_limit(table, me, 0.4)
    value_money(me, thrift)


@heuristic(solo=False)
def denier(table, me, spite=0.8, stronger=2.0, thrift=0.3):
    """Take what the leader lacks, and fleets and armies; lead in intrigue if Rome looks strong.

    The leader is the rival with most points now; it lacks the categories that it doesn't show.
    Rome is starved while the leader holds primus conspiratus, and otherwise fed a little. Not
    available in solo, which has no rivals.
    """
    value_points(table, me, 1.5, stronger, 0.6)
    leader = leading_rival(table, me)
    for category in range(N_CATEGORIES):
        lacking = leader != NOBODY and table.cards[leader, category] == 0
        if lacking or is_military(category):
            add_card_value(me, category, spite)
    chance = rome_win_chance(table, me, 0.0)
    value_primus(table, me, 3.0 * chance, 1.0)
    value_rome(table, me, -0.6 if leader != NOBODY and table.primus == leader else 0.3)
    value_limit(table, me, 0.4)
    value_money(me, thrift)


@heuristic
def opportunist(table, me, primus=3.0, margin=1.5, thrift=0.3):
    """Judge every turn whether Rome will win, and be on the winning side.

    If Rome looks strong, compete for primus conspiratus and help Rome while holding it; otherwise
    play for points and starve Rome.
    """
    chance = rome_win_chance(table, me, 0.0)
    if table.solo_level:
        chance = 0.0
    value_points(table, me, 2.0 * (1.0 - chance) + 0.3, 3.0 * (1.0 - chance), 1.0 - chance)
    value_limit(table, me, 0.4 * (1.0 - chance))
    value_primus(table, me, primus * chance, margin)
    side = 1.0 if table.primus == me.seat else -1.0
    value_rome(table, me, side * chance if side > 0.0 else -0.6)
    value_money(me, thrift)


@heuristic(signed=("outlook_shift",))
def weighted(
    table, me,
    new=2.02, stronger=5.62, within_reach=0.93, arms=2.34, limit=3.14, wrest=3.49, row=0.28,
    senator=0.2, discount=0.43, foresight=0.43, primus=4.49, primus_rome=18.2, margin=3.51,
    outlook_shift=3.36, points_rome=-5.2, feed=2.28, starve=0.61, money=3.74, money_end=-2.63,
):  # fmt: skip
    """Weigh everything: each value is a sum of features times weights, found by tuning.

    Parameters
    ----------
    new : the first card of a category
    stronger : ending above Rome in a category, spread over the symbols still needed
    within_reach : the same once more, if at most two symbols are needed
    arms : a fleet or army symbol
    limit : a land symbol that allows more fleets and armies
    wrest : a category that Rome would hold and no rival takes
    row : a card for each card already in its row and round to come (income)
    senator : a senator card for each round to come
    discount, foresight : a wealth (religion) symbol on the way to the next step, a round to come
    primus : an intrigue symbol that is needed for primus conspiratus
    primus_rome : the same, times the chance that Rome wins
    margin : symbols of intrigue wanted above every rival
    outlook_shift : optimism about Rome, in categories
    points_rome : change of all values for points with the chance that Rome wins
    feed, starve : value of a symbol for Rome while holding primus conspiratus, or not
    money, money_end : value of an Aureus, and what is added to it in the last round
    """
    rounds = rounds_to_come(me)
    rome = rome_win_chance(table, me, outlook_shift)
    if table.solo_level:
        rome = 0.0
    points = max(1.0 + points_rome * rome, 0.05)
    value_points(table, me, new * points, stronger * points, arms * points)
    value_reach(table, me, within_reach * points, 2.0)
    value_rows(table, me, row * rounds)
    add_card_value(me, SENATOR, senator * rounds)
    value_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    value_foresight(table, me, foresight * rounds)
    value_taking(table, me, wrest * points)
    value_limit(table, me, limit * points)
    value_primus(table, me, primus + primus_rome * rome, margin)
    value_rome(table, me, feed * rome if table.primus == me.seat else -starve)
    value_money(me, money + money_end / (1.0 + rounds))


@kernel
def defend(
    table, me, new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator, discount,
    foresight, primus, margin, starve, contest, money, money_end, peek,
):  # fmt: skip
    """Set the values of a seat that fights Rome; the numbers are those of `defender`."""
    rounds = rounds_to_come(me)
    value_points(table, me, new, stronger, arms)
    value_reach(table, me, within_reach, 2.0)
    value_rows(table, me, row * rounds)
    add_card_value(me, SENATOR, senator * rounds)
    value_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    value_foresight(table, me, foresight * rounds)
    value_defence(table, me, wrest, hold, spare, starve, contest)
    value_limit(table, me, limit)
    value_primus(table, me, primus, margin)
    value_money(me, money + money_end / (1.0 + rounds))
    value_peeking(table, me, peek)


@heuristic
def defender(
    table, me,
    new=0.13, stronger=0.64, within_reach=0.06, arms=0.29, limit=0.31, wrest=5.9, hold=3.1,
    spare=2.4, row=0.35, senator=0.21, discount=0.5, foresight=0.28, primus=0.98, margin=7.5,
    starve=2.8, contest=0.24, money=1.84, money_end=-1.8, peek=0.0, beaten=1.8,
):  # fmt: skip
    """Fight Rome with all who do: take what no rival takes, and leave it fleets and armies.

    Rome needs four categories, and no land for fleets and armies: if it has these two, the players
    need four of the other five. So Rome should take groups of fleets and armies; other groups that
    it would take are bought or diluted. Categories that a rival holds are left to that rival, own
    ones are made safe. The more Rome looks beaten, the more points count. Intrigue is collected so
    that no rival profits if Rome wins. Numbers found by tuning: the most wins on points for three
    seats of it against one conspirator.

    Parameters
    ----------
    new, stronger, within_reach, arms, senator : as for `weighted`
    limit : a land symbol that allows more fleets and armies
    wrest : a category that Rome would hold and no rival takes
    hold, spare : a symbol where this seat is above Rome, as long as that is less than `spare`
    row : a card for each card already in its row and round to come (income)
    discount, foresight : a wealth (religion) symbol on the way to the next step, a round to come
    primus, margin : an intrigue symbol, as long as the lead in intrigue is below the margin
    starve : a symbol that is kept from Rome
    contest : weight of fleets and armies in `wrest` and `starve`
    money, money_end : value of an Aureus, and what is added to it in the last round
    peek : knowing Rome's hidden cards when they may decide
    beaten : additional weight of points where Rome has no chance
    """
    points = 1.0 + beaten * (1.0 - rome_win_chance(table, me, 0.0))
    defend(
        table, me, points * new, points * stronger, within_reach, points * arms, limit, wrest, hold,
        spare, row, senator, discount, foresight, primus, margin, starve, contest, money, money_end,
        peek,
    )  # fmt: skip


@heuristic
def loner(
    table, me,
    new=0.04, stronger=0.6, arms=0.05, limit=0.28, wrest=2.63, hold=0.49, spare=2.26, row=0.17,
    senator=0.35, discount=0.9, foresight=0.46, starve=0.64, money=1.0, money_end=-0.95, peek=0.0,
):  # fmt: skip
    """Alone among conspirators: leave them their intrigue, and break Rome single-handed.

    Discounts and senators come first, since it must buy everything alone. The values are those of
    `defender` without intrigue, tuned for the most wins on points against three conspirators.
    """
    defend(
        table, me, new, stronger, 0.0, arms, limit, wrest, hold, spare, row, senator, discount,
        foresight, 0.0, 0.0, starve, 1.0, money, money_end, peek,
    )  # fmt: skip


@kernel
def conspires(table, seat, usual, doubt):
    """Return whether a seat shows clearly more intrigue than its usual share of the symbols."""
    symbols = 0
    for category in range(N_CATEGORIES):
        symbols += table.symbols[seat, category]
    return table.symbols[seat, INTRIGUE] > usual * symbols + doubt


@kernel
def most_conspire(table, me, usual, doubt):
    """Return whether more than half of the rivals conspire, judging by what they show."""
    count = 0
    for seat in range(table.players):
        count += seat != me.seat and conspires(table, seat, usual, doubt)
    return 2 * count > table.players - 1


@heuristic
def answerer(
    table, me,
    usual=0.33, doubt=-1.2, aside=0.24, intrigue=3.1, lead=10.7, feed=0.73,
    new=0.6, stronger=2.1, within_reach=0.48, arms=2.6, limit=0.34, wrest=0.19, hold=1.1, spare=2.0,
    row=0.2, senator=0.29, discount=0.34, foresight=0.28, primus=0.12, margin=10.0, starve=2.9,
    money=1.0, money_end=0.06,
):  # fmt: skip
    """Conspire if most rivals conspire, which their intrigue shows; otherwise win on points.

    Playing for points among conspirators is worst. Where most rivals do not conspire, starving Rome
    while collecting fleets, armies and points is best. Until displays show which it is, rivals are
    taken for conspirators: joining them late is worse than leaving them. Numbers found by tuning.

    Parameters
    ----------
    usual, doubt : a rival conspires if it shows more intrigue than this share of its symbols plus
        this number; below 0 a rival that has shown little is taken for a conspirator
    aside : weight of everything else while conspiring
    intrigue, lead : an intrigue symbol while conspiring, as long as the lead is below this
    feed : value of a symbol for Rome while conspiring and holding primus conspiratus
    new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator, discount, foresight,
    primus, margin, starve, money, money_end : as for `defender`
    """
    conspiring = table.players > 1 and most_conspire(table, me, usual, doubt)
    part = aside if conspiring else 1.0
    defend(
        table, me, part * new, part * stronger, part * within_reach, part * arms, part * limit,
        part * wrest, part * hold, spare, part * row, part * senator, part * discount,
        part * foresight, part * primus, margin, part * starve, 1.0, money, money_end, 0.0,
    )  # fmt: skip
    if conspiring:
        value_primus(table, me, intrigue, lead)
        if table.primus == me.seat:
            value_rome(table, me, feed)


@heuristic
def scout(table, me, peek=6.0, stronger=4.0, thrift=0.3):
    """Look at Rome's hidden cards when they may decide, then get above Rome where it counts.

    Once a game, and late, it gives up a turn to know which categories are safe, lost or missing a
    symbol. It peeks more often where peeking pays more.
    """
    value_points(table, me, 1.5, stronger, 0.5)
    value_limit(table, me, 0.3)
    value_rome(table, me, -0.5)
    value_money(me, thrift)
    value_peeking(table, me, peek)


@heuristic
def hermit(
    table, me,
    new=0.4, urgency=28.0, stronger=14.0, arms=2.9, limit=5.9, row=0.23, senator=0.6, discount=2.6,
    foresight=1.4, starve=9.9, money=7.7, money_end=-7.8,
):  # fmt: skip
    """Alone against Rome: all seven categories, and above Rome in as many as the level asks.

    A category that is not shown at the end loses the game, so it grows more urgent every round;
    money is worth nothing at the end. Numbers found by tuning on all five levels together.
    """
    rounds = rounds_to_come(me)
    value_points(table, me, new + urgency / (1.0 + rounds), stronger, arms)
    value_rows(table, me, row * rounds)
    add_card_value(me, SENATOR, senator * rounds)
    value_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    value_foresight(table, me, foresight * rounds)
    value_limit(table, me, limit)
    value_rome(table, me, -starve)
    value_money(me, money + money_end / (1.0 + rounds))
