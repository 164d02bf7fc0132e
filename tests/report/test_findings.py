"""Findings from made-up tables: what they name, their numbers, and whether they are sure."""

import math

import numpy as np
import pandas as pd
import pytest

import paxsim
from paxsim.report.studies import luck, metagame, rome, rules, seat_bias, solo_ladder, strategies
from paxsim.report.studies.decks import Claim, rome_claims, strategy_claim, summary_finding
from paxsim.report.subject import make_subject


def around(name, value, half=0.01):
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def table(*rows):
    return pd.DataFrame(list(rows))


# --- rome -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "verdict", "sure"),
    [(0.6, "more than half", True), (0.4, "less than half", True), (0.505, "not clearly", False)],
)
def test_rome_is_compared_with_a_half(rate, verdict, sure):
    ends = {**around("lowest_lineup", 0.2, 0.05), **around("highest_lineup", 0.9, 0.04)}
    rates = {"weak": 0.2, "all line-ups": rate, "strong": 0.7}
    finding = rome.rome_finding(
        table(*({"population": name, "players": 3, **around("rome_wins", r), **ends}
                for name, r in rates.items())), 3)  # fmt: skip
    assert finding.sure is sure and finding.cells["Rome wins on average"].startswith(verdict)
    assert finding.estimate == rate and finding.cells["highest"] == "90.0 ± 4.0%"
    assert (finding.cells["weak strategies"], finding.cells["strong strategies"]) == (
        "20.0 ± 1.0%", "70.0 ± 1.0%")  # fmt: skip


def test_every_number_of_conspirators_has_its_rate():
    rates = (0.15, 0.64, 0.93, 0.998)
    finding = rome.conspiracy_finding(
        table(*({"players": 3, "conspirators": k, **around("rome_wins", r, 0.02)}
                for k, r in enumerate(rates))), 3)  # fmt: skip
    assert finding.estimate == 0.64, "with one conspirator"
    assert list(finding.cells.values())[:3] == ["15.0 ± 2.0%", "64.0 ± 2.0%", "93.0 ± 2.0%"]
    assert all(rate in finding.text for rate in finding.cells.values())


@pytest.mark.parametrize(
    ("changes", "verdict", "sure"),
    [
        ((0.2, 0.1, 0.1), "always paid", True),
        ((-0.2, -0.1, -0.1), "never paid", False),
        ((0.2, 0.1, -0.1), "paid with 0 or 1 and cost wins with 2 conspirators", False),
        ((0.001, 0.0, 0.0), "neither clearly paid nor cost", False),
    ],
)
def test_joining_pays_if_a_conspirator_wins_clearly_more_than_a_tribune(changes, verdict, sure):
    rows = [{"players": 3, "conspirators": k, **around("tribune", 0.3),
             **around("joined", 0.3 + change)} for k, change in enumerate(changes)]  # fmt: skip
    finding = rome.joining_finding(table(*rows, {"players": 3, "conspirators": 3}), 3)
    assert verdict in finding.cells["joining and leaving"] and finding.sure is sure
    assert finding.cells["the first to join goes from"].startswith("30% to ")


def test_a_seat_among_its_own_kind_has_the_fair_share_without_an_interval():
    rows = [{"players": 2, "conspirators": 0, **around("tribune", 0.4995, 0.0005),
             **around("joined", 0.8)},
            {"players": 2, "conspirators": 1, **around("tribune", 0.1),
             **around("joined", 0.4995, 0.0005)}]  # fmt: skip
    finding = rome.joining_finding(table(*rows), 2)
    assert finding.cells["the first to join goes from"] == "50% to 80.0 ± 1.0%"
    assert finding.cells["the last"] == "10.0 ± 1.0% to 50%"


def test_joined_is_the_rate_of_a_conspirator_with_one_more_of_them():
    def result(**rates):
        rows = [{"strategy": name, **around("win_rate", r)} for name, r in rates.items()]
        return {"strategies": table(*rows), "rome": table({"deck": "d", "games": 6, "blocks": 2})}

    results = {2: {0: result(tribune=0.5), 1: result(tribune=0.3, conspirator=0.6),
                   2: result(conspirator=0.4)}}  # fmt: skip
    rows = rome.payoffs_table(results).set_index("conspirators")
    assert rows["tribune"].tolist()[:2] == [0.5, 0.3] and math.isnan(rows.at[2, "tribune"])
    assert rows["joined"].tolist()[:2] == [0.6, 0.4] and math.isnan(rows.at[2, "joined"])
    assert rows.loc[[1, 2], "conspirator"].tolist() == [0.6, 0.4]


def test_rome_alone_is_reported_by_player_count_and_none_is_0():
    rows = [{"players": n, **around("rome_alone", r), "games": 100} for n, r in
            ((2, 0.02), (3, 0.0))]  # fmt: skip
    text = rome.alone_finding(table(*rows)).text
    assert "2.0 ± 1.0% of games with 2 players, and never with 3" in text
    assert "none of the tournament's 100 games" in rome.alone_finding(table(rows[1])).text


def test_friends_of_rome_are_the_three_that_win_most_with_it():
    rows = [{"players": 4, "strategy": s, "with_rome": r, "on_points": 0.1} for s, r in
            (("a", 0.3), ("b", 0.7), ("c", 0.6), ("d", 0.2))]  # fmt: skip
    finding = rome.friends_finding(table(*rows), 4)
    assert [cell.split()[0] for cell in finding.cells.values()] == ["b", "c", "a"]
    assert finding.estimate == 0.7


# --- rules ----------------------------------------------------------------------------------


def rule_values(rule, rates):
    return table(*({"rule": rule, "value": v, "in_force": v == 4, **around("rome_wins", r, 0.02),
                    "deck": "d", "games": 10} for v, r in rates.items()))  # fmt: skip


def test_a_number_crosses_a_half_between_two_values_or_at_one():
    values = pd.concat([rule_values("rome_needs", {4: 0.9, 5: 0.7, 6: 0.3}),
                        rule_values("legions", {3: 0.8, 4: 0.9})])  # fmt: skip
    crossings = rules.crossing_table(values)
    assert crossings["crosses"].tolist() == [True, False]
    row = crossings.iloc[0]
    assert (row["from"], row["to"], row["at_from"], row["at_to"]) == ("5", "6", 0.7, 0.3)
    finding = rules.half_finding(crossings, 4)
    assert finding.sure and "(rome_needs; in force: 4)" in finding.text
    assert "legions" not in finding.text
    text = rules.reach_finding(values, crossings).text
    assert "80.0 ± 2.0% (legions=3) to 90.0 ± 2.0% (legions=4)" in text
    near = rules.crossing_table(rule_values("rome_needs", {4: 0.9, 5: 0.51, 6: 0.3})).iloc[0]
    assert (near["from"], near["near"], near["to"], near["at_near"]) == ("4", "5", "6", 0.51)
    none = rules.half_finding(rules.crossing_table(rule_values("legions", {3: 0.8, 4: 0.9})), 4)
    assert not none.sure and none.estimate is None


@pytest.mark.parametrize("sure", [True, False])
def test_the_strongest_number_is_named_only_if_its_ends_differ(sure):
    half = 0.01 if sure else 0.1
    rows = [{"rule": "rome_needs", "value": v, **around("seat1_over_fair", x, half)}
            for v, x in ((4, -0.02), (5, 0.03))]  # fmt: skip
    finding = rules.strongest_finding(table(*rows), "seat1_over_fair", "it", "points", 100.0)
    assert finding.sure is sure and ("rome_needs" in finding.text) is sure


def changes(rows):
    return rules.corrected(
        table(*({"rules": r, **around("rome_change", c, 0.005), "rome_change_p": p}
                for r, c, p in rows)).assign(seat1_change_p=1.0))  # fmt: skip


def largest(rows):
    return rules.largest_changes_finding(changes(rows), "rome_change", "Rome's rate", "k")


def test_changes_are_tested_together_and_the_largest_come_first():
    assert not largest([(f"x={i}", 0.01, 0.03) for i in range(20)]).sure, "20 times p = 0.03"
    finding = largest([("x=1", 0.02, 0.001), ("y=2", -0.3, 1e-9), ("z=3", 0.001, 0.7)])
    assert finding.estimate == -0.3 and "2 of 3 changes" in finding.text
    assert finding.text.index("y=2") < finding.text.index("x=1") and "z=3" not in finding.text
    equal = largest([("b=1", 0.1 + 1e-16, 1e-9), ("a=1", 0.1, 1e-9)]).text
    assert equal.index("a=1") < equal.index("b=1"), "equal changes in the order of their names"


def test_a_chart_leaves_out_small_changes_that_are_not_significant():
    sizes = [0.3, -0.2, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.001, 0.0]
    rows = pd.DataFrame({"change": sizes, "change_p_holm": [1.0] * 9 + [0.01, 1.0]})
    shown, note = rules.shown_changes(rows, "change")
    assert shown["change"].tolist() == [*sizes[:8], 0.001] and "2 other changes" in note
    assert rules.shown_changes(rows.head(8), "change")[1] == ""


@pytest.mark.parametrize(
    ("differs", "change", "figure", "sure"),
    [(0, 0.0, "rarer than 0.4%", False), (3, 0.001, "at most 0.6", False), (9, 0.02, "+2.0", True)],
)
def test_a_ruling_that_changes_nothing_has_a_bound(differs, change, figure, sure):
    row = {"rules": "tie=money", "players": 4, **around("rome_change", change, 0.005),
           "rome_differs": differs, "blocks": 945}  # fmt: skip
    (finding,) = rules.ruling_findings({"R5": table(row)})
    assert finding.sure is sure and figure in finding.text


@pytest.mark.parametrize("change", [0.05, -0.05, 0.001])
def test_peeking_is_worth_what_is_lost_without_it(change):
    row = {**around("win_change", change), **around("win_rate", 0.2 + change, 0.02),
           **around("base_win_rate", 0.2, 0.02)}  # fmt: skip
    finding = rules.peeking_finding(table(row))
    assert finding.sure is (change != 0.001) and finding.estimate == change


def test_every_rule_of_the_study_has_words():
    names = [*(f"{name}=3" for name in rules.RANGES)]
    names += [f"{name}={value}" for name, values in rules.NUMBERS.items() for value in values]
    names += [f"{name}={value}" for variant, _ in rules.RULINGS.values()
              for name, value in variant.items()]  # fmt: skip
    for name in names:
        words = rules.in_words(name)
        assert "=" not in words and "_" not in words and len(words.split()) > 1
    assert rules.in_words("points_category=1").startswith("1 point for")
    assert rules.in_words("reactions=true") == rules.in_words("reactions=True")


# --- luck -----------------------------------------------------------------------------------


def test_standings_count_only_games_that_continue():
    games = {
        "rome": np.array([[0, 1, 1, -2], [1, 1, 0, 0]]),
        "winner": np.array([[0, 0, 0, -2], [2, 1, 1, 1]]),
    }
    rounds = luck.round_table(games)
    assert rounds["going_on"].tolist() == [2, 2, 1]
    assert rounds["rome"].tolist() == [0.0, 0.5, 1.0]
    assert rounds["winner"].tolist() == [0.5, 1.0, 1.0]


def test_always_predicting_the_same_of_rome_counts_last_rounds():
    rome_wins = np.array([[0, 1, luck.OVER], [1, 1, 1], [0, 0, luck.OVER], [0, 1, luck.OVER]])
    assert luck.always_right(rome_wins)["always"] == 0.75
    opposite = np.where(rome_wins == luck.OVER, luck.OVER, 1 - rome_wins)
    assert luck.always_right(opposite)["always"] == 0.75


def test_lead_changes_skip_rounds_without_a_leader():
    none, over = luck.NO_SEAT, luck.OVER
    assert luck.lead_changes([0, 0, none, 0, 1, none, 0]) == 2
    row = luck.lead_row(np.array([[1, 1, over], [0, 1, 1], [0, none, 1], [0, 1, 0]]))
    assert row["lead_changes"] == (0 + 1 + 1 + 2) / 4 and row["last"] == 2 / 4


def test_findings_about_luck_take_the_rows_of_their_player_count():
    rows = [{"players": 4, "round": n, "going_on": 90, "games": 100, **around("rome", r),
             **around("winner", r - 0.3), **around("always", 0.81)}
            for n, r in {1: 0.5, 2: 0.8, 3: 0.97}.items()]  # fmt: skip
    standing = luck.standing_finding(table(*rows), 4)
    assert standing.estimate == 0.5 and len(standing.cells) == 5, "the middle round"
    rows = [{"population": "all line-ups", "players": 4, "part": part, **around("share", x)}
            for part, x in (("strategy", 0.2), ("seat", -0.001), ("luck", 0.801))]  # fmt: skip
    finding = luck.luck_finding(table(*rows), 4)
    assert finding.estimate == 0.801 and finding.cells["seat"] == "−0.1 ± 1.0%"
    points = {"before the deal": 0.2, "after the draft": 0.3, "after round 1": 0.6}
    rows = [{"players": 4, "point": point, **around("decided", x)} for point, x in points.items()]
    decided = luck.decided_finding(table(*rows), 4)
    assert decided.estimate == 0.3 and "after round 1 it is more than half" in decided.text
    lengths = [{"players": n, **around("rounds", 8.0, 0.1), **around("margin", 7.0, 0.2),
                "players_won": 217, "games": 40_000} for n in (2, 8)]  # fmt: skip
    assert luck.length_finding(table(*lengths)).text.count("(217 of 40,000 games)") == 2


def test_parts_too_small_for_a_bar_are_named():
    rows = [{"part": "strategy", "share": 0.6}, {"part": "seat", "share": 0.004},
            {"part": "seat_strategy", "share": -0.001}, {"part": "luck", "share": 0.4}]  # fmt: skip
    assert luck.small_parts(table(*rows)) == ["seat", "seat with strategy"]


# --- seats and solo -------------------------------------------------------------------------


def seats(*advantages, p=0.001):
    return table(*({"players": 3, "seat": seat, **around("win_rate", 1 / 3 + over),
                    "fair_share": 1 / 3, **around("over_fair", over), "p_holm": p if over else 1.0}
                   for seat, over in enumerate(advantages, 1)))  # fmt: skip


@pytest.mark.parametrize(
    ("advantages", "favoured", "less"),
    [
        ((0.05, 0.0, -0.05), "seat 1: 38.3 ± 1.0%", "seat 3: 28.3 ± 1.0%"),
        ((-0.05, 0.0, 0.05), "seat 3: 38.3 ± 1.0%", "seat 1: 28.3 ± 1.0%"),
        ((0.05, 0.03, -0.08), "seat 1: 38.3 ± 1.0%; seat 2: 36.3 ± 1.0%", "seat 3: 25.3 ± 1.0%"),
    ],
)
def test_seats_that_differ_from_fair_are_named(advantages, favoured, less):
    finding = seat_bias.seat_finding(seats(*advantages), 3)
    assert (finding.cells["favoured"], finding.cells["has less"]) == (favoured, less)
    assert finding.sure


def test_no_seat_is_named_if_none_is_significant():
    finding = seat_bias.seat_finding(seats(0.005, 0.0, -0.005, p=0.4), 3)
    assert not finding.sure and finding.cells["favoured"] == "no seat clearly"


@pytest.mark.parametrize(
    ("change", "tests", "words"),
    [(0.05, 1, "5.0 ± 1.0 percentage points more"), (-0.05, 1, "5.0 ± 1.0 percentage points less"),
     (0.001, 1, "neither"), (0.012, 1, "1.2 ± 1.0"), (0.012, 7, "neither"),
     (0.014, 7, "1.4 ± 1.0")],
)  # fmt: skip
def test_a_change_of_drafts_is_tested_with_all_player_counts(change, tests, words):
    finding = seat_bias.draft_finding(
        table({"players": 4, **around("last_change", change)}), 4, tests
    )
    (cell,) = finding.cells.values()
    assert cell.startswith(words) and finding.sure is (words != "neither")


def test_solo_findings_name_the_best_or_none():
    rows = [{"strategy": s, "level": 1, **around("success", x, 0.02), "games": 9}
            for s, x in (("a", 0.5), ("b", 0.3))]  # fmt: skip
    finding = solo_ladder.level_finding(table(*rows), 1)
    assert finding.cells == {"best strategy": "a", "success": "50.0 ± 2.0%"} and finding.sure
    none = table({"strategy": "a", "level": 1, "success": 0.0, "success_low": 0.0,
                  "success_high": 0.01, "games": 9})  # fmt: skip
    assert not solo_ladder.level_finding(none, 1).sure
    assert not solo_ladder.campaign_finding(none).sure
    rare = {"strategy": "a", "success": 8.2e-5, "success_low": 5e-5, "success_high": 1.4e-4}
    assert "1 in 12,000, with a" in solo_ladder.campaign_finding(table(rare)).text
    vague = {"strategy": "a", "success": 1.3e-10, "success_low": 1e-12, "success_high": 2e-9}
    assert "1 in" not in solo_ladder.campaign_finding(table(vague)).text
    assert solo_ladder.one_in(0.25, 0.2, 0.3) == 4
    assert math.isnan(solo_ladder.one_in(0.0, 0.0, 0.1))


def test_strategies_that_are_identical_alone_are_named():
    rows = [(name, level, rate) for name, rates in
            {"a": (0.5, 0.2), "b": (0.5, 0.1), "c": (0.5, 0.2)}.items()
            for level, rate in enumerate(rates, 1)]  # fmt: skip
    levels = pd.DataFrame(rows, columns=["strategy", "level", "success"])
    assert "a and c" in solo_ladder.same_note(levels)
    assert solo_ladder.same_note(levels[levels["strategy"] != "c"]) == ""


# --- strategies -----------------------------------------------------------------------------


def standings(a, b, half=0.01):
    rates = {"alpha": a, "beta": b, "gamma": 0.1}
    p = {s: math.erfc(abs(r - 0.5) / (half / 1.96) / math.sqrt(2)) for s, r in rates.items()}
    return table(*({"players": 2, "strategy": s, **around("win_rate", r, half), "fair_share": 0.5,
                    "p": p[s], "games": 100} for s, r in rates.items()))  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "best", "sure"),
    [(0.7, 0.6, "alpha", True), (0.6, 0.7, "beta", True), (0.7, 0.69, "alpha", False)],
)
def test_the_best_strategy_is_sure_if_it_leads_all_others(a, b, best, sure):
    finding = strategies.best_finding(standings(a, b), 2)
    assert finding.cells["wins most"] == best and finding.sure is sure
    assert finding.cells["lead"].startswith("ahead of" if sure else "not clearly ahead of")


def test_win_rates_are_tested_together():
    assert strategies.mark_sure(standings(0.7, 0.52))["sure"].all()
    assert not strategies.mark_sure(standings(0.7, 0.505))["sure"].iloc[1]


def test_pairs_are_tested_together():
    """Of three pairs, p = 0.04 is not significant: Holm doubles the second smallest."""
    pairs = [("a", "b", 0.6, 1e-5), ("a", "c", 0.52, 0.04), ("b", "c", 0.52, 0.04)]
    rows = [*pairs, *((rival, name, 1 - rate, p) for name, rival, rate, p in pairs)]
    payoffs = table(*({"players": 2, "strategy": s, "against": r, **around("win_rate", x), "p": p,
                       "games": 1} for s, r, x, p in rows))  # fmt: skip
    beats = strategies.beats_table(payoffs)
    assert beats[["strategy", "beats"]].to_numpy().tolist() == [["a", "b"]]
    finding = strategies.beats_finding(beats, standings(0.4, 0.3).replace("alpha", "a"), payoffs)
    assert "a significantly beats 1 of the 2" in finding.text


def test_ratings_are_sure_only_if_readable():
    rows = [{"players": n, "misfit": 0.25, "sure_misfit": 0.2, "readable": n > 2} for n in (2, 4)]
    ratings = table(*rows)
    assert [strategies.rating_finding(ratings, n).sure for n in (2, 4)] == [False, True]


# --- decks ----------------------------------------------------------------------------------


def claim(**values):
    rows = [{"deck": deck, **around("value", value, 0.02)} for deck, value in values.items()]
    return Claim("k", "Above", "Below", table(*rows), 0.5, "the rate")


@pytest.mark.parametrize(
    ("values", "text", "verdict", "sure"),
    [
        ({"assumed": 0.6, "x": 0.7}, "Above", "holds on every deck", True),
        ({"assumed": 0.4, "x": 0.3}, "Below", "holds on every deck", True),
        ({"assumed": 0.6, "x": 0.3}, "Above", "depends on the printed cards", True),
        ({"assumed": 0.6, "x": 0.51}, "Above", "open on some decks", True),
        ({"assumed": 0.5, "x": 0.9}, "Above", "not sure on the assumed deck itself", False),
    ],
    ids=["holds", "holds below", "reversed", "unsure", "no claim"],
)
def test_a_claim_is_judged_deck_by_deck(values, text, verdict, sure):
    judged = claim(**values)
    assert (judged.text, judged.verdict, judged.finding().sure) == (text, verdict, sure)
    row = judged.row()
    assert row["holds"] + row["unsure"] + row["reversed"] == 2
    summary = summary_finding([judged, judged], 2).text
    assert f"{2 * (verdict == 'holds on every deck')} of 2" in summary


def test_the_lead_of_the_best_strategy_is_over_each_other_on_every_deck():
    names = ["weighted", "miser", "racer"]
    contests = [paxsim.tournament(names, players=2, games=600, deck=deck, jobs=1)
                for deck in ("assumed", "flat")]  # fmt: skip
    lead = strategy_claim(contests)
    best = contests[0]["standings"].strategy.iloc[0]
    assert best in lead.text
    for contest, row in zip(contests, lead.values.itertuples(), strict=True):
        rates = contest["standings"].set_index("strategy").win_rate
        assert row.value == pytest.approx(rates[best] - rates.drop(best).max())
        assert row.value_low < row.value < row.value_high


def test_rome_is_claimed_to_be_about_as_on_the_assumed_deck():
    rates = {"assumed": 0.9, "x": 0.91, "y": 0.7, "z": 0.95}
    rows = [{"deck": d, "players": 4, **around("rome_wins", r), "games": 9, "blocks": 9}
            for d, r in rates.items()]  # fmt: skip
    (near,) = rome_claims(table(*rows), [4])
    assert near.range == "70.0 ± 1.0% (y) to 95.0 ± 1.0% (z)", "rates, not distances"
    assert [near.decks(status) for status in ("reversed", "unsure", "holds")] == [
        ["y"], ["z"], ["assumed", "x"]]  # fmt: skip


# --- meta-game ------------------------------------------------------------------------------


def game(kind="pure", **changes):
    states = table({"state": "a", "kind": kind, "basin": 1.0, "stable": True, "stable_draws": 0.98,
                    "starts": 9, **around("rome_wins", 0.98)})  # fmt: skip
    rates = {"gain": 0.02, "others_after": 0.22, "rome_after": 0.3, "rome_before": 0.98,
             "temptation": 0.05}  # fmt: skip
    columns: dict = {"state": "a", "strategy": "b", "players": 4, "before": 0.25, "after": 0.27}
    for name, rate in {**rates, **changes}.items():
        columns |= around(name, rate)
    rows = [{**columns, "seats": seats} for seats in (2, 3)]
    return {"states": states, "coalitions": table(*rows)}


def test_fighting_rome_together_is_reported_with_what_it_costs():
    finding = metagame.together_finding("d", game(), 3)
    assert finding.sure and (finding.estimate, finding.low, finding.high) == (0.3, 0.29, 0.31)
    assert finding.cells["Rome wins"] == "30.0 ± 1.0% instead of 98.0 ± 1.0%"
    assert finding.cells["each of the others"] == "22.0 ± 1.0%"
    assert finding.cells["whoever breaks the pact"].startswith("+5.0")
    loyal = metagame.together_finding("d", game(temptation=0.0), 3)
    assert loyal.cells["whoever breaks the pact"] == "no clear gain"
    assert not metagame.together_finding("d", game(rome_after=0.98), 2).sure
    assert not metagame.together_finding("d", game(), 4).sure, "no such coalition"


def test_decks_are_grouped_by_whether_leaving_together_pays():
    results = {"d": game(), "e": game(gain=-0.05), "f": game(kind="cycle")}
    text = metagame.leaving_finding(results).text
    order = ["gain on the deck d", "gain so on the deck e", "settle on the deck f"]
    assert [text.index(words) for words in order] == sorted(map(text.index, order))
    alone = metagame.alone_finding("d", results["d"])
    assert alone.sure and alone.estimate == 0.98 and alone.text.startswith("Deck d: ")


def test_every_state_that_players_reach_is_named_with_its_basin():
    rows = [("a", "pure", 0.25, 0.9), ("60% a + 40% b", "mixed", 0.65, 0.5),
            ("cycle a → b → a", "cycle", 0.1, 0.3), ("c", "pure", 0.0, 0.1)]  # fmt: skip
    columns = ["state", "kind", "basin", "rome_wins"]
    states = pd.DataFrame(rows, columns=columns).assign(stable_draws=0.5)
    states = states.assign(rome_wins_low=states["rome_wins"], rome_wins_high=states["rome_wins"])
    finding = metagame.alone_finding("d", {"states": states})
    assert not finding.sure and finding.estimate == 0.5, "the largest basin"
    parts = ["in the mixture 60% a + 40% b (65% of starts)", "with a at all seats (25%",
             "in a cycle a → b → a (10%"]  # fmt: skip
    assert [finding.text.index(part) for part in parts] == sorted(map(finding.text.index, parts))
    none = metagame.alone_finding("d", {"states": states.assign(basin=0.0)})
    assert none.estimate is None and not none.sure


def test_the_meta_game_is_about_the_deck_and_the_strategies_of_the_subject():
    decks = [deck.name for deck in metagame.decks_of(make_subject())]
    assert decks == list(metagame.DECKS)
    assert metagame.strategies_of(make_subject()) == list(metagame.STRATEGIES)
    own = make_subject(deck="steep", policies="miser,weighted")
    assert [deck.name for deck in metagame.decks_of(own)] == ["steep"]
    names = metagame.strategies_of(own)
    assert names[:2] == ["miser", "weighted"] and len(names) == metagame.MOST_STRATEGIES
