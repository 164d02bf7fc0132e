"""A slow, plain reference of the rules of PAX, to test the compiled engine against.

It follows the written rules sentence by sentence and shares no code with the package. A game is
one generator that reads like the rulebook and stops wherever somebody has to decide.
"""

from copy import deepcopy
from typing import NamedTuple

CATEGORIES = ("wealth", "fleet", "army", "religion", "senator", "land", "intrigue")

# Solo level: (cards drawn at the start, how many of them go straight to the display).
SOLO_DRAFT = {1: (2, 0), 2: (2, 0), 3: (3, 1), 4: (4, 2), 5: (5, 3)}


class Card(NamedTuple):
    """One influence card."""

    category: str
    symbols: int
    value: int

    def __str__(self):
        return f"{self.category}/{self.symbols}/{self.value}"


def as_card(card):
    """Return a `Card` from a `Card` or from a string such as "land/1/2"."""
    if isinstance(card, Card):
        return card
    category, symbols, value = card.split("/")
    if category not in CATEGORIES:
        raise ValueError(f"unknown category in card {card!r}")
    return Card(category, int(symbols), int(value))


def names(cards):
    """Return the cards as strings, in the same order."""
    return [str(card) for card in cards]


def default_rules(players):
    """Return every field of the rule set with its default for this number of players (1: solo)."""
    if players not in range(1, 9):
        raise ValueError(f"1 to 8 players, not {players!r}")
    many = players >= 5
    return {
        "starting_money": 5,
        "rome_hidden": 3,
        "rome_open": 3 if many else 0,
        "cards_removed": {1: 30, 2: 20, 3: 10}.get(players, 0),
        "cards_added": {5: 15, 6: 30, 7: 45, 8: 60}.get(players, 0),
        "legions": 3 if players == 1 else players + 1,
        "draft_sizes": [2, 3, 4, 5, 5, 5, 5, 5],
        "basic_income": 2,
        "peek_income": 2,
        "empty_deck_income": 2,
        "senator_income": 1,
        "religion_two": 3,
        "religion_three": 6,
        "discount_step": 3,
        "bonus_step": 3,
        "rome_needs": 4,
        "points_category": 2,
        "points_stronger": 3,
        "points_fleet_army": 1,
        "points_primus": 1,
        "points_wealthiest": 4,
        "solo_needs": [3, 4, 5, 6, 7],
        "reaction_price": 1,
        "reactions": many,
        "reactions_before_income": False,
        "rome_takes_last": True,
        "tie": "shared",
        "rome_wins_zero_ties": True,
        "religion_last_two": "together",
        "draft_to_bottom": "drawn",
    }


def count_cards(cards):
    """Return the number of cards of each category."""
    return {c: sum(1 for card in cards if card.category == c) for c in CATEGORIES}


def count_symbols(cards):
    """Return the number of symbols of each category."""
    return {c: sum(card.symbols for card in cards if card.category == c) for c in CATEGORIES}


def with_bonus(symbols, bonus_step):
    """Return the symbols with the bonus: full steps of fleets give armies, and the reverse."""
    result = dict(symbols)
    # Both from the symbols displayed: a bonus gives no further bonus.
    result["army"] += symbols["fleet"] // bonus_step
    result["fleet"] += symbols["army"] // bonus_step
    return result


def may_display(card, display):
    """Tell whether the fleet and army limit lets this card be added to the display."""
    if card.category not in ("fleet", "army"):
        return True
    symbols = count_symbols(display)
    limit = max(symbols["land"], symbols["intrigue"])
    return symbols[card.category] + card.symbols <= limit


def price_of(cards, display, discount_step):
    """Return what the cards below one legion cost a player with this display."""
    discount = count_symbols(display)["wealth"] // discount_step
    return max(0, sum(card.value for card in cards) - discount)


def income_of(played, display, rules):
    """Return the income after playing these cards; the display includes them."""
    if not played:
        return rules["basic_income"]
    categories = {card.category for card in played}
    if "intrigue" in categories:
        return 0
    cards = count_cards(display)
    income = max(cards[category] for category in categories)
    if "senator" in categories:
        income += rules["senator_income"]
    return income


def held_by_rome(rules, rome, symbols):
    """Return the categories that Rome holds, from its symbols and those of every player."""
    held = [c for c in CATEGORIES if all(rome[c] >= own[c] for own in symbols)]
    if rules["rome_wins_zero_ties"]:
        return held
    # 0 : 0 is nobody's.
    return [c for c in held if any(each[c] > 0 for each in [rome, *symbols])]


def score(rules, rome, seats, primus, solo_level=None):
    """Return the `score` event of a finished game.

    Parameters
    ----------
    rules : dict
        Every field of the rule set.
    rome : list of Card
        All of Rome's cards, the hidden ones included.
    seats : list of dict
        For each seat "display" (cards), "hand" (cards) and "money".
    primus, solo_level : int or None
        The seat that holds primus conspiratus; 1 to 5 in the solo game.
    """
    step = rules["bonus_step"]
    rome_symbols = with_bonus(count_symbols(rome), step)
    symbols = [with_bonus(count_symbols(seat["display"]), step) for seat in seats]
    wealth = [seat["money"] + len(seat["hand"]) for seat in seats]

    rome_categories = len(held_by_rome(rules, rome_symbols, symbols))

    players = []
    stronger_in = []
    for i, seat in enumerate(seats):
        own = symbols[i]
        displayed = sum(1 for n in count_cards(seat["display"]).values() if n > 0)
        stronger = sum(1 for c in CATEGORIES if own[c] > rome_symbols[c])
        stronger_in.append(stronger)
        points = {
            "categories": rules["points_category"] * displayed,
            "stronger": rules["points_stronger"] * stronger,
            "fleet_army": rules["points_fleet_army"] * (own["fleet"] + own["army"]),
            "primus": rules["points_primus"] if primus == i + 1 else 0,
            "wealthiest": rules["points_wealthiest"] if wealth[i] == max(wealth) else 0,
        }
        points["total"] = sum(points.values())
        player = {"seat": i + 1, "symbols": own, "money": seat["money"]}
        players.append({**player, "hand": names(seat["hand"]), "points": points})

    if solo_level is not None:
        all_displayed = all(n > 0 for n in count_cards(seats[0]["display"]).values())
        solo_won = all_displayed and stronger_in[0] >= rules["solo_needs"][solo_level - 1]
        rome_wins = not solo_won
        winners = [1] if solo_won else []
    else:
        rome_wins = rome_categories >= rules["rome_needs"]
        if rome_wins:
            winners = [] if primus is None else [primus]
        else:
            totals = [player["points"]["total"] for player in players]
            winners = [i + 1 for i, total in enumerate(totals) if total == max(totals)]
            if rules["tie"] == "money":
                most = max(wealth[seat - 1] for seat in winners)
                winners = [seat for seat in winners if wealth[seat - 1] == most]
    event = {
        "event": "score",
        "rome": rome_symbols,
        "players": players,
        "primus": primus,
        "rome_categories": rome_categories,
        "rome_wins": rome_wins,
        "winners": winners,
        "shares": [1 / len(winners) if i + 1 in winners else 0.0 for i in range(len(seats))],
    }
    if solo_level is not None:
        event["solo_won"] = solo_won
    return event


class ReferenceGame:
    """One game, run to the first decision and then from decision to decision.

    Parameters
    ----------
    players, solo_level : int
        1 (solo) to 8; 1 to 5 in the solo game, else None.
    rules : dict or None
        The fields that differ from the default.
    removed, rome_hidden, rome_open, deck : list of Card or str
        Where the cards lie before the draft; the deck is top first.
    policies, seed, game, deck_name
        Only written into the setup event.

    Attributes
    ----------
    decision : str or None
        "display", "keep", "turn", "place", "buy", "play" or "react"; None when the game is over.
    seat : int
        The seat that decides, from 1; 0 when the game is over.
    options, events : list
        The tuples it may choose from; the trace so far.
    """

    def __init__(
        self, players, *, solo_level=None, rules=None, removed=(), rome_hidden, rome_open=(), deck,
        policies=(), seed=0, game=None, deck_name=""
    ):  # fmt: skip
        self._arguments = deepcopy({k: v for k, v in locals().items() if k != "self"})
        defaults = default_rules(players)
        unknown = set(rules or {}) - set(defaults)
        if unknown:
            raise ValueError(f"unknown rules: {sorted(unknown)}")
        self.players = players
        self.solo_level = solo_level
        self.rules = {**defaults, **(rules or {})}
        self.deck = [as_card(card) for card in deck]
        self.legions = [[] for _ in range(self.rules["legions"])]
        self.rome_hidden = [as_card(card) for card in rome_hidden]
        self.rome_visible = [as_card(card) for card in rome_open]
        self.seats = [
            {"money": self.rules["starting_money"], "hand": [], "display": [], "peeked": False}
            for _ in range(players)
        ]
        self.primus = None
        self.start = 1
        self.round = 0
        self._check_setup()
        self.events = []
        differing = {k: v for k, v in self.rules.items() if v != defaults[k]}
        self._emit(
            "setup", version=1, players=players, solo_level=solo_level, seed=seed, game=game,
            policies=list(policies), deck_name=deck_name, rules=differing,
            legions=len(self.legions), removed=names(removed), rome_hidden=names(rome_hidden),
            rome_open=names(rome_open), deck=names(deck)
        )  # fmt: skip
        self._choices = []
        self._flow = self._game()
        self._advance(None)

    def apply(self, index):
        """Choose ``options[index]`` and run on to the next decision."""
        if self.decision is None:
            raise ValueError("the game is over")
        if index not in range(len(self.options)):
            raise IndexError(f"no option {index!r} among {len(self.options)}")
        self._choices.append(index)
        self._advance(index)

    def copy(self):
        """Return an independent game in the same state, by replaying the choices so far."""
        twin = ReferenceGame(**self._arguments)
        for index in self._choices:
            twin.apply(index)
        return twin

    def state(self):
        """Return the whole state as plain data, cards as strings."""
        return {
            "players": self.players,
            "round": self.round,
            "start": self.start,
            "deck": names(self.deck),
            "legions": [names(cards) for cards in self.legions],
            "rome_hidden": names(self.rome_hidden),
            "rome_visible": sorted(names(self.rome_visible)),
            "primus": self.primus,
            "seats": [
                {
                    "money": seat["money"],
                    "hand": names(seat["hand"]),
                    "cards": count_cards(seat["display"]),
                    "symbols": count_symbols(seat["display"]),
                    "peeked": seat["peeked"],
                }
                for seat in self.seats
            ],
            "decision": self.decision,
            "seat": self.seat,
            "options": [
                tuple(str(part) if isinstance(part, Card) else part for part in option)
                for option in self.options
            ],
        }

    def _advance(self, index):
        try:
            self.decision, self.seat, self.options = self._flow.send(index)
        except StopIteration:
            self.decision, self.seat, self.options = None, 0, []

    def _ask(self, decision, seat, options):
        """Return the index of the option chosen; a single option is never asked."""
        if len(options) == 1:
            return 0
        return (yield decision, seat, options)

    def _emit(self, event, **keys):
        self.events.append({"event": event, **keys})

    def _check_setup(self):
        rules = self.rules
        if (self.players == 1) != (self.solo_level in SOLO_DRAFT):
            raise ValueError("solo, and only solo, has a level from 1 to 5")
        if min(rules["legions"], rules["discount_step"], rules["bonus_step"]) < 1:
            raise ValueError("legions, discount_step and bonus_step are 1 or more")
        if rules["tie"] not in ("shared", "money"):
            raise ValueError(f"unknown tie rule {rules['tie']!r}")
        left = len(self.deck)
        for seat in range(1, self.players + 1):
            size, displayed = self._draft_size(seat)
            if not 1 <= size <= left:
                raise ValueError(f"seat {seat} cannot draft {size} of {left} cards")
            left -= 1 + displayed
        if left < rules["legions"]:
            raise ValueError("too few cards for the legions at the start")

    def _game(self):
        for seat in range(1, self.players + 1):
            yield from self._draft(seat)
        self._refill()
        while True:
            self.round += 1
            self._emit("round", round=self.round, start=self.start)
            for step in range(self.players):
                yield from self._turn((self.start - 1 + step) % self.players + 1)
            if not self.rules["rome_takes_last"] and not self.deck:
                break
            self._rome_takes()
            if self.primus is not None:
                self.start = self.primus
            if len(self.deck) < self.legions.count([]):
                break
            self._refill()
        empty = self.legions.count([])
        self._emit("end", rounds=self.round, deck_left=len(self.deck), empty_legions=empty)
        rome = self.rome_hidden + self.rome_visible
        self.events.append(score(self.rules, rome, self.seats, self.primus, self.solo_level))

    def _draft_size(self, seat):
        """Return how many cards this seat draws and how many of them it displays."""
        if self.players == 1:
            return SOLO_DRAFT[self.solo_level]
        return self.rules["draft_sizes"][seat - 1], 0

    def _draft(self, seat):
        size, display_count = self._draft_size(seat)
        drawn = [self.deck.pop(0) for _ in range(size)]
        view = list(drawn)
        displayed = []
        old_primus = self.primus
        for _ in range(display_count):
            index = yield from self._ask("display", seat, [("display", card) for card in view])
            card = view.pop(index)
            displayed.append(card)
            # Limits are ignored and nothing is paid.
            self.seats[seat - 1]["display"].append(card)
            self._move_primus(seat)
        index = yield from self._ask("keep", seat, [("keep", card) for card in view])
        kept = view.pop(index)
        self.seats[seat - 1]["hand"].append(kept)
        bottom = []
        while view:
            index = 0
            if self.rules["draft_to_bottom"] == "chosen":
                options = [("place", card, "bottom") for card in view]
                index = yield from self._ask("place", seat, options)
            bottom.append(view.pop(index))
            self.deck.append(bottom[-1])
        keys = {"seat": seat, "drawn": names(drawn)}
        if displayed:
            keys["displayed"] = names(displayed)
        self._emit("draft", **keys, kept=str(kept), bottom=names(bottom))
        if self.primus != old_primus:
            self._emit("primus", **{"seat": seat, "from": old_primus})

    def _refill(self):
        filled = []
        for number, cards in enumerate(self.legions, 1):
            if not cards:
                cards.append(self.deck.pop(0))
                filled.append([number, str(cards[0])])
        if filled:
            self._emit("refill", cards=filled)

    def _rome_takes(self):
        best = None
        for i, cards in enumerate(self.legions):
            if cards:
                value = sum(card.value for card in cards)
                # Only a strictly higher total replaces: the lowest legion number wins a tie.
                if best is None or value > best[1]:
                    best = (i, value)
        if best is None:
            return
        i, value = best
        taken = self.legions[i]
        self.legions[i] = []
        self.rome_visible.extend(taken)
        self._emit("rome_takes", legion=i + 1, cards=names(taken), value=value)

    def _turn(self, seat):
        if self.players > 1:
            index = yield from self._ask("turn", seat, [("turn",), ("peek",)])
            if index == 1:
                me = self.seats[seat - 1]
                me["peeked"] = True
                me["money"] += self.rules["peek_income"]
                self._emit("peek", seat=seat, seen=names(self.rome_hidden), money=me["money"])
                return
        yield from self._draw(seat)
        yield from self._buy(seat)
        yield from self._play_and_income(seat)

    def _draw(self, seat):
        me = self.seats[seat - 1]
        religion = count_symbols(me["display"])["religion"]
        to_draw = min(3, len(self.deck))
        if to_draw == 0:
            aurei = self.rules["empty_deck_income"]
            me["money"] += aurei
            self._emit("compensation", seat=seat, aurei=aurei, money=me["money"])
            return
        if religion >= self.rules["religion_three"]:
            together = 3
        elif religion >= self.rules["religion_two"]:
            together = 2
        else:
            together = 1
        if to_draw == 2 and self.rules["religion_last_two"] == "one_by_one":
            together = 1
        together = min(together, to_draw)
        # Under the deck only when three cards are drawn. With one card, hand or legion.
        still_open = ["hand", "bottom", "legion"] if to_draw == 3 else ["hand", "legion"]
        view = self._reveal(seat, together)
        drawn = together
        for placed in range(to_draw):
            if not view:
                view = self._reveal(seat, 1)
                drawn += 1
            allowed = list(still_open)
            if together == 2 and to_draw == 3 and placed == 0:
                # The first of two cards drawn together may not be the one for the hand.
                allowed.remove("hand")
            yield from self._place(seat, view, allowed, still_open)
            if together == 2 and drawn < to_draw:
                view.extend(self._reveal(seat, 1))
                drawn += 1

    def _reveal(self, seat, count):
        cards = [self.deck.pop(0) for _ in range(count)]
        self._emit("reveal", seat=seat, cards=names(cards))
        return cards

    def _place(self, seat, view, allowed, still_open):
        """Place one card of the view; it and its destination are struck from the lists."""
        targets = [place for place in ("hand", "bottom") if place in allowed]
        if "legion" in allowed:
            targets += range(1, len(self.legions) + 1)
        pairs = [(i, target) for i in range(len(view)) for target in targets]
        options = [("place", view[i], target) for i, target in pairs]
        i, target = pairs[(yield from self._ask("place", seat, options))]
        card = view.pop(i)
        keys = {"seat": seat, "card": str(card)}
        if target == "hand":
            self.seats[seat - 1]["hand"].append(card)
            still_open.remove("hand")
            self._emit("place", **keys, to="hand")
        elif target == "bottom":
            self.deck.append(card)
            still_open.remove("bottom")
            self._emit("place", **keys, to="bottom")
        else:
            self.legions[target - 1].append(card)
            still_open.remove("legion")
            self._emit("place", **keys, to="legion", legion=target)

    def _buy(self, seat):
        me = self.seats[seat - 1]
        options = []
        for number, cards in enumerate(self.legions, 1):
            price = price_of(cards, me["display"], self.rules["discount_step"])
            if cards and price <= me["money"]:
                options.append(("buy", number))
        options.append(("pass",))
        option = options[(yield from self._ask("buy", seat, options))]
        if option == ("pass",):
            return
        number = option[1]
        bought = self.legions[number - 1]
        price = price_of(bought, me["display"], self.rules["discount_step"])
        self.legions[number - 1] = []
        me["money"] -= price
        me["hand"].extend(bought)
        keys = {"seat": seat, "legion": number, "cards": names(bought)}
        self._emit("buy", **keys, price=price, money=me["money"])

    def _play_and_income(self, seat):
        me = self.seats[seat - 1]
        played = []
        while True:
            # The n-th card of the turn costs n - 1.
            card = yield from self._play_one("play", ("stop",), seat, price=len(played))
            if card is None:
                break
            played.append(card)
        senator_played = any(card.category == "senator" for card in played)
        react = self.rules["reactions"] and senator_played
        if react and self.rules["reactions_before_income"]:
            yield from self._reactions(seat)
        income = income_of(played, me["display"], self.rules)
        me["money"] += income
        self._emit("income", seat=seat, aurei=income, money=me["money"])
        if react and not self.rules["reactions_before_income"]:
            yield from self._reactions(seat)

    def _reactions(self, active):
        for step in range(1, self.players):
            seat = (active - 1 + step) % self.players + 1
            price = self.rules["reaction_price"]
            yield from self._play_one("react", ("pass",), seat, price)

    def _play_one(self, verb, refuse, seat, price):
        """Let a seat display one hand card at this price; return the card or None."""
        me = self.seats[seat - 1]
        places = [
            i
            for i, card in enumerate(me["hand"])
            if me["money"] >= price and may_display(card, me["display"])
        ]
        options = [(verb, me["hand"][i]) for i in places] + [refuse]
        index = yield from self._ask(verb, seat, options)
        if options[index] == refuse:
            return None
        place = places[index]
        card = me["hand"][place]
        # The last card of the hand takes the free place.
        last = me["hand"].pop()
        if place < len(me["hand"]):
            me["hand"][place] = last
        me["display"].append(card)
        me["money"] -= price
        self._emit(verb, seat=seat, card=str(card), price=price, money=me["money"])
        old_primus = self.primus
        self._move_primus(seat)
        if self.primus != old_primus:
            self._emit("primus", **{"seat": seat, "from": old_primus})
        return card

    def _move_primus(self, seat):
        """Give primus conspiratus to this seat if it now has the most intrigue."""
        own = count_symbols(self.seats[seat - 1]["display"])["intrigue"]
        if self.primus is None:
            if own > 0:
                self.primus = seat
        elif own > count_symbols(self.seats[self.primus - 1]["display"])["intrigue"]:
            self.primus = seat
