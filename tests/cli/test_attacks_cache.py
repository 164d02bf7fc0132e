"""Attacks on the cache of compiled code: swapped and planted files, folders that others can write.

The functions here are compiled and kept just as policies are: equal wrappers around other code.
"""

import os
import pickle
import shutil

import pytest
from numba import types

from paxsim.engine import cache as code_cache
from paxsim.engine.cache import FINGERPRINT, enable_cache
from paxsim.engine.jit import kernel, whole

ANSWERS = {"hawk": 7, "dove": 11}


def compiled(name, module=__name__):
    """A function that adds its own number, loaded from the cache where that is possible."""
    space = {"number": ANSWERS[name], "__name__": module}
    exec("def decide(x):\n return x + number\n", space)
    space["decide"] = kernel(space["decide"])
    exec(compile(f"def {name}(x):\n return decide(x)\n", f"<policy {name}>", "exec"), space)
    dispatcher = whole(space[name])
    enable_cache(dispatcher)
    dispatcher.compile(types.int64(types.int64))
    return dispatcher


def was_loaded(dispatcher):
    """Whether a function came from the cache and was not compiled."""
    return sum(dispatcher.stats.cache_hits.values()) == 1


@pytest.fixture
def said(monkeypatch):
    """What the user is told."""
    lines = []
    monkeypatch.setattr(code_cache, "tell", lines.append)
    return lines


@pytest.fixture
def cache(tmp_path, monkeypatch, said):
    """The folder of a cache that holds the code of both functions."""
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path / "cache"))
    for name in ANSWERS:
        compiled(name)
    folder = tmp_path / "cache" / FINGERPRINT
    assert len(list(folder.glob("*.nb?"))) == 4
    assert all(was_loaded(compiled(name)) for name in ANSWERS)
    return folder


def both(folder, suffix):
    """The files of the two functions."""
    return [next(folder.glob(f"*{name}*{suffix}")) for name in ANSWERS]


@pytest.mark.parametrize("suffixes", [["nbc"], ["nbi"], ["nbc", "nbi"]])
def test_swapped_files_of_two_policies_are_found_out(cache, suffixes):
    for suffix in suffixes:
        first, second = both(cache, suffix)
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(content)
    for name, number in ANSWERS.items():
        assert compiled(name)(1) == 1 + number
    assert all(was_loaded(compiled(name)) for name in ANSWERS)  # compiled again, and kept


def test_code_of_a_namesake_in_another_module_is_not_taken(cache):
    other = compiled("hawk", module="paxsim.errors")
    assert other(1) == 8
    assert not was_loaded(other)


def test_code_of_another_version_under_this_versions_name_is_not_taken(cache, monkeypatch):
    older = cache.with_name("0" * 16)
    cache.rename(older)
    monkeypatch.setattr(code_cache, "FINGERPRINT", older.name)
    monkeypatch.setattr(code_cache, "source_fingerprint", lambda: older.name)
    assert not was_loaded(compiled("hawk"))


def test_code_of_another_version_in_a_file_of_this_one_is_not_taken(cache, monkeypatch):
    older = next(cache.glob("*hawk*nbc")).read_bytes()
    newer = cache.with_name("0" * 16)
    monkeypatch.setattr(code_cache, "FINGERPRINT", newer.name)
    monkeypatch.setattr(code_cache, "source_fingerprint", lambda: newer.name)
    compiled("hawk")
    next(newer.glob("*hawk*nbc")).write_bytes(older)
    assert not was_loaded(compiled("hawk"))
    assert was_loaded(compiled("hawk"))  # compiled again, and kept


class Bomb:
    """Goes off when it is unpickled: makes a folder."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def open_to_all(folder):
    folder.chmod(0o777)


def open_to_the_group(folder):
    folder.chmod(0o775)


def open_to_strangers(folder):
    folder.chmod(0o757)


def open_above(folder):
    folder.parent.chmod(0o777)


def open_file(folder):
    folder.chmod(0o755)
    both(folder, "nbi")[0].chmod(0o666)


def linked_file(folder):
    file = both(folder, "nbc")[0]
    file.rename(folder.parent / "elsewhere")
    file.symlink_to(folder.parent / "elsewhere")


def linked_folder(folder):
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize(
    "attack",
    [
        open_to_all,
        open_to_the_group,
        open_to_strangers,
        open_above,
        open_file,
        linked_file,
        linked_folder,
    ],
    ids=lambda attack: attack.__name__,
)
def test_nothing_is_unpickled_from_a_folder_that_is_not_ones_own(cache, said, tmp_path, attack):
    attack(cache)
    for file in both(cache, "nbi"):
        file.write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    before = sorted((path, path.stat().st_mtime_ns) for path in cache.iterdir())
    said.clear()
    for name, number in ANSWERS.items():
        found = compiled(name)
        assert found(1) == 1 + number and not was_loaded(found)
    assert not (tmp_path / "exploded").exists()
    assert sorted((path, path.stat().st_mtime_ns) for path in cache.iterdir()) == before
    assert sum("is not trusted" in line for line in said) == 1


def test_files_of_somebody_else_are_not_trusted(cache, said, monkeypatch):
    if os.geteuid() == 0:
        os.chown(both(cache, "nbc")[0], 12345, 12345)
    else:
        somebody = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: somebody)
    assert not was_loaded(compiled("hawk"))
    assert any("belongs to somebody else" in line for line in said)


def test_what_the_group_may_write_is_harmless_where_it_cannot_get_in(cache):
    """With a umask of 002, as many systems have it."""
    for file in cache.iterdir():
        file.chmod(0o664)
    assert was_loaded(compiled("hawk"))


def test_new_folders_are_ones_own_whatever_the_umask(tmp_path, monkeypatch, said):
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path / "new"))
    before = os.umask(0)
    try:
        compiled("hawk")
    finally:
        os.umask(before)
    assert was_loaded(compiled("hawk"))
    assert (tmp_path / "new" / FINGERPRINT).stat().st_mode & 0o077 == 0


def test_a_cache_that_is_reached_through_a_link_is_fine(cache, monkeypatch):
    link = cache.parent.with_name("link")
    link.symlink_to(cache.parent)
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(link))
    assert was_loaded(compiled("hawk"))


@pytest.mark.parametrize("name", ["x" * 300, "/dev/null/cache", "nul\0"])
def test_a_cache_that_cannot_be_is_never_a_reason_to_fail(monkeypatch, said, name):
    monkeypatch.setattr(code_cache, "cache_folder", lambda: code_cache.Path(name))
    assert compiled("dove")(1) == 12


def test_a_cache_of_garbage_is_compiled_anew(cache):
    for number, file in enumerate(sorted(cache.iterdir())):
        file.write_bytes((b"", b"garbage", b"\x80\x05.", pickle.dumps([]))[number % 4])
    assert compiled("hawk")(1) == 8
    shutil.rmtree(cache)
    assert compiled("hawk")(1) == 8
