"""The committed report can be repeated: its cheapest rows are played again from their seed."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

import paxsim
from paxsim.experiment.result import written_number
from paxsim.report.study import STUDIES

REPORTS = Path(__file__).parent.parent.parent / "reports"
#: Rows with more games are not played again here.
MOST_GAMES = 60_000


def committed(name):
    """Return a table of the committed report."""
    path = REPORTS / name
    if not path.exists():
        message = f"reports/{name} is missing: make report"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return pd.read_csv(path)


@pytest.mark.parametrize("name", ["lineups", "uniform"])
def test_romes_rate_is_the_same_again(name):
    table = committed(f"rome/{name}.csv")
    row = table.sort_values(["players", "games"]).iloc[0].rename({"strategy": "lineup"})
    assert row["games"] <= MOST_GAMES, "choose a cheaper row"
    result = paxsim.simulate(
        row["lineup"].split(", "), players=int(row["players"]), games=int(row["games"]),
        seed=int(row["seed"]), deck=row["deck"],
    )  # fmt: skip
    again = result["rome"].iloc[0]
    for name in ("rome_wins", "rome_wins_low", "rome_wins_high", "rome_alone", "blocks"):
        assert float(written_number(again[name])) == row[name], "make report, and commit it"


def test_a_solo_level_is_the_same_again():
    row = committed("solo_ladder/levels.csv").iloc[0]
    result = paxsim.solo(row["strategy"], levels=int(row["level"]), games=int(row["games"]),
                         seed=int(row["seed"]))  # fmt: skip
    assert float(written_number(result["levels"]["success"].iloc[0])) == row["success"]


def test_the_report_is_complete_and_small():
    tables = [committed(path.relative_to(REPORTS)) for path in REPORTS.glob("*/*.csv")]
    assert len({version for table in tables for version in table["version"]}) == 1
    page = (REPORTS / "index.html").read_text("utf-8")
    links = set(re.findall(r'"(\w+/\w+\.(?:csv|svg))"', page))
    files = {str(path.relative_to(REPORTS)) for path in REPORTS.rglob("*")
             if path.is_file() and ".runs" not in path.parts}  # fmt: skip
    assert files == links | {"index.html"}
    assert {name.partition("/")[0] for name in links} == set(STUDIES)
    assert sum((REPORTS / name).stat().st_size for name in files) < 3e6
