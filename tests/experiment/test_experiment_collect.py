"""Workers that vanish, answer twice or in any order: every chunk counts once, in its place."""

import os
import pickle
import random
from concurrent.futures import BrokenExecutor

import numpy as np
import pytest

from paxsim.errors import PaxsimError
from paxsim.experiment import simulate
from paxsim.experiment.api import MAX_GAMES
from paxsim.experiment.design import MOST_CHUNKS, Chunk, Plan, make_match
from paxsim.experiment.run import MOST_LOSSES, answer_work, play_work, run_plan
from paxsim.experiment.store import RunDirectory
from paxsim.experiment.tally import WIN
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting


def plan_of(blocks=(30, 20), chunk_games=6):
    """Two bundles of three and two players, in chunks of two and three blocks."""
    bundles = tuple(
        (make_match(make_setting(players), make_lineup("random", players)),) for players in (3, 2)
    )
    return Plan(bundles, blocks, 4, chunk_games)


def same(found, expected):
    return [tally.keys() for tally in found] == [tally.keys() for tally in expected] and all(
        np.array_equal(one[name], other[name])
        for one, other in zip(found, expected, strict=True)
        for name in one
    )


@pytest.fixture(scope="module")
def expected():
    return run_plan(plan_of(), jobs=1)


def shuffled_and_twice(chunks, work_of, jobs):
    answers = [answer_work(chunk, work_of(chunk)) for chunk in chunks] * 2
    random.Random(3).shuffle(answers)
    yield from answers


def forgetful(chunks, work_of, jobs):
    """Every third chunk is gone with its worker."""
    for number, chunk in enumerate(chunks):
        if number % 3 or len(chunks) < 3:
            yield answer_work(chunk, work_of(chunk))


def breaking(chunks, work_of, jobs):
    """All workers end when half of the chunks are played."""
    for chunk in chunks[: -(-len(chunks) // 2)]:
        yield answer_work(chunk, work_of(chunk))
    if len(chunks) > 1:
        raise BrokenExecutor("killed")


def meddlesome(chunks, work_of, jobs):
    """Answers also for chunks that nobody asked for."""
    for chunk in chunks:
        elsewhere = Chunk(chunk.bundle, chunk.first_block + 1, chunk.blocks)
        yield answer_work(elsewhere, work_of(elsewhere))
        yield answer_work(chunk, work_of(chunk))


@pytest.mark.parametrize("crew", [shuffled_and_twice, forgetful, breaking, meddlesome])
def test_whatever_becomes_of_answers_every_chunk_counts_once(crew, expected):
    seen = []
    found = run_plan(
        plan_of(), jobs=1, crew=crew, progress=lambda standing, games: seen.append(games)
    )
    assert same(found, expected)
    assert sum(seen) == plan_of().games and 0 not in seen


@pytest.mark.parametrize("crew", [shuffled_and_twice, forgetful, meddlesome])
def test_every_chunk_is_kept_once_and_found_again(crew, expected, tmp_path):
    plan = plan_of()
    store = RunDirectory(tmp_path / "run", plan, {"kind": "simulate"}, "test")
    saved = []
    save = store.save
    store.save = lambda chunk, tally: (saved.append(chunk), save(chunk, tally))
    try:
        run_plan(plan, jobs=1, crew=crew, store=store)
        (chunks,) = plan.chunks()
        assert sorted(saved, key=chunks.index) == chunks
        assert same(run_plan(plan, jobs=1, crew=None, store=store), expected)
        assert sorted(saved, key=chunks.index) == chunks
    finally:
        store.close()


def test_workers_that_never_answer_are_said():
    with pytest.raises(PaxsimError, match="workers gave no answer"):
        run_plan(plan_of(), jobs=1, crew=lambda chunks, work_of, jobs: iter(()))


def test_a_run_that_loses_its_workers_again_and_again_ends():
    tries = []

    def one_at_a_time(chunks, work_of, jobs):
        tries.append(len(chunks))
        yield answer_work(chunks[0], work_of(chunks[0]))
        raise BrokenExecutor("killed")

    with pytest.raises(BrokenExecutor, match="killed"):
        run_plan(plan_of(), jobs=1, crew=one_at_a_time)
    assert len(tries) == MOST_LOSSES + 1


MORTAL = """
import multiprocessing, os
import paxsim

if multiprocessing.current_process().name != "MainProcess":
    try:
        os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        pass
    else:
        os._exit(3)

@paxsim.policy
def mortal(table, me, choice):
    return 0
"""


@pytest.mark.whole
def test_a_run_survives_a_worker_that_is_killed(tmp_path):
    mark = tmp_path / "one has died"
    file = tmp_path / "mortal.py"
    file.write_text(MORTAL.format(mark=str(mark)))
    asked = dict(games=400, chunk_games=40, jobs=2)
    here = simulate(f"{file},random", **asked)["strategies"]
    assert not os.path.exists(mark)
    there = simulate(f"{file},random", backend="processes", **asked)["strategies"]
    assert os.path.exists(mark)
    assert there.equals(here)


def test_a_run_of_any_length_has_a_bounded_number_of_chunks():
    for games in (10**9, 10**10, 10**12):
        plan = plan_of((games // 6, games // 4), chunk_games=1)
        (chunks,) = plan.chunks()
        assert 0.99 * MOST_CHUNKS <= len(chunks) <= 1.01 * MOST_CHUNKS
        assert sum(chunk.blocks for chunk in chunks) == sum(plan.blocks)


@pytest.mark.parametrize(("players", "permutations"), [(1, False), (8, False), (5, True)])
def test_sums_over_the_most_games_fit_into_64_bits(players, permutations):
    """The largest are products of shares, if one seat won every game."""
    setting = make_setting(players, solo_level=1 if players == 1 else None)
    match = make_match(setting, make_lineup("random", players), permutations)
    largest_of_block = (WIN * match.block_size) ** 2
    blocks = -(-MAX_GAMES // match.block_size)
    # Several line-ups may be played as one bundle, with as many games as all of them.
    assert 5 * blocks * largest_of_block < 2**63


def test_a_worker_adds_up_the_pieces_of_a_large_chunk(monkeypatch):
    work = plan_of().work(Chunk(0, 5, 23))
    whole = play_work(work)
    assert len(work.pieces()) == 1
    monkeypatch.setattr("paxsim.experiment.design.PIECE_GAMES", 14)
    assert [piece.blocks for piece in work.pieces()] == [4, 4, 4, 4, 4, 3]
    assert same([play_work(work)], [whole])


def test_a_worker_is_sent_what_is_played_and_nothing_that_it_can_make():
    match = make_match(make_setting(4), make_lineup("random", 4))
    before = len(pickle.dumps(match.setting))
    match.setting.new_game()
    assert len(pickle.dumps(match.setting)) == before
    assert pickle.loads(pickle.dumps(match.setting)) == match.setting
