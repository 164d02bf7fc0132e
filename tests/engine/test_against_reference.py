"""The engine and the slow reference play the same games and must agree on everything."""

import json
from collections import Counter
from random import Random

from conftest import deck_counts
from hypothesis import given, note, settings
from hypothesis import strategies as st
from support import reference
from support.hypothesis_strategies import RULE_VALUES, playable_settings
from support.reference import CATEGORIES, ReferenceGame, as_card, count_cards, count_symbols

import paxsim
from paxsim.rules import field_names
from paxsim.trace import TracedGame, trace_game, trace_lines

seeds = st.integers(0, 2**63 - 1)
#: The first choices one by one; what follows is option 0 for `tail` 0, else random.
first_choices = st.lists(st.integers(0, 255), max_size=40)
tails = st.integers(0, 2**16)

#: Where cards lie before the draft.
PLACES = ("removed", "rome_hidden", "rome_open", "deck")
EIGHT_KINDS = [paxsim.Card(category, 1, 0) for category in paxsim.CATEGORIES]
EIGHT_KINDS.append(paxsim.Card("land", 31, 255))


class Chooser:
    """Makes the choices of a game: the given ones first, then those of a random generator."""

    def __init__(self, choices, tail):
        self.choices = list(choices)
        self.random = Random(tail) if tail else None

    def choose(self, decision, count):
        if self.choices:
            return self.choices.pop(0) % count
        if self.random is None:
            return 0
        if decision == "turn":  # peeking all the time would make dull games
            return int(self.random.random() < 0.15)
        return self.random.randrange(count)


def new_game(setting, seed):
    """The engine's game of a setting."""
    return paxsim.Game(
        setting.players,
        seed=seed,
        solo_level=setting.solo_level,
        deck=setting.deck,
        rules=setting.rules,
    )


def traced_game(setting, seed):
    """Return the same game with its trace."""
    return TracedGame(setting, ["anyone"] * setting.players, seed, 0, 0)


def same_deal(setup):
    """Return the reference's game with the cards where the engine has dealt them."""
    keys = (*PLACES, "solo_level", "rules", "policies", "seed", "game", "deck_name")
    return ReferenceGame(setup["players"], **{key: setup[key] for key in keys})


def in_words(setting, seed):
    """A setting for a person who reads a failure."""
    who = f"solo level {setting.solo_level}" if setting.solo_level else f"{setting.players} players"
    cards = ", ".join(
        f"{count} x {card}" for card, count in sorted(deck_counts(setting.deck).items())
    )
    return f"{who}; rules {setting.rules.describe()}; seed {seed}; deck {cards}"


def state_of_engine(game):
    """The engine's state with its decision, in the shape of `state_of_reference`."""
    state = game.state()
    state["decision"] = game.decision
    state["seat"] = None if game.over else game.seat
    state["options"] = [
        tuple(
            part
            for part in (option.action, option.card and str(option.card), option.to)
            if part is not None
        )
        for option in game.options()
    ]
    return state


def state_of_reference(game):
    """The reference's state with Rome's open cards counted."""
    state = game.state()
    rome = [as_card(card) for card in state.pop("rome_visible")]
    state["rome_cards"], state["rome_symbols"] = count_cards(rome), count_symbols(rome)
    state["decision"] = game.decision or "over"
    state["seat"] = game.seat or None
    return state


def differences(ours, theirs):
    """The keys in which two states disagree, with both values."""
    return {
        key: (ours.get(key), theirs.get(key))
        for key in sorted(set(ours) | set(theirs))
        if ours.get(key) != theirs.get(key)
    }


def score_of_engine(game):
    """The engine's result in the shape of the reference's score event."""
    result = game.result()
    seats = range(game.setting.players)

    def symbols(numbers):
        return {category: int(numbers[i]) for i, category in enumerate(CATEGORIES)}

    parts = ("categories", "stronger", "fleet_army", "primus", "wealthiest")
    return {
        "rounds": int(result["rounds"]),
        "deck_left": int(result["deck_left"]),
        "empty_legions": int(result["empty_legions"]),
        "rome": symbols(result["rome_symbols"]),
        "symbols": [symbols(result["symbols"][seat]) for seat in seats],
        "money": [int(result["money"][seat]) for seat in seats],
        "hand_count": [int(result["hand_count"][seat]) for seat in seats],
        "points": [
            {part: int(result[f"points_{part}"][seat]) for part in parts}
            | {"total": int(result["points"][seat])}
            for seat in seats
        ],
        "primus": int(result["primus"]) + 1 or None,
        "rome_categories": int(result["rome_categories"]),
        "rome_held": [c for i, c in enumerate(CATEGORIES) if result["rome_held"] >> i & 1],
        "rome_wins": bool(result["rome_wins"]),
        "winners": int(result["winners"]),
        "shares": result["shares"].tolist(),
    }


def score_of_reference(game):
    """What the reference says about the end of a game."""
    end, score = game.events[-2:]
    players = score["players"]
    held = reference.held_by_rome(game.rules, score["rome"], [p["symbols"] for p in players])
    return {
        "rounds": end["rounds"],
        "deck_left": end["deck_left"],
        "empty_legions": end["empty_legions"],
        "rome": score["rome"],
        "symbols": [player["symbols"] for player in players],
        "money": [player["money"] for player in players],
        "hand_count": [len(player["hand"]) for player in players],
        "points": [player["points"] for player in players],
        "primus": score["primus"],
        "rome_categories": score["rome_categories"],
        "rome_held": held,
        "rome_wins": score["rome_wins"],
        "winners": len(score["winners"]),
        "shares": score["shares"] + [0.0] * (8 - len(players)),
    }


def test_the_generated_rule_sets_vary_every_field():
    assert set(RULE_VALUES) == set(field_names())


def play_both(setting, seed, chooser, log=lambda text: None):
    """Play a game on the engine and on the reference, and compare everything."""
    game, traced = new_game(setting, seed), traced_game(setting, seed)
    reference = same_deal(traced.events[0])
    while True:
        state = state_of_engine(game)
        assert differences(state, state_of_reference(reference)) == {}
        if game.over:
            break
        options = state["options"]
        index = chooser.choose(game.decision, len(options))
        chosen = " ".join(map(str, options[index]))
        log(f"round {state['round']}, seat {game.seat}: {chosen}")
        for one in (game, traced, reference):
            one.apply(index)
    assert differences(score_of_engine(game), score_of_reference(reference)) == {}
    setup = traced.events[0]
    assert setup.pop("deck_fingerprint") == setting.deck.fingerprint
    assert traced.events == reference.events
    dealt = Counter(card for key in PLACES for card in setup[key])
    copy = deck_counts(setting.deck)
    assert copy <= dealt and (added := dealt - copy) <= copy
    assert added.total() == setting.resolved()["cards_added"]


@given(setting=playable_settings(), seed=seeds, choices=first_choices, tail=tails)
def test_engine_and_reference_agree_at_every_decision_and_on_the_score(
    setting, seed, choices, tail
):
    note(in_words(setting, seed))
    play_both(setting, seed, Chooser(choices, tail), note)


def test_engine_and_reference_agree_on_every_table(table):
    players, solo_level = table
    play_both(paxsim.make_setting(players, solo_level=solo_level), 7, Chooser([], 11))


def test_engine_and_reference_agree_on_every_table_with_the_other_rulings(table):
    players, solo_level = table
    rules = {"rome_wins_zero_ties": False, "religion_last_two": "one_by_one", "religion_two": 1}
    rules |= {"draft_to_bottom": "chosen", "draft_sizes": [5] * 8}
    setting = paxsim.make_setting(players, solo_level=solo_level, rules=rules)
    for seed in range(4):
        play_both(setting, seed, Chooser([], 11))


def test_engine_and_reference_agree_in_the_largest_game():
    """Two whole copies of 120 cards, eight players, twelve legions."""
    deck = paxsim.Deck(name="large", cards=tuple(sorted(EIGHT_KINDS * 15)))
    rules = {"cards_added": 120, "rome_open": 16, "rome_hidden": 16, "legions": 12}
    play_both(paxsim.make_setting(8, deck=deck, rules=rules), 7, Chooser([], 11))


@settings(max_examples=settings.default.max_examples // 2)
@given(setting=playable_settings(), seed=seeds, choices=first_choices, tail=tails)
def test_a_copied_game_goes_on_by_itself_and_in_the_same_way(setting, seed, choices, tail):
    note(in_words(setting, seed))
    game = new_game(setting, seed)
    for choice in choices:
        if game.over:
            break
        game.apply(choice % len(game.options()))
    at_the_copy = state_of_engine(game)
    twin = game.copy()
    assert state_of_engine(twin) == at_the_copy

    courses = []
    for player in (twin, game):
        chooser, course = Chooser([], tail), []
        while not player.over:
            player.apply(chooser.choose(player.decision, len(player.options())))
            course.append(state_of_engine(player))
        courses.append((course, player.result().tobytes()))
        if player is twin:
            assert state_of_engine(game) == at_the_copy
    assert courses[0] == courses[1]


def test_a_game_replayed_by_its_numbers_gives_the_same_bytes(table):
    players, solo_level = table
    setting = paxsim.make_setting(players, solo_level=solo_level)
    lineup = paxsim.make_lineup("random", players)

    def trace(seed, deal):
        return "\n".join(trace_lines(setting, lineup, seed, deal, 1, players - 1)).encode()

    assert trace(3, 14) == trace(3, 14)
    assert trace(3, 14) != trace(3, 15)
    assert trace(3, 14) != trace(4, 14)


def test_several_games_in_one_trace_are_the_games_one_by_one():
    setting, lineup = paxsim.make_setting(3), paxsim.make_lineup("random", 3)
    together = list(trace_lines(setting, lineup, 8, first_deal=5, games=3, rotation=1))
    alone = [
        line for deal in (5, 6, 7) for line in trace_lines(setting, lineup, 8, deal, 1, rotation=1)
    ]
    assert together == alone
    assert sum(json.loads(line)["event"] == "setup" for line in together) == 3


def test_a_trace_ends_with_the_result_that_play_reports(table):
    players, solo_level = table
    setting = paxsim.make_setting(players, solo_level=solo_level)
    score = list(trace_game(setting, paxsim.make_lineup("random", players), 2, 9, 0))[-1]
    result = paxsim.play("random", players, seed=2, deal=9, solo_level=solo_level)
    assert score["shares"] == result.shares
    assert score["rome_wins"] == result.rome_wins
    assert score["winners"] == result.winners
    assert [player["points"]["total"] for player in score["players"]] == result.points
