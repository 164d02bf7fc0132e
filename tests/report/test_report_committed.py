"""The committed results can be made again: the cheapest rows are played from their seed."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from paxsim.experiment.api import simulate, solo
from paxsim.experiment.result import written_number

REPORTS = Path(__file__).parent.parent.parent / "reports"
#: A row with more games is not played again here.
MOST_GAMES = 60_000


def committed(name):
    """A table of the committed report."""
    path = REPORTS / name
    if not path.exists():
        message = f"reports/{name} is not there: make report"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return pd.read_csv(path)


def cheapest(table):
    row = table.sort_values(["players", "games"]).iloc[0]
    assert row["games"] <= MOST_GAMES, "choose a cheaper row"
    return row


@pytest.mark.parametrize("name", ["lineups", "alike"])
def test_romes_rate_comes_out_the_same(name):
    row = cheapest(committed(f"rome_rate/{name}.csv"))
    row = row.rename({"strategy": "lineup"})
    result = simulate(row["lineup"].split(", "), players=int(row["players"]),
                      games=int(row["games"]), seed=int(row["seed"]), deck=row["deck"])  # fmt: skip
    again = result["rome"].iloc[0]
    for name in ("rome_wins", "rome_wins_low", "rome_wins_high", "rome_alone", "blocks"):
        assert float(written_number(again[name])) == row[name], "make report, and commit it"


def test_a_solo_level_comes_out_the_same():
    row = committed("solo_ladder/levels.csv").iloc[0]
    result = solo(row["strategy"], levels=int(row["level"]), games=int(row["games"]),
                  seed=int(row["seed"]))  # fmt: skip
    assert float(written_number(result["levels"]["success"].iloc[0])) == row["success"]


def test_the_committed_report_is_a_real_run():
    committed("rome_rate/rome_rate.csv")
    summaries = [json.loads(path.read_text("utf-8")) for path in REPORTS.glob("*/study.json")]
    assert len({summary["version"] for summary in summaries}) == 1
    assert all(summary["scale"] >= 1 for summary in summaries)
    runs = {name: games for summary in summaries for name, games in summary["runs"].items()}
    assert sum(runs.values()) >= 2_000_000


def test_no_file_is_left_of_what_studies_no_longer_write():
    committed("rome_rate/rome_rate.csv")
    for path in REPORTS.glob("*/study.json"):
        summary = json.loads(path.read_text("utf-8"))
        written = {"study.json", *(f"{table['name']}.csv" for table in summary["tables"])}
        for chart in summary["charts"]:
            written |= {f"{chart['name']}.png", f"{chart['name']}.svg"}
            written |= {f"{chart['name']}_narrow.svg"} if chart["narrow"] else set()
        assert {file.name for file in path.parent.iterdir()} == written, path.parent.name
