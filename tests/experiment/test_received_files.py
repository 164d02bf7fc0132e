"""Files from others: whatever is in them, they are read, or refused in one line."""

import json
import tomllib
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paxsim
from paxsim.analysis.game import retrace
from paxsim.board.session import Arrangement, Host, read_save
from paxsim.errors import PaxsimError
from paxsim.experiment import load_result, store
from paxsim.experiment.design import facts_of, fingerprint_of, without_length
from paxsim.experiment.result import check_table_folder, incomplete
from paxsim.policies import registry
from paxsim.table_views import blocks_of
from paxsim.trace import trace_game, trace_texts
from paxsim.tuning.record import TuningRecord

RUNS = {
    "compare": lambda out: paxsim.compare("random", "first", players=2, games=16, out=out),
    "solo": lambda out: paxsim.solo("random", (1, 2), games=4, out=out),
    "ablate": lambda out: paxsim.ablate("random,first", "peek,land", games=4, out=out),
    "metagame": lambda out: paxsim.metagame("random,first", 2, games=12, out=out),
    "permuted": lambda out: paxsim.simulate("random,first", permutations=True, games=4, out=out),
}
GONE, FEW = object(), st.integers(0, 3)
VALUES = [
    None, True, -1, 0, 1, 2, 9, 2**63, 10**30, 0.5, float("nan"), 1e300, "", "first", "a\nb",
    "\ud800", "evil.py:evil", "search:self=evil.py:evil", "$x^{$", "land/1/2", "land/9/9",
    [], [1], [[0]], ["land/1/2"], {}, {"a": 1}, GONE,
]  # fmt: skip
#: Policy files that were imported; there must be none.
imported = []


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with valid files of each kind."""
    root = tmp_path_factory.mktemp("received")
    for kind, ask in RUNS.items():
        ask(root / kind)
    for name, players in (("game", 2), ("solo", 1)):
        lineup = paxsim.make_lineup("random", players)
        text = "".join(trace_texts(paxsim.make_setting(players), lineup, 3, 0, 1, 0))
        (root / f"{name}.jsonl").write_text(text)
    host = Host(Arrangement([None, "random"], 5), root / "save.json", root / "out.jsonl")
    while len(host.session.options) < 8:
        if not host.step():
            host.decide(1, len(host.session.options), 0)
    record = TuningRecord({"seed": 1}, 2, root / "tuning")
    record.add(0, 0, [0.5, 1.0])
    record.close()
    paxsim.simulate("first", players=2, games=4).to_csv(root / "csv")
    deck = resources.files("paxsim").joinpath("decks", "assumed.toml").read_text("utf-8")
    (root / "deck.toml").write_text(deck.replace('"assumed"', '"mine"'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "import_user_file", imported.append)
        yield root


def refused_in_one_line(use, *arguments):
    try:
        use(*arguments)
    except PaxsimError as error:
        assert str(error) and "\n" not in str(error)


def use_run(path):
    for use in (show, trace_one, RUNS[path.parent.name]):
        refused_in_one_line(use, path.parent)


def show(folder):
    result = load_result(folder)
    assert list(blocks_of(result)) and incomplete(result) is not None and result.caption
    assert [result[name] for name in result] and result._repr_html_()


def trace_one(folder):
    match, *game = store.plan_of(folder).locate_game(3)
    assert list(trace_game(match.setting, *game))


def use_trace(path):
    replay = paxsim.replay(path)
    assert replay.sentences() and replay._repr_html_().encode()
    retrace(replay.events)


def use_save(path):
    arrangement, games = read_save(path)
    path.with_name("new.jsonl").unlink(missing_ok=True)
    Host(arrangement, path, path.with_name("new.jsonl"), games)


MANIFESTS = [f"{kind}/manifest.json" for kind in RUNS]
READERS = {
    **dict.fromkeys(MANIFESTS, use_run),
    "game.jsonl": use_trace,
    "solo.jsonl": use_trace,
    "save.json": use_save,
    "tuning/tuning.json": lambda path: TuningRecord({"seed": 1}, 2, path.parent).close(),
    "csv/tables.json": lambda path: check_table_folder("csv", path.parent),
    "deck.toml": paxsim.load_deck,
}


def use_changed(path, content, use):
    """Use a file with other content, and put the old one back."""
    before = path.read_bytes()
    try:
        path.write_bytes(content)
        refused_in_one_line(use, path)
    finally:
        path.write_bytes(before)
    assert imported == []


def changed_bytes(data, content):
    """Replace, insert or remove some bytes, or cut the end off."""
    first = data.draw(st.integers(0, len(content)))
    last = data.draw(st.sampled_from([first, first + 1, first + 8, len(content)]))
    return content[:first] + data.draw(st.binary(max_size=8)) + content[last:]


@pytest.mark.parametrize("name", [name for name in READERS if name not in MANIFESTS[1:]])
@given(data=st.data())
def test_any_bytes_are_read_or_refused(files, name, data):
    path = files / name
    for content in (data.draw(st.binary(max_size=50)), changed_bytes(data, path.read_bytes())):
        use_changed(path, content, READERS[name])


def changed(data, value, below=True):
    """Return a JSON value with something below it replaced or left out."""
    if not isinstance(value, (dict, list)) or not value or not (below or data.draw(FEW)):
        return data.draw(st.sampled_from(VALUES))
    items = dict(value if isinstance(value, dict) else enumerate(value))
    key = data.draw(st.sampled_from(sorted(items)))
    items[key] = changed(data, items[key], below=False)
    kept = {key: inner for key, inner in items.items() if inner is not GONE}
    return kept if isinstance(value, dict) else list(kept.values())


def as_toml(value):
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(k)} = {as_toml(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return "1979-05-27" if value is None else json.dumps(value).replace("NaN", "nan")


def sealed(content):
    """Return a manifest or record as text, with the right digest, which is no secret."""
    if content.pop("digest", None) is not None:
        content["digest"] = fingerprint_of(content)
    return json.dumps(content)


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_changed_values_are_read_or_refused(files, name, data):
    text = (files / name).read_text()
    if name.endswith(".jsonl"):
        events = changed(data, [json.loads(line) for line in text.splitlines()])
        text = "\n".join(map(json.dumps, events))
    elif name.endswith(".toml"):
        deck = changed(data, tomllib.loads(text))
        text = "\n".join(f"{json.dumps(key)} = {as_toml(value)}" for key, value in deck.items())
    else:
        text = sealed(changed(data, json.loads(text)))
    use_changed(files / name, text.encode(), READERS[name])


@pytest.mark.parametrize("kind", RUNS)
@settings(max_examples=12)
@given(data=st.data())
def test_changed_chunks_are_read_or_refused(files, kind, data):
    path = data.draw(st.sampled_from(sorted((files / kind / "chunks").iterdir())))
    plan = store.read_manifest(files / kind)["plan"]
    chunks, _ = store.find_chunks(path.parent, plan["blocks"])
    (chunk,) = (chunk for chunk in chunks if store.chunk_name(chunk) == path.name)
    owner = store.chunk_owner(chunk, fingerprint_of(without_length(plan)))
    tally = store.read_chunk(path, owner, facts_of(plan)[chunk.bundle], chunk.blocks)
    name = data.draw(st.sampled_from(sorted(tally)))
    change = data.draw(st.sampled_from(["bytes", "shape", "number"]))
    if change == "shape":
        tally[name] = tally[name].ravel()[1:]
    else:
        place = data.draw(st.integers(0, tally[name].size - 1))
        tally[name].flat[place] = data.draw(st.sampled_from([-(2**63), -1, 0, 7, 2**62]))
    content = store.encode_chunk(tally, owner)
    if change == "bytes":
        content = changed_bytes(data, path.read_bytes())
    use_changed(path, content, lambda path: use_run(path.parent))


#: Runs that would make the engine read beyond its arrays, or fill the memory.
IMPOSSIBLE = {
    "orders": lambda run, match: match.update(orders=[[0]]),
    "rotations": lambda run, match: match.update(rotations=[0, 2**40]),
    "policies": lambda run, match: [
        match[key].pop() for key in ("policies", "policy_fingerprints")
    ],
    "blocks": lambda run, match: run["plan"].update(blocks=[True]),
    "games": lambda run, match: run["plan"].update(games=10**30),
    "cards": lambda run, match: [*run["decks"].values()][0]["cards"].update({"land/1/2": 10**12}),
    "deck": lambda run, match: match.update(deck="mine"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_run_that_cannot_be_is_refused(name, files, tmp_path):
    manifest = json.loads((files / "permuted/manifest.json").read_text())
    IMPOSSIBLE[name](manifest, manifest["plan"]["bundles"][0][0])
    (tmp_path / "manifest.json").write_text(sealed(manifest))
    with pytest.raises(PaxsimError):
        store.plan_of(tmp_path)


@pytest.mark.parametrize("read", [store.read_manifest, read_save, paxsim.load_deck])
def test_a_device_is_refused(read, tmp_path):
    """Its bytes never end."""
    name = {read_save: "game.json", paxsim.load_deck: "deck.toml"}.get(read, "")
    (tmp_path / (name or "manifest.json")).symlink_to("/dev/zero")
    with pytest.raises(PaxsimError, match="not a regular file"):
        read(tmp_path / name)
