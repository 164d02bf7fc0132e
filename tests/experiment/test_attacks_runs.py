"""Attacks by stored files: manifests that somebody edited, studies that somebody damaged."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paxsim.cli.printing import SHOWN
from support.mistakes import mistake

import paxsim
from paxsim.experiment import answers
from paxsim.experiment.design import fingerprint_of
from paxsim.experiment.store import RunDirectory, plan_of, read_manifest
from paxsim.io import misfit, whole


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- manifests ------------------------------------------------------------------------------

QUESTIONS = {
    "simulate": lambda out: paxsim.simulate("random,first", games=8, out=out),
    "compare": lambda out: paxsim.compare("random", "first", players=2, games=16, out=out),
    "solo": lambda out: paxsim.solo("random", (1, 2), games=4, out=out),
    "rules": lambda out: paxsim.compare_rules("random", ["rome_needs=5"], 2, games=8, out=out),
    "ablate": lambda out: paxsim.ablate("random,first", "peek,land", games=4, out=out),
    "tournament": lambda out: paxsim.tournament("random,first,miser", 2, games=12, out=out),
    "metagame": lambda out: paxsim.metagame("random,first", 2, games=12, out=out),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A small run of each kind, with its manifest as it was written."""
    folder = tmp_path_factory.mktemp("runs")
    for kind, ask in QUESTIONS.items():
        ask(folder / kind)
    return {
        kind: (folder / kind, (folder / kind / "manifest.json").read_text()) for kind in QUESTIONS
    }


def places(value, path=()):
    """The paths to everything in a JSON value."""
    yield path
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from places(inner, (*path, key))


DROPPED = object()
NUMBERS = st.integers() | st.floats() | st.sampled_from([0, 1, -1, 2, 3, 8, 10**30])
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=6) | st.just("first")
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)


def changed(value, path, new):
    """A copy of a JSON value with one place changed or dropped."""
    if not path:
        return {} if new is DROPPED else new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and new is DROPPED:
        del copy[path[0]]
    else:
        copy[path[0]] = new if len(path) == 1 else changed(value[path[0]], path[1:], new)
    return copy


def use_all_ways(folder):
    """Show a run, replay a game of it, and go on with it; only one kind of error is let through."""
    for way in (show_it, replay_it, resume_it):
        try:
            way(folder)
        except paxsim.PaxsimError as error:
            assert "\n" not in str(error)


def show_it(folder):
    result = answers.load_result(folder)
    SHOWN[result.manifest["question"]["kind"]](result)
    assert answers.incomplete(result) is not None and result.caption


def replay_it(folder):
    plan = plan_of(read_manifest(folder))
    plan.locate_game(0)


def resume_it(folder):
    manifest = json.loads(Path(folder, "original.json").read_text())
    plan = plan_of(manifest)
    RunDirectory(Path(folder), plan, manifest["question"], manifest["command"]).close()


@pytest.mark.parametrize("kind", QUESTIONS)
@given(data=st.data())
def test_a_manifest_that_somebody_edited_is_one_line(runs, kind, data):
    folder, text = runs[kind]
    (folder / "original.json").write_text(text)
    manifest = json.loads(text)
    path = data.draw(st.sampled_from(sorted(places(manifest), key=repr)))
    manifest = changed(manifest, path, data.draw(st.just(DROPPED) | VALUES))
    if isinstance(manifest, dict) and data.draw(st.booleans()):  # somebody who knows their way
        manifest["fingerprint"] = fingerprint_of(manifest.get("plan"))
        manifest.pop("digest", None)
        manifest["digest"] = fingerprint_of(manifest)
    try:
        (folder / "manifest.json").write_text(json.dumps(manifest))
        use_all_ways(folder)
    finally:
        (folder / "manifest.json").write_text(text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 100_000, "is damaged"),
        (b'{"a":' * 100_000, "is damaged"),
        (b"\xff", "is damaged"),
        (b"", "is damaged"),
        (b"1" * 5000, "is damaged"),
        (b"null", "is not of this version"),
        (b"[]", "is not of this version"),
        (b'{"format": 5}', "missing"),
    ],
)
def test_a_file_that_is_no_manifest_is_one_line(here, capsys, content, said):
    (here / "run" / "chunks").mkdir(parents=True)
    (here / "run" / "manifest.json").write_bytes(content)
    for words in (
        ["show", "run"],
        ["trace", "--run", "run"],
        ["run", "--policies", "random,first", "--games", "8", "--out", "run"],
    ):
        assert said in mistake(capsys, *words)


@pytest.mark.parametrize("key", ["question", "chunk_games", "plan", "decks", "policies", "command"])
def test_a_manifest_that_lacks_something_says_what(runs, here, capsys, key):
    folder, text = runs["simulate"]
    shutil.copytree(folder, here / "run")
    manifest = json.loads(text)
    del manifest[key]
    (here / "run" / "manifest.json").write_text(json.dumps(manifest))
    words = ["run", "--policies", "random,first", "--games", "8", "--out", "run"]
    assert f"{key}: missing" in mistake(capsys, *words)


def test_a_number_of_games_that_its_blocks_do_not_come_to_is_named(runs, here, capsys):
    folder, text = runs["simulate"]
    shutil.copytree(folder, here / "run")
    manifest = json.loads(text)
    manifest["plan"]["games"] += 1
    (here / "run" / "manifest.json").write_text(json.dumps(manifest))
    assert "plan.games: found 9 for 8" in mistake(capsys, "show", "run")


def test_an_unknown_kind_of_run_is_named(runs, here, capsys):
    folder, text = runs["simulate"]
    shutil.copytree(folder, here / "run")
    (here / "run" / "manifest.json").write_text(text.replace('"simulate"', '"guess"'))
    assert "question.kind: found 'guess'; allowed: simulate or " in mistake(capsys, "show", "run")


def test_a_deck_with_escapes_in_a_manifest_is_not_shown(runs, here, capsys):
    folder, text = runs["simulate"]
    shutil.copytree(folder, here / "run")
    manifest = json.loads(text)
    manifest["plan"]["bundles"][0][0]["deck"] = "\x1b[31m"
    (here / "run" / "manifest.json").write_text(json.dumps(manifest))
    assert "deck: found '\\x1b[31m'" in mistake(capsys, "show", "run")


def test_a_place_is_named_by_its_path():
    shape = {"a": [{"b": whole(0, 9)}]}
    assert misfit({"a": [{"b": 1}, {"b": 10}]}, shape) == ("a[1].b must be between 0 and 9, got 10")
    assert misfit({"a": [{"b": 1}]}, shape) is None
    assert misfit({"a": {}}, shape) == "a: found {}; allowed: a list"
