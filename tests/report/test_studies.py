"""The studies are part of the package: all are found, and none needs a file beside it."""

import ast
import itertools
import math
import pkgutil
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from paxsim.report.budget import GAMES, STUDIES
from paxsim.report.studies.rulings import win_changes
from scipy import stats

import paxsim
from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment.api import compare_rules
from paxsim.report import studies
from paxsim.report.studies import decided, findings, load_study, luck
from paxsim.report.study import Options, Study
from paxsim.report.subject import Subject
from paxsim.stats import decided_shares, difference_interval

PACKAGE = Path(paxsim.__file__).parent


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_of_the_plan_is_in_the_package_and_says_what_it_asks(name):
    module = load_study(name)
    assert Path(module.__file__).is_relative_to(PACKAGE)
    assert module.__doc__ and module.QUESTION.endswith("?") and module.TITLE
    assert callable(module.run)


def test_the_plan_has_every_study():
    modules = [info.name for info in pkgutil.iter_modules(studies.__path__, f"{studies.__name__}.")]
    sources = {name: (PACKAGE / "studies" / f"{name.split('.')[-1]}.py") for name in modules}
    with_run = {
        name.split(".")[-1]
        for name, path in sources.items()
        if re.search(r"^def run\(study: Study\)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert with_run == set(STUDIES)


def imports_of(path):
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_studies_know_the_report_and_of_the_report_only_build_knows_studies():
    known = {"paxsim.report.study", "paxsim.report.subject", "paxsim.report.budget"}
    for path in (PACKAGE / "studies").glob("*.py"):
        of_report = [name for name in imports_of(path) if name.startswith("paxsim.report")]
        assert all(name.startswith(tuple(known)) for name in of_report), path.name
    knowing = [
        path.name
        for path in (PACKAGE / "report").glob("*.py")
        if any(name.startswith("paxsim.report.studies") for name in imports_of(path))
    ]
    assert knowing == ["build.py"]


@pytest.mark.parametrize("folder", ["studies", "report"])
def test_nothing_is_loaded_from_outside_the_package(folder):
    for path in (PACKAGE / folder).glob("*.py"):
        text = path.read_text("utf-8")
        assert "experiments" not in text and "spec_from_file_location" not in text, path.name


def test_a_study_that_there_is_not_is_refused():
    with pytest.raises(PaxsimError, match="unknown study 'luck'; choose from rome_rate, "):
        load_study("luck")


# --- the command ----------------------------------------------------------------------------


def test_without_a_name_all_studies_are_listed_with_their_questions(capsys):
    assert run_command(["study"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in STUDIES:
        assert f"{name} {load_study(name).QUESTION[:30]}" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("study luck", "unknown study 'luck'; choose from rome_rate"),
        ("study rome_rat", "unknown study 'rome_rat' (did you mean 'rome_rate'?); choose from "),
        ("study decks --games many", "games: found 'many'"),
        ("study decks --games 9e14", "games: found 9e14; allowed for decks: at most"),
        ("study decks --out /dev/null/x", "out: cannot write /dev/null/x"),
        ("report --study luck", "unknown study 'luck'; choose from "),
        ("report --scale 0", "scale: found 0.0; allowed: above 0, at most 1000"),
    ],
)
def test_a_mistake_is_one_line(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command(arguments.split()) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


# --- what they play -------------------------------------------------------------------------


def test_however_small_the_scale_a_tournament_can_be_played():
    subject = Subject()
    for players in subject.players:
        lineups = findings.draw_lineups(list(subject.found.values()), players)
        asked = findings.tournament_games(1, subject.strategies, subject.players)
        assert asked >= 2 * players * len(lineups)


@pytest.mark.parametrize("players", [2, 4, 8])
def test_in_the_mixed_field_every_strategy_plays_equally_often(players, tmp_path):
    """With every player count, so that a difference between counts is not one of members."""
    study = Study("rome_rate", "", "", Options(tmp_path))
    names = study.subject.strategies
    lineups = findings.mixed_lineups(study, players)
    seats = Counter(name for lineup in lineups for name in lineup)
    assert set(seats) == set(names) and max(seats.values()) - min(seats.values()) <= 1


def test_strategies_are_ranked_by_what_they_won_of_their_fair_share():
    """Over all counts; with a count, by their win rates there."""
    rows = [("a", 2, 0.60, 0.5), ("b", 2, 0.40, 0.5), ("a", 8, 0.06, 0.1), ("b", 8, 0.15, 0.1)]
    standings = pd.DataFrame(rows, columns=["strategy", "players", "win_rate", "fair_share"])
    assert findings.ranking(standings) == ["b", "a"]
    assert findings.ranking(standings, 2) == ["a", "b"]


def test_the_weak_and_the_strong_field_are_the_ends_of_the_ranking():
    names = [f"s{number}" for number in range(8)]
    standings = pd.DataFrame(
        {"strategy": names, "players": 4, "win_rate": np.linspace(0.4, 0.1, 8), "fair_share": 0.25}
    )
    study = SimpleNamespace(subject=SimpleNamespace(specs=list))
    found = findings.weak_and_strong(study, standings)
    assert found == {"weak": names[-3:], "strong": names[:3]}


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_members_of_a_field_sit_equally_often_with_every_player_count(players):
    lineups = findings.in_turn(["a", "b", "c"], players)
    seats = Counter(name for lineup in lineups for name in lineup)
    assert len(set(seats.values())) == 1 and set(seats) == {"a", "b", "c"}


def test_the_number_of_workers_does_not_name_another_run(tmp_path):
    def numbers(seed, jobs):
        return {"found": np.array([seed, jobs])}

    found = []
    for jobs in (1, 2):
        study = Study("decks", "", "", Options(tmp_path, jobs=jobs))
        found.append(study.compute("variance", 4, numbers, seed=3, how={"jobs": jobs})["found"])
    assert [row.tolist() for row in found] == [[3, 1], [3, 1]]  # the second was on disk


def test_the_seed_names_another_run_of_a_question_and_the_number_of_workers_does_not(tmp_path):
    folders = []

    def simulate(out, **arguments):
        folders.append(out)
        return SimpleNamespace(games=4)

    for seed, jobs in ((1, 1), (1, 2), (2, 2)):
        study = Study("decks", "", "", Options(tmp_path, seed=seed, jobs=jobs))
        study.ask("variance", simulate, policies="random")
    assert folders[0] == folders[1] != folders[2]


def test_the_bar_of_a_study_is_full_at_its_end(tmp_path):
    counted = []
    study = Study("decks", "", "", Options(tmp_path))
    study.options.progress.count = counted.append
    study.compute("leads", 7, lambda: {"x": np.zeros(1)})
    study.ask("mixed", paxsim.simulate, policies=["random", "first"], games=20)
    assert sum(counted) == 7 + 20 == sum(study.runs.values())


def test_changes_of_win_rates_are_taken_within_blocks():
    """Against the raw games: a t interval over the differences of blocks."""
    lineup, variant, blocks, seed = ["racer", "miser", "racer"], {"rome_needs": 6}, 40, 5
    result = compare_rules(lineup, [variant], players=3, games=3 * blocks, seed=seed, jobs=1)
    table = win_changes([result]).set_index("strategy")
    shares = []
    for rules in (None, variant):
        batch = paxsim.play_batch(lineup, deals=blocks, rotations="all", seed=seed, rules=rules)
        by_position = np.take_along_axis(batch.shares, np.argsort(batch.positions, axis=1), axis=1)
        shares.append(by_position.reshape(blocks, 3, 3).mean(axis=1))
    change = shares[1] - shares[0]
    for name, places in {"racer": [0, 2], "miser": [1]}.items():
        within = change[:, places].mean(axis=1)
        differing = max(np.count_nonzero(change[:, place]) for place in places)
        error = float(stats.sem(within))
        expected = difference_interval(float(within.mean()), error, blocks, differing)
        row = table.loc[name]
        assert row["change"] == pytest.approx(within.mean(), abs=1e-12)
        assert (row["change_low"], row["change_high"]) == pytest.approx(
            (expected.low, expected.high), abs=1e-9
        )


def test_a_tournament_plays_as_many_games_as_planned():
    """630,000 at scale 1; every player count has as many."""
    subject = Subject()
    names, wanted = subject.strategies, GAMES["tournament"]
    each = findings.tournament_games(wanted, names, subject.players)
    found = [paxsim.get_policy(name) for name in names]
    played = 0
    for players in subject.players:
        lineups = len(findings.draw_lineups(found, players))
        played += lineups * players * math.ceil(math.ceil(each / lineups) / players)
    assert wanted <= played < 1.02 * wanted
    assert findings.games_asked(7_000, (2, 3, 4)) * 3 == pytest.approx(7_000, rel=0.01)


def test_cards_dealt_anew_leave_what_was_seen_and_what_was_put_back():
    game = paxsim.Game(players=3, seed=2)
    while game.record["table"]["round"] < 2:
        game.apply(0)
    table, before = game.record["table"], game.state()
    top, left = int(table["deck_top"]), int(table["deck_left"])
    luck.shuffle_undealt(game, top + left - 3, np.random.default_rng(1))
    after = game.state()
    assert after["deck"] != before["deck"] and after["deck"][-3:] == before["deck"][-3:]
    assert sorted(after["deck"]) == sorted(before["deck"])
    tops = set()
    for seed in range(5):
        luck.shuffle_undealt(game, top + left - 3, np.random.default_rng(seed))
        tops.add(game.state()["deck"][0])
    assert len(tops) > 1  # the next card to be drawn is among them
    assert {k: v for k, v in after.items() if k != "deck"} == {
        k: v for k, v in before.items() if k != "deck"
    }


def test_a_game_dealt_anew_without_a_change_ends_as_it_did(monkeypatch):
    """Copies that keep their deck are the game itself: all is decided from the draft on."""
    monkeypatch.setattr(luck, "shuffle_undealt", lambda game, end, rng: None)
    lineup = ["weighted", "starver", "tribune"]
    shares = luck.redeal_games([lineup], 6, 1, {})["shares"]
    batch = paxsim.play_batch(lineup, deals=6, rotations="all", seed=1)
    own = np.rint(batch.shares.reshape(6, 3, 3)[np.arange(6), np.arange(6) % 3] * 840)
    assert (shares == own[:, None, None, :]).all()


def test_what_is_decided_grows_from_the_draft_to_the_end():
    played = luck.redeal_games([["weighted", "starver"]], 60, 1, {})
    found = [share for share, _, _ in decided_shares(played["shares"])]
    assert found[0] < found[4] < found[-1] <= 1
    assert found[-1] > 0.8
    undealt = played["undealt"]
    assert (np.diff(undealt, axis=1) <= 0).all() and (undealt[:, 0] > 20).all()
    # Where no card is left that could come otherwise, all copies are one game: no row of the table.
    over = undealt.max(axis=0) < 2
    assert over[-1] and (np.array(found)[over] == 1.0).all()
    table = luck.decided_table(played["shares"], undealt, (0.2, 0.1, 0.3))
    assert len(table) == 1 + np.count_nonzero(~over)
    assert table["undealt"].iloc[1:].min() > 0


def test_a_lead_can_pass_from_the_first_seat_to_another(tmp_path):
    """Every round is scored afresh: who led before does not lead because of that."""
    lineup = findings.sample_lineup(Study("decided", "", "", Options(tmp_path)), 4)
    winner = decided.standings([lineup], 20, 3, {})["winner"]
    games = [row[row != decided.OVER].tolist() for row in winner]
    passed = [(a, b) for leads in games for a, b in itertools.pairwise(leads)]
    assert any(a == 0 and b > 0 for a, b in passed)
    assert {leads[-1] for leads in games} > {0}
