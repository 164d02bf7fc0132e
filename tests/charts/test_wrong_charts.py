"""Wrong calls of charts: each is refused in one line that names the argument."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import paxsim
from paxsim import charts


@pytest.fixture(scope="module")
def result():
    return paxsim.simulate("random,first", games=40)


WRONG = [
    (lambda r: charts.seat_bars(None), "source … None"),
    (lambda r: charts.seat_bars(5, ax=plt.figure().add_subplot()), "source … 5"),
    (lambda r: charts.seat_bars(r, players=9), "players … 9"),
    (lambda r: charts.seat_bars(r, players="2"), "players … '2'"),
    (lambda r: charts.seat_bars(r, lineup="nobody"), "lineup … 'nobody'"),
    (lambda r: charts.seat_bars(r["seats"].head(0)), "source"),
    (lambda r: charts.seat_bars(pd.DataFrame({"players": [2]})), "seat_bars"),
    (lambda r: charts.seat_bars(r, ax="axes"), "ax … 'axes'"),
    (lambda r: charts.seat_bars(r, caption=5), "caption … 5"),
    (
        lambda r: r.plot.seats(player=2),
        "chart seat_bars: unknown argument 'player' (did you mean 'players'?); choose from ",
    ),
    (lambda r: r.plot(colour=3), "chart forest: unknown argument 'colour'; choose from "),
    (lambda r: r.plot("seat"), "unknown plot 'seat' (did you mean 'seats'?); choose from "),
    (lambda r: r.plot(3), "unknown plot '3'; choose from "),
    (lambda r: r.plot("payoffs"), "simulate has no data"),
    (lambda r: charts.payoff_heatmap(r), "unknown table 'payoffs'"),
    (lambda r: charts.tornado(r), "unknown table 'rule_changes'"),
    (lambda r: charts.rating_forest({}), "source … {}"),
    (lambda r: charts.distribution(r, "wins"), "unknown name 'wins'"),
    (lambda r: charts.stacked_shares(r["rome"], None), ""),
    (lambda r: charts.forest(r["rome"], "x", by="deck", label=""), " … has no 'x'"),
    (lambda r: charts.forest(None, "x", by="deck", label=""), ""),
    (lambda r: charts.by_players(r, "rome_wins", by="x", label=""), " … has no 'x'"),
    (lambda r: charts.save(None, Path("chart")), "figure … None"),
    (lambda r: charts.save(plt.figure(), 5), "stem … 5"),
    (lambda r: charts.save(plt.figure(), Path("no/such/chart")), "stem: cannot write"),
]


@pytest.mark.parametrize(
    ("call", "begin"), WRONG, ids=[f"{i} {row[1]}" for i, row in enumerate(WRONG)]
)
def test_a_wrong_call_is_refused_in_one_line(call, begin, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    with pytest.raises(paxsim.PaxsimError) as error:
        call(result)
    field, _, value = begin.partition(" … ")
    assert str(error.value).startswith(field) and value in str(error.value)
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())
    plt.close("all")


def test_a_refused_chart_leaves_no_figure_behind(result):
    plt.close("all")
    with pytest.raises(paxsim.PaxsimError):
        charts.seat_bars(result, players=9)
    assert plt.get_fignums() == []
