"""Sentences made from tables: right when the data are sure, unsure, or the other way round."""

import math

import numpy as np
import pandas as pd
import pytest
from paxsim.report.studies.decided import (
    NOBODY,
    OVER,
    always_right,
    decided_finding,
    lead_changes,
    lead_row,
    round_table,
)
from paxsim.report.studies.dose_response import (
    RANGES,
    crossing_table,
    half_finding,
    other_finding,
    reach_finding,
)
from paxsim.report.studies.findings import change_in_words
from paxsim.report.studies.rulings import (
    NUMBERS,
    RULINGS,
    corrected,
    largest_changes_finding,
    peeking_finding,
    ruling_findings,
    shown_changes,
)

import paxsim
from paxsim.report.studies.decks import Claim, rome_claims, strategy_claim, summary_finding
from paxsim.report.studies.luck import decided_finding as redealt_finding
from paxsim.report.studies.luck import length_finding, luck_finding, small_parts
from paxsim.report.studies.metagame import together_finding
from paxsim.report.studies.rome import (
    alone_finding,
    conspiracy_finding,
    friends_finding,
    joining_finding,
    payoffs_table,
    rome_finding,
)
from paxsim.report.studies.seat_bias import change_finding, seat_finding
from paxsim.report.studies.solo_ladder import alike_note, campaign_finding, level_finding, one_in
from paxsim.report.studies.strategies import (
    beats_table,
    best_strategy_finding,
    cycle_finding,
    mark_sure,
    rating_finding,
)


def around(name, value, half):
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def rome(rate, half=0.01):
    fields = {"weak": 0.2, "all line-ups": rate, "strong": 0.7}
    ends = {**around("lowest_lineup", 0.2, 0.05), **around("highest_lineup", 0.9, 0.04)}
    return pd.DataFrame(
        [
            {"field": f, "players": 3, **around("rome_wins", r, half), **ends}
            for f, r in fields.items()
        ]
    )


@pytest.mark.parametrize(
    ("rate", "said", "sure"),
    [
        (0.6, "more than half of all games", True),
        (0.4, "less than half of all games", True),
        (0.505, "not clearly more or less than half", False),
    ],
)
def test_rome_against_one_half(rate, said, sure):
    finding = rome_finding(rome(rate), 3)
    assert said in finding.text
    assert "With 3 players Rome wins" in finding.text
    assert "from 20.0 ± 5.0 % to 90.0 ± 4.0 %" in finding.text
    assert "Among the weakest it is 20.0 ± 1.0 %, among the strongest 70.0 ± 1.0 %" in finding.text
    assert finding.sure is sure
    assert (finding.estimate, finding.low) == pytest.approx((rate, rate - 0.01))


def test_rome_by_the_number_of_conspirators():
    rates = (0.15, 0.64, 0.93, 0.998)
    table = pd.DataFrame(
        [{"players": 3, "conspirators": k, **around("rome_wins", r, 0.02)}
         for k, r in enumerate(rates)]
    )  # fmt: skip
    text = conspiracy_finding(table, 3).text
    assert "wins 15.0 ± 2.0 % of games if no seat" in text and "64.0 ± 2.0 % if one does" in text
    assert "; 93.0 ± 2.0 % if two do; 99.8 ± 2.0 % if three do." in text


def payoffs(*changes):
    """A tribune of 0 to 2 conspirators wins 0.3, and by joining as much more."""
    rows = [
        {"players": 3, "conspirators": k, **around("tribune", 0.3, 0.01),
         **around("joined", 0.3 + change, 0.01)}
        for k, change in enumerate(changes)
    ]  # fmt: skip
    rows.append({"players": 3, "conspirators": len(changes)})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("changes", "said", "sure"),
    [
        ((0.2, 0.1, 0.1), "paid however many there were: the first to join goes from 30 %", True),
        ((-0.2, -0.1, -0.1), "joining the conspirators never paid", False),
        ((0.2, 0.1, -0.1), "paid with 0 or 1 of them at the table, and cost wins with 2", False),
        ((0.001, 0.0, 0.0), "neither clearly paid nor cost wins", False),
    ],
)
def test_whether_joining_pays(changes, said, sure):
    finding = joining_finding(payoffs(*changes), 3)
    assert said in finding.text
    assert finding.sure is sure


def test_what_joining_brings_is_a_conspirators_rate_with_one_more_of_them():
    def played(**rates):
        strategies = [
            {"strategy": name, **around("win_rate", r, 0.01)} for name, r in rates.items()
        ]
        rome = pd.DataFrame([{"deck": "d", "games": 6, "blocks": 2}])
        return {"strategies": pd.DataFrame(strategies), "rome": rome}

    tables = {2: {0: played(tribune=0.5), 1: played(tribune=0.3, conspirator=0.6),
                  2: played(conspirator=0.4)}}  # fmt: skip
    rows = payoffs_table(tables).set_index("conspirators")
    assert rows["tribune"].tolist()[:2] == [0.5, 0.3] and math.isnan(rows.at[2, "tribune"])
    assert rows["joined"].tolist()[:2] == [0.6, 0.4] and math.isnan(rows.at[2, "joined"])
    assert rows.loc[[1, 2], "conspirator"].tolist() == [0.6, 0.4]


def values(rule, rates, half=0.02):
    return pd.DataFrame(
        [{"rule": rule, "value": v, "in_force": v == 4, **around("rome_wins", r, half),
          "deck": "d", "games": 10} for v, r in rates.items()]
    )  # fmt: skip


def test_the_number_that_brings_rome_to_a_half_is_named_with_its_values():
    table = pd.concat([values("rome_needs", {4: 0.9, 5: 0.7, 6: 0.3}),
                       values("gold", {3: 0.8, 4: 0.9})])  # fmt: skip
    crossings = crossing_table(table)
    text = half_finding(crossings, 4).text
    assert "crosses a half between 5 (70.0 ± 2.0 %) and 6 (30.0 ± 2.0 %) categories that" in text
    assert "(rome_needs; the game has 4)" in text and "gold" not in text
    said = reach_finding(table, crossings).text
    assert "Rome wins from 80.0 ± 2.0 % (gold=3) to 90.0 ± 2.0 % (gold=4): gold" in said


def test_a_value_that_can_not_be_told_from_a_half_is_about_a_half():
    table = crossing_table(values("rome_needs", {4: 0.9, 5: 0.51, 6: 0.3}))
    row = table.iloc[0]
    assert (row["from"], row["near"], row["to"]) == ("4", "5", "6")
    said = half_finding(table, 4).text
    assert "is about a half, 51.0 ± 2.0 %, with 5 categories that Rome needs to win" in said


def test_no_number_may_bring_rome_to_a_half():
    finding = half_finding(crossing_table(values("gold", {3: 0.8, 4: 0.9})), 4)
    assert "no number of the rules that was tried" in finding.text and not finding.sure


def test_standings_count_for_the_games_that_go_on():
    found = {
        "rome": np.array([[0, 1, 1, -2], [1, 1, 0, 0]]),
        "winner": np.array([[0, 0, 0, -2], [2, 1, 1, 1]]),
    }
    table = round_table(found)
    assert table["going_on"].tolist() == [2, 2, 1]
    assert table["rome"].tolist() == [0.0, 0.5, 1.0]
    assert table["winner"].tolist() == [0.5, 1.0, 1.0]


def test_when_a_game_is_decided():
    rates = {1: 0.5, 2: 0.8, 3: 0.97}
    table = pd.DataFrame(
        [{"players": 4, "round": n, "going_on": 90, "games": 100, **around("rome", r, 0.02),
          **around("winner", r - 0.3, 0.02), **around("always", 0.81, 0.02)}
         for n, r in rates.items()]
    )  # fmt: skip
    text = decided_finding(table, 4).text
    assert "Who always says the same of Rome is right in 81.0 ± 2.0 % of all games." in text
    assert "after round 2, Rome's win or defeat stands as it will end in 80.0 ± 2.0 %" in text
    assert "and the winner leads in 50.0 ± 2.0 %; after round 3" in text
    assert "of games that go on, in 97.0 ± 2.0 % and 67.0 ± 2.0 %." in text


def seats(first, p):
    rows = []
    for seat, over in ((1, first), (2, 0.0), (3, -first)):
        rows.append({"players": 3, "seat": seat, **around("win_rate", 1 / 3 + over, 0.01),
                     "fair_share": 1 / 3, **around("over_fair", over, 0.01),
                     "p_holm": p if over else 1.0})  # fmt: skip
    return pd.DataFrame(rows)


def test_a_favoured_seat_is_named():
    text = seat_finding(seats(0.05, 0.001), 3).text
    assert "seat 1 is favoured with 38.3 ± 1.0 %" in text
    assert "seat 3 has less with 28.3" in text


def test_all_seats_that_are_surely_favoured_are_named():
    table = seats(0.05, 0.001)
    table.loc[1, ["over_fair", "p_holm"]] = 0.03, 0.01
    said = seat_finding(table, 3)
    assert "seats 1 and 2 are favoured with 38.3 ± 1.0 % and 33.3 ± 1.0 % of wins" in said.text
    assert said.cells["favoured"] == "seat 1: 38.3 ± 1.0 %; seat 2: 33.3 ± 1.0 %"


def test_the_other_seat_may_be_favoured():
    assert "seat 3 is favoured" in seat_finding(seats(-0.05, 0.001), 3).text


def test_no_seat_is_named_when_none_is_sure():
    finding = seat_finding(seats(0.005, 0.4), 3)
    assert "no seat is clearly favoured" in finding.text
    assert not finding.sure


def standings(a, b, half=0.01):
    rates = {"alpha": a, "beta": b, "gamma": 0.1}
    return pd.DataFrame(
        [
            {"players": 2, "strategy": s, **around("win_rate", r, half), "fair_share": 0.5,
             "p": math.erfc(abs(r - 0.5) / (half / 1.96) / math.sqrt(2)), "games": 100}
            for s, r in rates.items()
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "said", "sure"),
    [
        (0.7, 0.6, "alpha wins most: 70.0 ± 1.0 %", True),
        (0.6, 0.7, "beta wins most", True),
        (0.7, 0.69, "can't be told from beta", False),
    ],
)
def test_the_best_strategy(a, b, said, sure):
    finding = best_strategy_finding(standings(a, b), 2)
    assert said in finding.text
    assert finding.sure is sure


def test_many_rows_are_corrected_together():
    marked = mark_sure(standings(0.7, 0.512))
    assert marked["sure"].tolist() == [True, True, True] or marked["p_holm"].iloc[1] < 0.05
    assert not mark_sure(standings(0.7, 0.505))["sure"].iloc[1]


def test_who_beats_whom_is_corrected_for_all_pairs():
    """Of three pairs, 0.04 is no news: Holm takes the second smallest twice."""
    pairs = [("a", "b", 0.6, 1e-5), ("a", "c", 0.52, 0.04), ("b", "c", 0.52, 0.04)]
    rows = [*pairs, *((rival, name, 1 - rate, p) for name, rival, rate, p in pairs)]
    payoffs = pd.DataFrame(
        [{"players": 2, "strategy": s, "against": r, **around("win_rate", x, 0.02), "p": p,
          "games": 1} for s, r, x, p in rows]
    )  # fmt: skip
    assert beats_table(payoffs)[["strategy", "beats"]].to_numpy().tolist() == [["a", "b"]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (0.05, "wins 5.0 ± 1.0 percentage points more often"),
        (-0.05, "wins 5.0 ± 1.0 percentage points less often"),
        (0.001, "wins neither clearly more nor clearly less often (+0.1 ± 1.0 percentage points)"),
        (-0.01001, "wins 1.001 ± 1.000 percentage points less often"),
    ],
)
def test_a_change_says_its_direction_once(change, said):
    finding = change_finding("k", "It wins {how}", (change, change - 0.01, change + 0.01))
    assert finding.text == f"It {said}"
    assert finding.sure == ("neither" not in said)


def test_a_change_among_several_has_to_be_clear_among_all_of_them():
    change = (0.012, 0.002, 0.022)
    assert change_finding("k", "{how}", change).sure
    assert not change_finding("k", "{how}", change, 7).sure
    assert change_finding("k", "{how}", (0.014, 0.004, 0.024), 7).sure


def changes_table(rows):
    table = pd.DataFrame(
        [{"rules": r, **around("rome_change", c, 0.005), "rome_change_p": p} for r, c, p in rows]
    )
    return corrected(table.assign(seat1_change_p=1.0))


def test_changes_are_counted_after_correction_for_all_of_them():
    """Twenty changes with p = 0.03: none is sure, though every interval for itself excludes 0."""
    table = changes_table([(f"x={i}", 0.01, 0.03) for i in range(20)])
    text = largest_changes_finding(table, "rome_change", "Rome's rate", "k").text
    assert text.startswith("None of the 20 changes")


def test_equal_changes_stand_in_the_order_of_their_names():
    rows = [(name, 0.1 + tiny, 1e-9) for name, tiny in (("b=1", 1e-16), ("a=1", 0.0))]
    text = largest_changes_finding(changes_table(rows), "rome_change", "Rome's rate", "k").text
    assert text.startswith("In the sample line-up, a = 1 (a=1) moves")


def ruling(differs, change):
    row = {"rules": "tie=money", "players": 4, **change, "rome_differs": differs, "blocks": 945}
    return ruling_findings({"R5": pd.DataFrame([row])})[0].text


def test_a_ruling_that_changes_no_block_says_how_rare_one_must_be():
    said = ruling(0, around("rome_change", 0.0, 0.004))
    assert "changes nothing for Rome in any of 945 blocks" in said
    assert "rarer than 0.4 %" in said
    assert "by at most 0.6 percentage points" in ruling(3, around("rome_change", 0.001, 0.005))


def test_the_largest_changes_come_first():
    rows = [("x=1", 0.02, 0.001), ("y=2", -0.3, 1e-9), ("z=3", 0.001, 0.7)]
    table = changes_table(rows)
    text = largest_changes_finding(table, "rome_change", "Rome's rate", "k").text
    assert text.startswith("In the sample line-up, y = 2 (y=2) moves Rome's rate most, by −30.0")
    assert "then x = 1 (x=1), +2.0" in text
    assert "2 of 3 changes" in text
    assert "z=3" not in text


def test_no_change_may_be_sure():
    table = changes_table([("x=1", 0.0, 1.0)])
    assert "None of the 1 changes" in largest_changes_finding(table, "rome_change", "it", "k").text


def claim(values):
    rows = [{"deck": deck, **around("value", value, 0.02)} for deck, value in values.items()]
    return Claim("k", "Above", "Below", pd.DataFrame(rows), 0.5, "the rate")


@pytest.mark.parametrize(
    ("values", "verdict", "said"),
    [
        ({"assumed": 0.6, "x": 0.7}, "holds on every deck", "Above, which holds on all 2 decks"),
        ({"assumed": 0.4, "x": 0.3}, "holds on every deck", "Below, which holds on all 2 decks"),
        ({"assumed": 0.6, "x": 0.3}, "depends on the printed cards", "surely does not on x"),
        ({"assumed": 0.6, "x": 0.51}, "open on some decks", "not sure on x"),
        ({"assumed": 0.5, "x": 0.9}, "not sure on the assumed deck itself", "not sure even"),
    ],
    ids=["holds", "holds below", "reversed", "unsure", "no claim"],
)
def test_a_claim_is_judged_deck_by_deck(values, verdict, said):
    found = claim(values)
    assert found.verdict == verdict
    assert said in found.finding().text


def test_the_lead_of_the_best_strategy_is_over_each_of_all_others_on_every_deck():
    """Against the standings: the lead over the second, deck by deck."""
    names = ["weighted", "miser", "racer"]
    contests = [
        paxsim.tournament(names, players=2, games=600, deck=deck, jobs=1)
        for deck in ("assumed", "flat")
    ]
    found = strategy_claim(contests)
    best = contests[0]["standings"].strategy.iloc[0]
    assert found.text == f"With 2 players {best} wins more than each of the 2 other strategies"
    for contest, row in zip(contests, found.values.itertuples(), strict=True):
        rates = contest["standings"].set_index("strategy").win_rate
        assert row.value == pytest.approx(rates[best] - rates.drop(best).max())
        assert row.value_low < row.value < row.value_high


def test_a_rate_is_claimed_to_be_about_that_of_the_assumed_deck_not_more_than_half():
    rates = {"assumed": 0.9, "x": 0.91, "y": 0.7, "z": 0.86}
    rows = [{"deck": d, "players": 4, **around("rome_wins", r, 0.01), "games": 9, "blocks": 9}
            for d, r in rates.items()]  # fmt: skip
    (found,) = rome_claims(pd.DataFrame(rows), [4])
    assert found.text == (
        "With 4 players Rome wins 90.0 ± 1.0 % over the line-ups of the tournament, and to within "
        "5 percentage points as much with other cards"
    )
    said = "70.0 ± 1.0 % (y) to 91.0 ± 1.0 % (x)"
    assert found.range == said, "the rates themselves, not distances"
    assert found.decks("reversed") == ["y"]
    assert found.decks("unsure") == ["z"]
    assert found.decks("holds") == ["assumed", "x"]


def test_a_chart_of_changes_leaves_out_the_small_ones_that_are_not_sure():
    """A small change that is sure is drawn; how many are not is said."""
    sizes = [0.3, -0.2, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.001, 0.0]
    changes = pd.DataFrame({"change": sizes, "change_p_holm": [1.0] * 9 + [0.01, 1.0]})
    drawn, said = shown_changes(changes, "change")
    assert drawn["change"].tolist() == [*sizes[:8], 0.001]
    assert said == " (2 other changes do not surely move it)"
    assert shown_changes(changes.head(8), "change")[1] == ""


def test_strategies_that_do_the_same_alone_are_named():
    levels = pd.DataFrame([(name, level, rate) for name, rates in
                           {"a": (0.5, 0.2), "b": (0.5, 0.1), "c": (0.5, 0.2)}.items()
                           for level, rate in enumerate(rates, 1)],
                          columns=["strategy", "level", "success"])  # fmt: skip
    assert alike_note(levels) == "At every level just the same alone: a and c."
    assert alike_note(levels[levels["strategy"] != "c"]) == ""


def test_a_chance_is_said_as_one_in_so_many():
    assert one_in(8.2136e-05) == 12_000 and one_in(0.25) == 4
    assert math.isnan(one_in(0.0))


def test_ratings_say_when_not_to_read_them():
    table = pd.DataFrame([
        {"players": 2, "misfit": 0.25, "sure_misfit": 0.2, "readable": False},
        {"players": 4, "misfit": 0.07, "sure_misfit": 0.0, "readable": True},
    ])  # fmt: skip
    assert "do not read the ratings: they miss a win rate by 25" in rating_finding(table, 2).text
    assert (
        "to within 7 percentage points, 0 of them more than chance" in rating_finding(table, 4).text
    )


def test_luck_is_one_part_and_what_is_decided_is_said_by_point():
    shares = pd.DataFrame([
        {"field": "mixed field", "players": 4, "part": part, **around("share", x, 0.01)}
        for part, x in (("strategy", 0.2), ("seat", -0.001), ("luck", 0.801))
    ])  # fmt: skip
    said = luck_finding(shares, 4).text
    assert "seat −0.1 ± 1.0 %, and the luck of the cards 80.1 ± 1.0 %" in said
    points = {"before the deal": 0.2, "after the draft": 0.3, "after round 1": 0.6}
    table = pd.DataFrame([{"players": 4, "point": point, **around("decided", x, 0.02)}
                          for point, x in points.items()])  # fmt: skip
    said = redealt_finding(table, 4).text
    assert "30.0 ± 2.0 % after the draft; after round 1 it is more than half: 60.0" in said


def test_parts_that_no_bar_can_show_are_named():
    rows = [{"part": "strategy", "share": 0.6}, {"part": "seat", "share": 0.004},
            {"part": "seat_strategy", "share": -0.001}, {"part": "luck", "share": 0.4},
            {"part": "seat", "share": 0.001}]  # fmt: skip
    assert small_parts(pd.DataFrame(rows)) == ["seat", "seat with strategy"]


@pytest.mark.parametrize("name", [*RANGES, *NUMBERS, *(n for v, _ in RULINGS.values() for n in v)])
def test_every_rule_of_the_studies_is_said_in_words(name):
    value = {
        **{n: values[0] for n, values in NUMBERS.items()},
        **{n: v for variant, _ in RULINGS.values() for n, v in variant.items()},
    }.get(name, 3)
    said = change_in_words(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
    assert "=" not in said and "_" not in said and len(said.split()) > 1


def test_a_margin_says_of_how_many_games_it_is():
    rows = [{"players": n, **around("rounds", 8.0, 0.1), **around("margin", 7.0, 0.2),
             "players_won": 217, "games": 40_000} for n in (2, 8)]  # fmt: skip
    said = length_finding(pd.DataFrame(rows)).text
    assert "(217 of 40,000 games) the winner is 7.0 ± 0.2 points ahead; with 8 players" in said


def test_one_is_said_in_the_singular():
    assert change_in_words("points_category=1") == "1 point for a category displayed"
    assert change_in_words("starting_money=10") == "10 Aurei at the start"


def test_a_seat_among_its_like_has_the_fair_share_without_an_interval():
    rows = [{"players": 2, "conspirators": 0, **around("tribune", 0.4995, 0.0005),
             **around("joined", 0.8, 0.01)},
            {"players": 2, "conspirators": 1, **around("tribune", 0.1, 0.01),
             **around("joined", 0.4995, 0.0005)}]  # fmt: skip
    finding = joining_finding(pd.DataFrame(rows), 2)
    assert "the first to join goes from 50 % to 80.0 ± 1.0 % of wins" in finding.text
    assert finding.cells["the last"] == "10.0 ± 1.0 % to 50 %"


def test_the_summary_counts_claims():
    claims = [claim({"assumed": 0.6, "x": 0.7}), claim({"assumed": 0.6, "x": 0.3})]
    assert "Of 2 headline findings, 1 holds on all 2 decks" in summary_finding(claims, 2).text
    assert "1 surely fails on at least one of them" in summary_finding(claims, 2).text


@pytest.mark.parametrize(
    ("change", "said", "sure"),
    [
        (0.05, "costs wins", True),
        (-0.05, "pays", True),
        (0.001, "worth nothing that can be", False),
    ],
)
def test_what_peeking_is_worth_is_what_is_lost_without_it(change, said, sure):
    row = {**around("win_change", change, 0.01), **around("win_rate", 0.2 + change, 0.02),
           **around("base_win_rate", 0.2, 0.02)}  # fmt: skip
    finding = peeking_finding(pd.DataFrame([row]))
    assert said in finding.text and "instead of 20.0 ± 2.0 %" in finding.text
    assert finding.sure is sure


def test_solo_sentences():
    rows = [{"strategy": s, "level": 1, **around("success", x, 0.02), "games": 9}
            for s, x in (("a", 0.5), ("b", 0.3))]  # fmt: skip
    assert "a does best: 50.0 ± 2.0 % success." in level_finding(pd.DataFrame(rows), 1).text
    none = pd.DataFrame([{"strategy": "a", "level": 1, "success": 0.0, "success_low": 0.0,
                          "success_high": 0.01, "games": 9}])  # fmt: skip
    assert "no strategy succeeded" in level_finding(none, 1).text
    assert "can be told from 0" in campaign_finding(none).text


def test_a_campaign_is_said_by_the_one_rule_and_in_how_many_it_succeeds():
    rows = [{"strategy": "a", "success": 8.2e-5, "success_low": 5e-5, "success_high": 1.4e-4}]
    said = campaign_finding(pd.DataFrame(rows)).text
    assert "succeeds at best in 0.008 ± 0.004 %, about 1 in 12,000, with a." in said


def test_rome_alone_is_said_by_the_number_of_players():
    rows = [{"players": n, "rome_alone": r, "games": 100} for n, rates in
            ((2, (0.01, 0.03)), (3, (0.0, 0.0))) for r in rates]  # fmt: skip
    said = alone_finding(pd.DataFrame(rows)).text
    assert said.endswith("with 2 players in 2.0 % (just over 0 to 97.6 %) of games, with 3 never.")
    none = pd.DataFrame(rows[2:])
    assert "in none of the tournament's 200 games" in alone_finding(none).text


def test_those_who_win_with_rome_are_named_with_what_they_win_on_points():
    rows = [{"players": 4, "strategy": s, **around("with_rome", r, 0.05),
             **around("on_points", 0.1, 0.02)} for s, r in
            (("a", 0.3), ("b", 0.7), ("c", 0.6), ("d", 0.2))]  # fmt: skip
    said = friends_finding(pd.DataFrame(rows), 4)
    assert "are b (70.0 ± 5.0 % of its games; on points 10.0 ± 2.0 %), c (60.0" in said.text
    assert len(said.cells) == 3 and "d (" not in said.text


def fighters(seats, gain, temptation):
    states = pd.DataFrame([{"state": "weighted", "kind": "pure", "basin": 1.0}])
    moves = [
        {
            "state": "weighted",
            "seats": seats,
            "strategy": "defender",
            "players": 4,
            "before": 0.25,
            "after": 0.25 + gain,
            **around("gain", gain, 0.01),
            **around("others_after", 0.15, 0.02),
            **around("rome_after", 0.2, 0.02),
            **around("rome_before", 0.9, 0.02),
            **around("temptation", temptation, 0.01),
        }
    ]
    return {"states": states, "coalitions": pd.DataFrame(moves)}  # fmt: skip


def test_what_those_who_fight_rome_together_win_and_whether_their_pact_holds():
    said = together_finding("flat", fighters(3, 0.03, 0.02), 3)
    assert said.text == (
        "Deck flat: with 4 players who all play weighted Rome wins 90.0 ± 2.0 %; if three players "
        "fight it together (as defender), 20.0 ± 2.0 %. Each of them gains: 28.0 % instead of "
        "25.0 % (+3.0 ± 1.0 percentage points), and the one other player wins 15.0 ± 2.0 %; but "
        "one of them who breaks the pact gains +2.0 ± 1.0 percentage points more."
    )
    other = together_finding("flat", fighters(2, -0.03, 0.0), 2)
    assert "Each of them pays for it: 22.0 %" in other.text
    assert other.text.endswith("and each of the two others wins 15.0 ± 2.0 %.")
    assert other.cells["who breaks it"] == "does not surely gain"


def test_the_strongest_beats_so_many_of_those_that_it_met():
    rows = standings(0.7, 0.4)
    payoffs = pd.DataFrame([{"players": 2, "strategy": "alpha", "against": name}
                            for name in ("alpha", "beta")])  # fmt: skip
    beats = pd.DataFrame([{"strategy": "alpha", "beats": "beta"}])
    said = cycle_finding(beats, rows, payoffs).text
    assert said == "With 2 players alpha surely beats 1 of the 1 others that it met and is " \
                   "beaten by none."  # fmt: skip


def test_who_always_says_the_same_of_rome():
    rome = np.array([[0, 1, OVER], [1, 1, 1], [0, 0, OVER], [0, 1, OVER]])
    assert always_right(rome)["always"] == 0.75
    assert always_right(np.where(rome == OVER, OVER, 1 - rome))["always"] == 0.75


@pytest.mark.parametrize("sure", [True, False])
def test_a_number_that_moves_something_is_named_only_if_that_is_sure(sure):
    half = 0.01 if sure else 0.1
    rows = [{"rule": "rome_needs", "value": v, **around("seat1_over_fair", x, half)}
            for v, x in ((4, -0.02), (5, 0.03))]  # fmt: skip
    said = other_finding(pd.DataFrame(rows), "seat1_over_fair", "seat 1", "points", 100.0)
    assert said.sure is sure
    expected = "from −2.0 ± 1.0 at 4 to 3.0 ± 1.0 at 5 (points)." if sure else "No number surely"
    assert expected in said.text


def test_lead_changes_skip_rounds_without_a_leader():
    assert lead_changes([0, 0, NOBODY, 0, 1, NOBODY, 0]) == 2
    row = lead_row(np.array([[1, 1, OVER], [0, 1, 1], [0, NOBODY, 1], [0, 1, 0]]))
    assert row["lead_changes"] == (0 + 1 + 1 + 2) / 4
    assert row["last"] == 2 / 4
