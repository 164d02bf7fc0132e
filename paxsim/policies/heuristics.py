"""Uniformly random play."""

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
    leader_of,
    need_over_rome,
    rome_outlook,
    rounds_to_come,
    want,
    want_at_least,
    wish_card,
    wish_defence,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_peek,
    wish_points,
    wish_primus,
    wish_reach,
    wish_rome,
    wish_row,
    wish_step,
    wish_symbols,
    wish_wrest,
)


@policy
def random(table, me, choice):
    """Choose any legal option, all alike: the yardstick of every other policy."""
    return below(me.stream, choice.count)


@policy
def first(table, me, choice):
    """Choose option 0: keep and play the first card, buy the first group one can pay for."""
    return 0


@heuristic
def builder(table, me, breadth=2.5, stronger=2.0, thrift=0.35):
    """Show a card of all seven categories first, then outgrow Rome where it takes least.

    Every category is worth two points to whoever shows it, whatever Rome does, and a broad display
    has something to gain from almost any card.
    """
    wish_points(table, me, breadth, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_money(me, thrift)


@kernel
def row_to_build(table, me):
    """The category with most cards, those in the display counting twice and those in hand once."""
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
    """One long row: each card added to it pays for the whole row, turn after turn.

    The row is the one with most cards in display and hand; intrigue pays nothing and fleets and
    armies need land, so these are not chosen. Late in the game income has nothing left to buy.
    """
    wish_points(table, me, 1.2, 1.5, 0.5)
    wish_card(me, row_to_build(table, me), row * (1.0 + min(rounds_to_come(me), 4.0)))
    wish_limit(table, me, 0.3)
    wish_money(me, thrift)


@heuristic(solo=False)
def conspirator(table, me, intrigue=2.0, margin=2.0, thrift=0.25):
    """Hold primus conspiratus and let Rome win.

    Intrigue above everything, with a margin so that nobody takes primus conspiratus away late; what
    helps Rome where it is close is welcome. In solo Rome's win is the player's loss, so it makes no
    sense there.
    """
    wish_points(table, me, 0.3, 0.0, 0.0)
    wish_primus(table, me, intrigue, margin)
    wish_rome(table, me, 0.5)
    wish_money(me, thrift)


@heuristic(solo=False)
def feeder(table, me, feed=1.5, intrigue=1.6, margin=1.0, thrift=0.3):
    """Make Rome win: pile up below the legion it takes what it lacks, and lead in intrigue.

    In solo Rome's win is the player's loss, so it makes no sense there.
    """
    wish_points(table, me, 0.3, 0.0, 0.0)
    wish_primus(table, me, intrigue, margin)
    wish_rome(table, me, feed)
    wish_money(me, thrift)


@heuristic
def starver(table, me, hunger=1.0, wrest=6.0, thrift=0.2):
    """Buy what Rome would take, or steer it to poor groups, and wrest the categories it holds.

    Rome grows by one group a round, so a player who buys the richest group, or lets Rome have one
    that helps it nowhere, slows it most. Where a rival is already above Rome, no more is needed.
    """
    wish_points(table, me, 1.0, 0.5, 0.3)
    wish_wrest(table, me, wrest)
    wish_limit(table, me, 0.4)
    wish_rome(table, me, -hunger)
    wish_money(me, thrift)


#: Added to the claim on a category that is this seat's by the seating, so that four seats which
#: have nothing yet begin with different categories.
_BY_SEATING = 0.9
#: Taken off the claim on fleets and armies, which need land besides.
_NEEDS_LAND = 0.5


@kernel
def note_claims(table, me):
    """Add up how much each category is this seat's, in the seat's notes.

    Symbols shown count, and half those in hand, less those of the best rival.
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
    """The category that is most this seat's by its notes; it will not be found again."""
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

    The players beat Rome if somebody is above it in four categories; who exactly does not matter.
    So the seats divide the categories among them, by what lies in front of them and at first by
    the order of the seats, and each puts its cards and its money into its own.
    """
    wish_points(table, me, breadth, 0.6, 0.4)
    note_claims(table, me)
    for _ in range(1 + 6 // table.players):
        category = take_best_claim(me)
        need = need_over_rome(table, me, category) + spare
        if need > 0.0:
            wish_symbols(me, category, focus)
            want_at_least(me, category, need)
    wish_limit(table, me, 0.5)
    wish_rome(table, me, -starve)
    wish_money(me, thrift)


@heuristic
def admiral(table, me, arms=1.4, land=1.0, thrift=0.3):
    """Land first, then fleets and armies: a point each, more with the bonus, and two categories.

    Land has to keep pace with the longer of the two rows; the bonus makes each row strengthen the
    other, so Rome is left behind in both.
    """
    wish_points(table, me, 1.2, 1.5, arms)
    want(me, FLEET, 9.0)
    want(me, ARMY, 9.0)
    wish_limit(table, me, land)
    wish_money(me, thrift)


@heuristic
def merchant(table, me, wealth=0.5, thrift=0.45):
    """Wealth early, so that every group is cheaper; then buy whatever is a bargain.

    A discount pays only for the purchases still to come, so wealth is worth less every round.
    """
    wish_points(table, me, 1.8, 2.0, 0.6)
    wish_step(table, me, WEALTH, table.rules.discount_step, wealth * rounds_to_come(me))
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)


@heuristic
def augur(table, me, piety=0.5, thrift=0.3):
    """Religion early: who sees two or three cards at once places them better ever after."""
    wish_points(table, me, 1.5, 2.0, 0.5)
    wish_wrest(table, me, 1.0)
    wish_foresight(table, me, piety * rounds_to_come(me))
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)


@heuristic
def racer(table, me, stronger=4.0, thrift=0.3):
    """Get just over Rome in four categories, the ones where least is missing."""
    wish_points(table, me, 1.5, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_rome(table, me, -0.5)
    wish_money(me, thrift)


@heuristic
def miser(table, me, thrift=0.8, intrigue=0.8):
    """Spend little, play what is free, and take the points for the largest sum of money."""
    wish_points(table, me, 2.0, 2.0, 0.8)
    wish_primus(table, me, intrigue, 0.0)
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)


@heuristic(solo=False)
def denier(table, me, spite=0.8, stronger=2.0, thrift=0.3):
    """Take what the leader lacks, and fleets and armies; lead in intrigue if Rome looks strong.

    The leader is the rival with most points as things stand; what it lacks are the categories that
    it does not show yet. Rome is starved while the leader holds primus conspiratus, and otherwise
    fed a little. Alone against Rome there is nobody to deny anything, so it makes no sense in solo.
    """
    wish_points(table, me, 1.5, stronger, 0.6)
    leader = leader_of(table, me)
    for category in range(N_CATEGORIES):
        lacking = leader != NOBODY and table.cards[leader, category] == 0
        if lacking or is_military(category):
            wish_card(me, category, spite)
    outlook = rome_outlook(table, me, 0.0)
    wish_primus(table, me, 3.0 * outlook, 1.0)
    wish_rome(table, me, -0.6 if leader != NOBODY and table.primus == leader else 0.3)
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)


@heuristic
def opportunist(table, me, primus=3.0, margin=1.5, thrift=0.3):
    """Judge every turn whether Rome will win, and be on the winning side.

    If Rome looks strong it competes for primus conspiratus and helps Rome along while it holds it;
    if Rome looks weak, or a rival holds primus conspiratus, it plays for points and starves Rome.
    """
    outlook = rome_outlook(table, me, 0.0)
    if table.solo_level:
        outlook = 0.0
    wish_points(table, me, 2.0 * (1.0 - outlook) + 0.3, 3.0 * (1.0 - outlook), 1.0 - outlook)
    wish_limit(table, me, 0.4 * (1.0 - outlook))
    wish_primus(table, me, primus * outlook, margin)
    side = 1.0 if table.primus == me.seat else -1.0
    wish_rome(table, me, side * outlook if side > 0.0 else -0.6)
    wish_money(me, thrift)


@heuristic(signed=("outlook_shift",))
def weighted(
    table,
    me,
    new=2.02,
    stronger=5.62,
    within_reach=0.93,
    arms=2.34,
    limit=3.14,
    wrest=3.49,
    row=0.28,
    senator=0.2,
    discount=0.43,
    foresight=0.43,
    primus=4.49,
    primus_rome=18.2,
    margin=3.51,
    outlook_shift=3.36,
    points_rome=-5.2,
    feed=2.28,
    starve=0.61,
    money=3.74,
    money_end=-2.63,
):
    """Weigh everything: each wish is a sum of features times weights, found by tuning.

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
    points_rome : how far all wishes for points change with the chance that Rome wins
    feed, starve : what a symbol for Rome is worth while holding primus conspiratus, or not
    money, money_end : worth of an Aureus, and what is added to it in the last round
    """
    rounds = rounds_to_come(me)
    rome = rome_outlook(table, me, outlook_shift)
    if table.solo_level:
        rome = 0.0
    points = max(1.0 + points_rome * rome, 0.05)
    wish_points(table, me, new * points, stronger * points, arms * points)
    wish_reach(table, me, within_reach * points, 2.0)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_wrest(table, me, wrest * points)
    wish_limit(table, me, limit * points)
    wish_primus(table, me, primus + primus_rome * rome, margin)
    wish_rome(table, me, feed * rome if table.primus == me.seat else -starve)
    wish_money(me, money + money_end / (1.0 + rounds))


@kernel
def defend(
    table, me, new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator, discount,
    foresight, primus, margin, starve, contest, money, money_end, peek,
):  # fmt: skip
    """The wishes of a seat that fights Rome; the numbers are those of `defender`."""
    rounds = rounds_to_come(me)
    wish_points(table, me, new, stronger, arms)
    wish_reach(table, me, within_reach, 2.0)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_defence(table, me, wrest, hold, spare, starve, contest)
    wish_limit(table, me, limit)
    wish_primus(table, me, primus, margin)
    wish_money(me, money + money_end / (1.0 + rounds))
    wish_peek(table, me, peek)


@heuristic
def defender(
    table, me,
    new=0.13, stronger=0.64, within_reach=0.06, arms=0.29, limit=0.31, wrest=5.9, hold=3.1,
    spare=2.4, row=0.35, senator=0.21, discount=0.5, foresight=0.28, primus=0.98, margin=7.5,
    starve=2.8, contest=0.24, money=1.84, money_end=-1.8, peek=0.0, beaten=1.8,
):  # fmt: skip
    """Fight Rome with all who do: take from it what no rival takes, and leave it fleets and armies.

    Rome needs four categories, and for fleets and armies it needs no land: who leaves it these two
    has to hold four of five. So groups of fleets and armies are what Rome shall take, and a group
    that it would take instead is bought or diluted. Categories that a rival holds against Rome
    are left to that rival, those that this seat holds are made safe. The more Rome looks beaten,
    the more points count; and intrigue is collected, lest somebody profit if Rome wins after all.
    Numbers found by tuning: three seats of it, the most wins on points against one who conspires.

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
    contest : what fleets and armies count in `wrest` and `starve`, as a part of all others
    money, money_end : worth of an Aureus, and what is added to it in the last round
    peek : knowing Rome's hidden cards when they may decide
    beaten : how much more points count where Rome has no chance, as a part of what they count
    """
    points = 1.0 + beaten * (1.0 - rome_outlook(table, me, 0.0))
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
    """Alone among conspirators: leave them their intrigue, and break Rome where nobody else will.

    Discounts and senators first, since everything must be bought alone. The wishes are those of
    `defender` but for intrigue, with numbers that were found for the most wins on points against
    three who conspire: the best that can be done for points there, which is little.
    """
    defend(
        table, me, new, stronger, 0.0, arms, limit, wrest, hold, spare, row, senator, discount,
        foresight, 0.0, 0.0, starve, 1.0, money, money_end, peek,
    )  # fmt: skip


@kernel
def conspires(table, seat, usual, doubt):
    """Whether a seat shows clearly more intrigue than its usual part of the symbols."""
    symbols = 0
    for category in range(N_CATEGORIES):
        symbols += table.symbols[seat, category]
    return table.symbols[seat, INTRIGUE] > usual * symbols + doubt


@kernel
def most_conspire(table, me, usual, doubt):
    """Whether more than half of the rivals conspire, by what they show."""
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
    """If most rivals conspire, which their intrigue shows, conspire too; if not, win on points.

    One who plays for points among conspirators does worst of all. Where most do not conspire, they
    keep Rome down, and who starves it too but thinks of fleets, armies and points does best. Nobody
    says which it is, but displays do. Until they do it takes the rivals for conspirators: to join
    them late is worse than to leave them. Numbers found by tuning, among rivals of both kinds.

    Parameters
    ----------
    usual, doubt : a rival conspires if it shows more intrigue than this part of its symbols, and
        so many symbols more; below 0 who has shown little is taken for a conspirator
    aside : what all else counts while conspiring, as a part of what it counts otherwise
    intrigue, lead : an intrigue symbol while conspiring, as long as the lead is below this
    feed : what a symbol for Rome is worth while conspiring with primus conspiratus in hand
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
        wish_primus(table, me, intrigue, lead)
        if table.primus == me.seat:
            wish_rome(table, me, feed)


@heuristic
def scout(table, me, peek=6.0, stronger=4.0, thrift=0.3):
    """Look at Rome's hidden cards when they may decide, then get just over Rome where it counts.

    A turn is given up for it, once a game and late: then it is known which categories are safe,
    which are lost, and where a symbol is missing. It peeks more often where that is paid better.
    """
    wish_points(table, me, 1.5, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_rome(table, me, -0.5)
    wish_money(me, thrift)
    wish_peek(table, me, peek)


@heuristic
def hermit(
    table,
    me,
    new=0.4,
    urgency=28.0,
    stronger=14.0,
    arms=2.9,
    limit=5.9,
    row=0.23,
    senator=0.6,
    discount=2.6,
    foresight=1.4,
    starve=9.9,
    money=7.7,
    money_end=-7.8,
):
    """Alone against Rome: all seven categories, and above Rome in as many as the level asks.

    A category that is not shown at the end loses the game, so it grows more urgent every round;
    money is worth nothing at the end. Numbers found by tuning, on all five levels together.
    """
    rounds = rounds_to_come(me)
    wish_points(table, me, new + urgency / (1.0 + rounds), stronger, arms)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_limit(table, me, limit)
    wish_rome(table, me, -starve)
    wish_money(me, money + money_end / (1.0 + rounds))
