"""Sentences made from tables: right when the data are sure, unsure, or the other way round."""

import pandas as pd
import pytest

from paxsim.studies.claims import Claim, summary_finding
from paxsim.studies.deckclaims import strategy_claim
from paxsim.studies.luck_and_skill import NOBODY, lead_changes, lead_row
from paxsim.studies.rome_rate import rome_finding
from paxsim.studies.rulings import largest_changes_finding
from paxsim.studies.seat_bias import change_finding, seat_finding
from paxsim.studies.solo_ladder import campaign_finding, level_finding
from paxsim.studies.strategies import beats_table, best_strategy_finding, mark_sure


def around(name, value, half):
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def rome(rate, half=0.01):
    fields = {"mixed": rate, "best": 0.7, "all miser": 0.2, "all racer": 0.4}
    return pd.DataFrame(
        [{"field": f, "players": 3, **around("rome_wins", r, half)} for f, r in fields.items()]
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
    assert "between 20 and 40 %" in finding.text
    assert finding.sure is sure
    assert (finding.estimate, finding.low) == pytest.approx((rate, rate - 0.01))


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
    assert "seat 3 has least with 28.3" in text


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
             "games": 100}
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


def test_who_beats_whom_needs_intervals_apart():
    rows = [("a", "b", 0.6), ("b", "a", 0.4), ("a", "c", 0.505), ("c", "a", 0.495)]
    payoffs = pd.DataFrame(
        [{"players": 2, "strategy": s, "against": r, **around("win_rate", x, 0.02), "games": 1}
         for s, r, x in rows]
    )  # fmt: skip
    assert beats_table(payoffs)[["strategy", "beats"]].to_numpy().tolist() == [["a", "b"]]


@pytest.mark.parametrize(
    ("change", "verdict"), [(0.05, "more"), (-0.05, "less"), (0.001, "no clear change")]
)
def test_a_change_says_its_direction(change, verdict):
    finding = change_finding("k", "{by}: {verdict}", (change, change - 0.01, change + 0.01))
    assert finding.text.endswith(verdict)
    assert finding.sure == (verdict != "no clear change")


def test_the_largest_changes_come_first():
    rows = [("x=1", 0.02), ("y=2", -0.3), ("z=3", 0.001)]
    table = pd.DataFrame([{"rules": r, **around("rome_change", c, 0.005)} for r, c in rows])
    text = largest_changes_finding(table, "rome_change", "Rome's rate", "k").text
    assert text.startswith("y=2 moves Rome's rate most, by −30.0")
    assert "then x=1" in text
    assert "2 of 3 changes" in text
    assert "z=3" not in text


def test_no_change_may_be_sure():
    table = pd.DataFrame([{"rules": "x=1", **around("rome_change", 0.0, 0.1)}])
    assert "None of the 1 changes" in largest_changes_finding(table, "rome_change", "it", "k").text


def claim(values):
    rows = [{"deck": deck, **around("value", value, 0.02)} for deck, value in values.items()]
    return Claim("k", "Above", "Below", pd.DataFrame(rows), 0.5, "the rate")


@pytest.mark.parametrize(
    ("values", "verdict", "said"),
    [
        ({"assumed": 0.6, "x": 0.7}, "holds on every deck", "Above, which holds on all 2 decks"),
        ({"assumed": 0.4, "x": 0.3}, "holds on every deck", "Below, which holds on all 2 decks"),
        ({"assumed": 0.6, "x": 0.3}, "depends on the printed cards", "other way round on x"),
        ({"assumed": 0.6, "x": 0.51}, "open on some decks", "not sure on x"),
        ({"assumed": 0.5, "x": 0.9}, "not sure on the assumed deck itself", "not sure even"),
    ],
    ids=["holds", "holds below", "reversed", "unsure", "no claim"],
)
def test_a_claim_is_judged_deck_by_deck(values, verdict, said):
    found = claim(values)
    assert found.verdict == verdict
    assert said in found.finding().text


def test_the_lead_of_the_best_strategy_is_over_the_best_of_the_others_on_each_deck():
    rates = {"assumed": {"a": 0.5, "b": 0.3, "c": 0.2}, "x": {"a": 0.3, "b": 0.1, "c": 0.6}}
    rows = [
        {"deck": deck, "players": 2, "strategy": name, "games": 9, "blocks": 9,
         **around("win_rate", rate, 0.02)}
        for deck, found in rates.items() for name, rate in found.items()
    ]  # fmt: skip
    found = strategy_claim(pd.DataFrame(rows))
    assert found.text == "With 2 players a is the strongest strategy"
    assert found.values["value"].tolist() == pytest.approx([0.2, -0.3])
    assert found.values["value_high"].tolist() == pytest.approx([0.24, -0.26])
    assert found.decks("reversed") == ["x"]


def test_the_summary_counts_claims():
    claims = [claim({"assumed": 0.6, "x": 0.7}), claim({"assumed": 0.6, "x": 0.3})]
    assert "Of 2 headline findings, 1 hold on all 2 decks" in summary_finding(claims, 2).text
    assert "1 turns round" in summary_finding(claims, 2).text


def test_solo_sentences():
    rows = [{"strategy": s, "level": 1, **around("success", x, 0.02), "games": 9}
            for s, x in (("a", 0.5), ("b", 0.3))]  # fmt: skip
    assert "a does best: 50.0 ± 2.0 % success." in level_finding(pd.DataFrame(rows), 1).text
    none = pd.DataFrame([{"strategy": "a", "level": 1, "success": 0.0, "success_low": 0.0,
                          "success_high": 0.01, "games": 9}])  # fmt: skip
    assert "no strategy succeeded" in level_finding(none, 1).text
    assert "can be told from 0" in campaign_finding(none).text


def test_lead_changes_skip_rounds_without_a_leader():
    assert lead_changes([0, 0, NOBODY, 0, 1, NOBODY, 0]) == 2
    row = lead_row({"changes": [0, 1, 2], "half": [True, False, True], "last": [True] * 3})
    assert row["lead_changes"] == 1.0
    assert row["half"] == pytest.approx(2 / 3)
