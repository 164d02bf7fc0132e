"""Studies: their names, commands, who plays in their runs, and what they compute themselves."""

import itertools
import math
import pkgutil
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import paxsim
from paxsim.cli import run_command
from paxsim.report import studies
from paxsim.report.studies import load_study, luck, rome, rules
from paxsim.report.study import GAMES, STUDIES, Runs, study_games
from paxsim.report.subject import Subject
from paxsim.stats import difference_interval
from paxsim.stats.variance import decided_shares


@pytest.fixture
def runs(tmp_path):
    return Runs(Subject(), tmp_path)


def test_every_module_is_a_study_of_the_report_with_a_question():
    assert {info.name for info in pkgutil.iter_modules(studies.__path__)} == set(STUDIES)
    for name in STUDIES:
        module = load_study(name)
        assert module.__doc__ and module.TITLE and module.QUESTION.endswith("?")


def test_every_run_belongs_to_a_study_and_shared_runs_count_once():
    assert {run for names in STUDIES.values() for run in names} == set(GAMES)
    assert study_games(*STUDIES) == sum(GAMES.values()) >= 2_000_000
    assert study_games("rome", "strategies") == study_games("rome") + GAMES["guests"]


def test_without_a_name_all_studies_are_listed_with_their_questions(capsys):
    assert run_command(["study"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in STUDIES:
        assert f"{name} {load_study(name).QUESTION[:30]}" in text


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("study lucky", "unknown study 'lucky' (did you mean 'luck'?)"),
        ("study decks --games many", "many"),
        ("study decks --games 9e14", "games must be"),
        ("study decks --out /dev/null/x", "cannot write /dev/null/x"),
        ("report --study lucky", "unknown study 'lucky'"),
        ("report --scale 0", "at most 1000"),
        *((f"{command} {words}", part) for command in ("report", "study solo_ladder")
          for words, part in (("--policies miser", "two or more"),
                              ("--policies miser,miser", "must all be different"),
                              ("--players 1-3", "1"), ("--deck none", "unknown deck 'none'"),
                              ("--rules rome_needs=99", "99"))),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_in_one_line_before_anything_is_written(
    words, part, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert run_command(words.split()) == 2
    err = capsys.readouterr().err
    assert part in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


# --- runs -----------------------------------------------------------------------------------


def test_a_run_is_named_by_what_shapes_its_games_and_not_by_the_workers(tmp_path):
    folders = []

    def simulate(out, progress, **_):
        folders.append(out)
        progress(4, 4, "")
        return SimpleNamespace(games=4)

    for seed, jobs in ((1, 1), (1, 2), (2, 2)):
        Runs(Subject(), tmp_path, seed=seed, jobs=jobs).ask("variance", simulate, policies="random")
    assert folders[0] == folders[1] != folders[2]


def test_computed_arrays_are_stored_and_recomputed_if_damaged(tmp_path):
    def numbers(seed, jobs):
        return {"n": np.array([seed, jobs])}

    def compute(jobs):
        return Runs(Subject(), tmp_path).compute("variance", 4, numbers, seed=3,
                                                 neutral={"jobs": jobs})["n"].tolist()  # fmt: skip

    assert [compute(1), compute(2)] == [[3, 1], [3, 1]]
    for content in (b"", b"garbage", b"PK\x03\x04 torn"):
        (file,) = (tmp_path / ".runs").glob("*.npz")
        file.write_bytes(content)
        assert compute(2) == [3, 2]


def test_progress_counts_every_game_once(tmp_path):
    calls = []
    runs = Runs(Subject(), tmp_path, progress=lambda done, *_: calls.append(done))
    runs.compute("rounds", 7, lambda: {"x": np.zeros(1)})
    runs.ask("mixed", paxsim.simulate, policies=["random", "first"], games=20)
    assert calls[-1] == 27 == sum(runs.games_of.values()) and calls == sorted(calls)


def test_runs_that_studies_share_are_played_once(tmp_path, monkeypatch):
    runs = Runs(Subject(players=(2, 3)), tmp_path, scale=0.0001)
    names = []
    monkeypatch.setattr(Runs, "ask", lambda self, run, *_, **__: names.append(run))
    assert runs.solo is runs.solo and runs.tournament is runs.tournament
    assert runs.mixed.keys() == {2, 3}
    assert names == ["solo", "tournament", "mixed-2", "mixed-3"]


def test_however_small_the_scale_a_tournament_can_be_played(runs):
    counts = runs.subject.players
    for players in counts:
        assert runs.tournament_games(1, counts) >= 2 * players * len(runs.lineups(players))


def test_a_tournament_plays_as_many_games_as_planned(runs):
    counts, wanted = runs.subject.players, GAMES["tournament"]
    each = runs.tournament_games(wanted, counts)
    played = 0
    for players in counts:
        lineups = len(runs.lineups(players))
        played += lineups * players * math.ceil(math.ceil(each / lineups) / players)
    assert wanted <= played < 1.02 * wanted


@pytest.mark.parametrize("players", [2, 4, 8])
def test_every_strategy_plays_equally_often_over_all_line_ups(players, runs):
    seats = Counter(name for lineup in runs.lineups(players) for name in lineup)
    assert set(seats) == set(runs.subject.strategies)
    assert max(seats.values()) - min(seats.values()) <= 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_members_of_a_population_sit_equally_often(players):
    seats = Counter(name for lineup in rome.in_turn(["a", "b", "c"], players) for name in lineup)
    assert len(set(seats.values())) == 1 and set(seats) == {"a", "b", "c"}


def test_weak_and_strong_strategies_are_the_ends_of_the_ranking():
    rows = [("a", 2, 0.60, 0.5), ("b", 2, 0.40, 0.5), ("a", 8, 0.06, 0.1), ("b", 8, 0.15, 0.1)]
    standings = pd.DataFrame(rows, columns=["strategy", "players", "win_rate", "fair_share"])
    assert rome.ranking(standings) == ["b", "a"]
    names = [f"s{number}" for number in range(8)]
    standings = pd.DataFrame(
        {"strategy": names, "players": 4, "win_rate": np.linspace(0.4, 0.1, 8), "fair_share": 0.25}
    )
    runs = SimpleNamespace(subject=SimpleNamespace(specs_of=list))
    members = rome.weak_and_strong(runs, standings)
    assert members == {"weak": names[-3:], "strong": names[:3]}


# --- what they compute themselves -----------------------------------------------------------


def test_changes_of_win_rates_are_taken_within_blocks():
    """Against the raw games: a t interval over the differences of blocks."""
    lineup, variant, blocks, seed = ["racer", "miser", "racer"], {"rome_needs": 6}, 40, 5
    result = paxsim.compare_rules(lineup, [variant], players=3, games=3 * blocks, seed=seed, jobs=1)
    table = rules.win_changes([result]).set_index("strategy")
    shares = []
    for changed in (None, variant):
        batch = paxsim.play_batch(lineup, deals=blocks, rotations="all", seed=seed, rules=changed)
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


def test_reshuffling_leaves_seen_cards_and_those_that_players_put_back():
    game = paxsim.Game(players=3, seed=2)
    while game.record["table"]["round"] < 2:
        game.apply(0)
    table, before = game.record["table"], game.state()
    end = int(table["deck_top"]) + int(table["deck_left"]) - 3
    tops = set()
    for seed in range(5):
        luck.shuffle_undealt(game, end, np.random.default_rng(seed))
        after = game.state()
        assert after["deck"][-3:] == before["deck"][-3:]
        assert sorted(after["deck"]) == sorted(before["deck"])
        assert {**after, "deck": 0} == {**before, "deck": 0}
        tops.add(after["deck"][0])
    assert len(tops) > 1, "the next card to be drawn is among them"


def test_copies_that_keep_their_deck_end_as_the_game(monkeypatch):
    monkeypatch.setattr(luck, "shuffle_undealt", lambda game, end, rng: None)
    lineup = ["weighted", "starver", "tribune"]
    shares = luck.redeal_games([lineup], 6, 1, {})["shares"]
    batch = paxsim.play_batch(lineup, deals=6, rotations="all", seed=1)
    own = np.rint(batch.shares.reshape(6, 3, 3)[np.arange(6), np.arange(6) % 3] * 840)
    assert (shares == own[:, None, None, :]).all()


def test_more_is_decided_from_the_draft_to_the_end():
    arrays = luck.redeal_games([["weighted", "starver"]], 60, 1, {})
    decided = [share for share, _, _ in decided_shares(arrays["shares"])]
    assert decided[0] < decided[4] < decided[-1] <= 1 and decided[-1] > 0.8
    undealt = arrays["undealt"]
    assert (np.diff(undealt, axis=1) <= 0).all() and (undealt[:, 0] > 20).all()
    # Where at most one card is undealt, all copies are one game, and the table has no row.
    over = undealt.max(axis=0) < 2
    assert over[-1] and (np.array(decided)[over] == 1.0).all()
    table = luck.decided_table(arrays["shares"], undealt, (0.2, 0.1, 0.3))
    assert len(table) == 1 + np.count_nonzero(~over) and table["undealt"].iloc[1:].min() > 0


def test_the_lead_can_pass_from_the_first_seat_to_another(runs):
    winner = luck.standings([runs.sample_lineup(4)], 20, 3, {})["winner"]
    games = [row[row != luck.OVER].tolist() for row in winner]
    passes = [pair for leads in games for pair in itertools.pairwise(leads)]
    assert any(a == 0 and b > 0 for a, b in passes)
    assert {leads[-1] for leads in games} > {0}
