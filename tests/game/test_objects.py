"""Decks, rules, settings, line-ups and games as Python and notebooks show them."""

import pytest

import paxsim

LONG = "weighted:new=0.123456:stronger=0.123456:arms=0.123456:limit=0.123456:row=0.123456"


def fits(text):
    return all(len(line) <= 100 for line in text.splitlines())


def test_repr_is_short_and_says_what_it_is():
    setting = paxsim.make_setting(3)
    assert repr(setting.deck) == "Deck 'assumed': 74 cards of 28 kinds [9386bfd4cdf4]"
    assert repr(setting) == f"Setting: players 3, {setting.deck!r}, Rules()"
    assert "solo level 2" in repr(paxsim.make_setting(solo_level=2))
    assert repr(paxsim.get_policy("builder:thrift=0.5")).startswith("Policy builder:thrift=0.5: ")
    for spec in (LONG, "search:rollouts=2", f"restricted:without=peek:policy={LONG}"):
        assert fits(repr(paxsim.get_policy(spec))) and "\n" not in repr(paxsim.get_policy(spec))
    lineup = paxsim.make_lineup("builder:thrift=0.5,first", 2)
    assert repr(lineup) == "Lineup of 2: builder:thrift=0.5, first"
    assert fits(repr(paxsim.make_lineup([LONG, "first"], 2)))


def test_repr_of_rules_can_be_evaluated():
    house = paxsim.Rules(
        starting_money=7, cards_removed=0, cards_added=3, legions=4, draft_sizes=(3,) * 8,
        rome_needs=5, points_category=3, points_stronger=4, points_primus=5, tie="money",
    )  # fmt: skip
    for rules in (paxsim.Rules(), paxsim.Rules(rome_needs=5, tie="money"), house):
        assert eval(repr(rules), {"Rules": paxsim.Rules}) == rules and fits(repr(rules))
    assert fits(repr(paxsim.make_setting(3, rules=house)))


def test_repr_of_a_game_says_who_decides():
    game = paxsim.Game(players=2, seed=3)
    assert repr(game) == (
        "Game, players 2, deck assumed, round 0: seat 1 decides 'keep', 2 options"
    )
    while not game.over:
        game.apply(0)
    assert repr(game).endswith(": over")


def test_repr_of_a_result_says_who_won():
    result = paxsim.play([LONG, "first"], seed=1)
    assert repr(result) == str(result) and fits(repr(result)) and "seat 2  first" in repr(result)
    batch = paxsim.play_batch([LONG, "first"], deals=20, rotations="all")
    shown = " ".join(repr(batch).split())
    assert fits(repr(batch)) and shown.startswith("40 games, deck assumed, seed 0; wins: ")
    first = 100 * batch.shares[batch.positions == 1].mean()
    assert f"first {first:.1f}%" in shown and "Rome wins" in shown
    html = batch._repr_html_()
    assert f"<td>first</td><td>{first:.1f}</td>" in html and "<td>Rome</td>" in html


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda: paxsim.load_deck("assumed"),
         ["<th>2/4</th>", "<tr><td>wealth</td><td>2</td><td>4</td><td>2</td>"]),
        (lambda: paxsim.Rules(rome_needs=5, legions=4, draft_sizes=[2, 2]),
         ["<td>rome_needs</td><td>5</td><td>4</td>", "3 of 30 differ",
          "<td>draft_sizes</td><td>2,2</td><td>2,3,4,5,5,5,5,5</td>"]),
        (paxsim.Rules, ["<td>tie</td><td>shared</td>"]),
        (lambda: paxsim.get_policy("builder:thrift=0.5"), ["<td>thrift</td><td>0.5</td><td>"]),
        (lambda: paxsim.get_policy("search:rollouts=2"), ["<td>"]),
        (lambda: paxsim.make_setting(3, rules="rome_needs=5"),
         ["<td>players</td><td>3</td>", "<td>rome_needs</td><td>5</td>", "Deck &#x27;assumed"]),
        (lambda: paxsim.make_setting(solo_level=2), ["<td>solo level</td><td>2</td>"]),
        (lambda: paxsim.make_lineup([LONG, "first"], 2), [f"<td>1</td><td>{LONG}</td><td>"]),
        (lambda: paxsim.play("random,first", seed=1), ["<td>seat 2</td><td>first</td><td>"]),
    ],
)  # fmt: skip
def test_notebooks_show_tables(build, parts):
    html = build()._repr_html_()
    assert html.startswith("<table>") and html.endswith("</p>")
    assert all(part in html for part in parts), html


def test_notebooks_show_the_options_and_the_players_of_a_game():
    game = paxsim.Game(players=8, seed=3)
    while len(game.options()) < 20:
        game.apply(0)
    shown = f"; 11 {game.options()[11]}; and {len(game.options()) - 12} more.</p>"
    assert shown in game._repr_html_()
    while not game.over:
        game.apply(0)
    state = game.state()
    rows = [(f"seat {i}", seat["money"], len(seat["hand"]), *seat["symbols"].values())
            for i, seat in enumerate(state["seats"], 1)]  # fmt: skip
    for row in (*rows, ("Rome", "", "", *state["rome_symbols"].values())):
        assert "".join(f"<td>{cell}</td>" for cell in row) in game._repr_html_()


def test_text_of_other_people_is_escaped_in_notebooks():
    @paxsim.policy
    def with_markup(table, me, choice, top=1.0):
        """<script>alert(1)</script>"""
        return 0

    deck = paxsim.Deck("mine", paxsim.load_deck("assumed").cards, "<i>")
    for shown in (with_markup, deck, paxsim.make_lineup([with_markup], 2)):
        html = shown._repr_html_()
        assert "<script" not in html and "<i>" not in html and "&lt;" in html


def test_records_have_fields_and_show_them():
    game = paxsim.Game(players=2, seed=3)
    for record in (game.table, game.me, game.choice):
        assert fits(repr(record)) and len(repr(record).splitlines()) == len(record.dtype.names)
    assert game.table.round == game.table["round"] == 0 and "round: 0" in repr(game.table)
    game.me["memory"][1] = 7
    assert game.me.memory[1] == 7 and "memory: [0.0, 7.0] and zeros, 88 in all" in repr(game.me)


def test_game_applies_its_options_and_their_indices():
    game, other = paxsim.Game(players=2, seed=3), paxsim.Game(players=2, seed=3)
    game.apply(game.options()[1])
    other.apply(1)
    assert game.state() == other.state()
    for wrong in (paxsim.Option("buy"), -1, 2**70):
        with pytest.raises(paxsim.PaxsimError, match=r"^option must be .*, got "):
            game.apply(wrong)
    while not game.over:
        game.apply(0)
    assert game.choice.count >= 0 and sum(game.result().shares) <= 1
    for option in (0, game._option(0)):
        with pytest.raises(paxsim.PaxsimError, match="already over"):
            game.apply(option)
