"""Policies of users: in files, notebooks and packages, their names, and other processes."""

import copy
import importlib
import json
import linecache
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba.core import event

import paxsim
from paxsim.cli import run_command
from paxsim.policies import registry

THRIFTY = '''
import paxsim
from paxsim.helpers import BUY, price_of_legion


@paxsim.policy
def {name}(table, me, choice, top=3.0, reserve=0):
    """Buy only what is cheap."""
    if choice.kind == BUY:
        for option in range(choice.count - 1):
            price = price_of_legion(table, me.seat, choice.options[option])
            if price <= top and me.money - price >= reserve:
                return option
        return choice.count - 1
    return 0
'''


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Forget what a test registers."""
    for name in registry.BUILT_IN:
        paxsim.get_policy(name)
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    yield
    registry.load_entry_points.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make an empty folder the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, source):
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return path


def body(name, lines, arguments="table, me, choice"):
    """Return the source of a policy with this body."""
    head = f"import paxsim\n\n@paxsim.policy\ndef {name}({arguments}):\n"
    return head + textwrap.indent(f"{lines}\n", "    ")


def complaint(function, *arguments, **keywords):
    """Return the one line that a call is refused with."""
    with pytest.raises(paxsim.PaxsimError) as error:
        function(*arguments, **keywords)
    assert "\n" not in str(error.value)
    return str(error.value)


def games(*policies, **keywords):
    """Return the results of some games as bytes."""
    return paxsim.play_batch(list(policies), deals=12, seed=1, **keywords).results.tobytes()


# --- plugging in ----------------------------------------------------------------------------


def test_decorated_function_plays_under_its_name_and_as_an_object():
    @paxsim.policy
    def decorated(table, me, choice, where=0.0):
        """Take the option at some part of the list."""
        return int(where * (choice.count - 1))

    assert (decorated.name, decorated.params) == ("decorated", {"where": 0.0})
    assert decorated.idea == "Take the option at some part of the list."
    assert "decorated" in paxsim.list_policies()
    assert games("decorated", "random") == games(decorated, "random") == games("first", "random")
    other = decorated.with_params({"where": 1})
    assert other.label == "decorated:where=1.0"
    assert (
        games(other, "random") == games("decorated:where=1", "random") != games("first", "random")
    )


def test_helpers_can_be_named_by_their_module():
    @paxsim.policy
    def dotted(table, me, choice):
        """Buy nothing, unless something is free."""
        if choice.kind == paxsim.helpers.BUY:
            for option in range(choice.count - 1):
                if paxsim.helpers.price_of_legion(table, me.seat, choice.options[option]) == 0:
                    return option
            return choice.count - 1
        return 0

    assert games(dotted, "random") != games("first", "random")


def test_decorator_excludes_solo():
    @paxsim.policy(solo=False)
    def sociable(table, me, choice):
        """Needs company."""
        return 0

    assert not sociable.solo and sociable.fits == "2-8 players"


def test_file_is_named_with_or_without_its_only_policy(folder, capsys):
    write(folder / "mine.py", THRIFTY.format(name="named_by_file"))
    lines = []
    for spec in ("mine.py:named_by_file", "mine.py", "mine.py:top=3", f"{folder}/mine.py"):
        assert run_command(["trace", "--policies", f"{spec},random", "--seed", "3"]) == 0
        lines.append(capsys.readouterr().out)
    assert len(set(lines)) == 1
    assert '"policies": ["named_by_file", "random"]' in lines[0]


def test_parameters_are_set_in_the_name(folder):
    write(folder / "mine.py", THRIFTY.format(name="with_parameters"))
    policy = paxsim.get_policy("mine.py:with_parameters:top=5:reserve=1.5")
    assert policy.params == {"top": 5.0, "reserve": 1.5}
    assert policy.label == "with_parameters:top=5.0:reserve=1.5"
    assert paxsim.get_policy(policy.spec) == policy
    assert policy.spec == f"mine.py:{policy.label}"
    built_in = paxsim.get_policy(" builder : breadth = 0.8 ")
    assert built_in.params["breadth"] == 0.8 and built_in.spec == "builder:breadth=0.8"


def test_file_imports_modules_beside_it(folder):
    write(folder / "neighbour_of_mine.py", "LIMIT = 1\n")
    source = "from neighbour_of_mine import LIMIT\n" + body("neighbourly", "return LIMIT - 1")
    write(folder / "mine.py", source)
    assert games("mine.py", "random") == games("first", "random")


def test_own_and_built_in_policies_play_together(folder):
    write(folder / "mine.py", THRIFTY.format(name="sits_with_others"))
    lineup = "mine.py:sits_with_others:top=2,builder,mine.py:sits_with_others,random,hermit"
    result = paxsim.play(lineup, seed=2)
    own = ["sits_with_others:top=2.0", "builder", "sits_with_others"]
    assert result.policies == [*own, "random", "hermit"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bulider", "unknown policy 'bulider' (did you mean 'builder'?); choose from random,"),
        ("builder:breath=1", "policy builder: unknown parameter 'breath' (did you mean"),
        ("random:luck=1", "policy random: unknown parameter 'luck'; there are none"),
        ("builder:breadth", "policy builder: a parameter is written name=number"),
        ("builder:breadth=wide", "policy builder: a parameter is written name=number"),
        ("builder:breadth=nan", "parameter breadth of policy builder must be a number, got nan"),
        ("builder:breadth=inf", "parameter breadth of policy builder must be a number, got inf"),
        ("builder:breadth=1:breadth=2", "policy builder: parameter breadth is given twice"),
        ("builder:", "policy builder: a parameter is written name=number, got ''"),
        ("none.py:mine", "policy: cannot read "),
        ("two.py", "policy two.py: the file has several policies; write two.py:one_of_two or "),
        ("two.py:one_of_tow", "policy two.py: unknown policy 'one_of_tow' (did you mean 'one_"),
        ("two.py:one_of_two:x=1", "policy one_of_two: unknown parameter 'x'; there are none"),
        ("empty.py:mine", "policy empty.py: there is no function with @paxsim.policy in it"),
        ("broken.py:mine", "policy broken.py: line 1: SyntaxError: "),
        ("raising.py:mine", "policy raising.py: line 1: ZeroDivisionError: division by zero"),
    ],
)
def test_unknown_policy_is_refused_with_what_exists(folder, spec, message):
    write(folder / "two.py", body("one_of_two", "return 0") + body("two_of_two", "return 0"))
    write(folder / "empty.py", "import paxsim\n")
    write(folder / "broken.py", "def mine(:\n")
    write(folder / "raising.py", "1 / 0\n")
    assert complaint(paxsim.get_policy, spec).startswith(message)


def test_function_without_the_decorator_is_refused():
    def undecorated(table, me, choice):
        return 0

    assert "must be a name, FILE.py:NAME or a function with @paxsim.policy" in complaint(
        paxsim.play, [undecorated, "random"]
    )


# --- names ----------------------------------------------------------------------------------


def test_name_of_a_built_in_is_refused(folder):
    write(folder / "mine.py", body("builder", "return 0"))
    assert complaint(paxsim.get_policy, "mine.py") == (
        "policy builder: a built-in policy has this name; choose another one"
    )


def test_same_name_in_two_files_is_refused_with_both_files(folder):
    for name, answer in (("one.py", "0"), ("two.py", "choice.count - 1")):
        write(folder / name, body("namesake", f"return {answer}"))
    message = complaint(paxsim.make_lineup, "one.py,two.py", 2)
    assert "one.py and " in message and "two.py; rename one of them" in message


def test_changed_file_is_read_again(folder):
    mine = write(folder / "mine.py", body("changing", "return 0"))
    before = paxsim.get_policy("mine.py")
    write(mine, body("changing", "return choice.count - 1"))
    after = paxsim.get_policy("mine.py")
    assert paxsim.get_policy("changing") == after
    assert games(before, "random") == games("first", "random") != games(after, "random")


def run_cell(number, source):
    """Run a notebook cell: a file of its own that is not there, in the module ``__main__``."""
    file = f"/nowhere/ipykernel_1/{number}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), names)
    return names


def test_changed_notebook_cell_replaces_its_policy():
    run_cell(1, body("jotted", "return 0"))
    policy = run_cell(2, body("jotted", "return choice.count - 1"))["jotted"]
    assert paxsim.get_policy("jotted") == policy
    assert games("jotted", "random") != games("first", "random")
    assert len(policy.fingerprint) == 12


def test_called_policy_takes_its_parameters():
    game = paxsim.Game(players=3, seed=4)
    records = (game.table, game.me, game.choice)
    builder = paxsim.get_policy("builder")
    name = next(iter(builder.params))
    assert 0 <= builder(*records, **{name: 2.0}) < game.choice.count
    assert "unknown parameter 'nope'" in complaint(lambda: builder(*records, nope=1))


def test_fingerprint_of_a_policy_without_source_depends_on_its_code():
    """There is no source to look at, yet results must say which policy made them."""
    fingerprints = []
    for answer in ("0", "choice.count - 1", "0"):
        names = {"__name__": "__main__"}
        exec(compile(body("typed", f"return {answer}"), "<stdin>", "exec"), names)
        fingerprints.append(names["typed"].fingerprint)
    assert fingerprints[0] == fingerprints[2] != fingerprints[1]


def test_policy_of_a_notebook_is_pickled_by_value():
    cloudpickle = pytest.importorskip("cloudpickle")
    policy = run_cell(3, body("itinerant", "return 0"))["itinerant"]
    code = "import pickle, sys; policy = pickle.load(sys.stdin.buffer); print(policy.name)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=cloudpickle.dumps(policy), capture_output=True
    )
    assert done.stdout.decode().strip() == "itinerant", done.stderr.decode()


def test_called_helper_checks_its_indices():
    @paxsim.helper
    def far_beyond(numbers):
        return numbers[numbers.size + 900]

    with pytest.raises(IndexError):
        far_beyond(np.zeros(3))


# --- other packages -------------------------------------------------------------------------


@pytest.fixture
def installed(folder, monkeypatch):
    """Install a made-up distribution that offers a policy, or a module under a name."""

    def install(package, source, target="", name=""):
        write(folder / f"{package}.py", source)
        info = folder / f"{package}-1.0.dist-info"
        info.mkdir()
        write(info / "METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        offer = f"{name or target} = {package}:{target}".removesuffix(":")
        write(info / "entry_points.txt", f"[{registry.ENTRY_POINTS}]\n{offer}\n")
        registry.load_entry_points.cache_clear()

    monkeypatch.syspath_prepend(folder)
    return install


def test_entry_point_offers_a_policy(installed, capsys):
    installed("strangers", THRIFTY.format(name="stranger"), "stranger")
    assert "stranger" in paxsim.list_policies()
    assert run_command(["policies"]) == 0
    assert "Buy only what is cheap." in capsys.readouterr().out
    assert games("stranger:top=2", "random") != games("random", "random")


def test_entry_point_offers_a_module_with_policies(installed, folder, capsys):
    """Also one that only imports them from where they stand."""
    (folder / "guild").mkdir()
    write(folder / "guild/__init__.py", "import guild.inner\n")
    write(folder / "guild/inner.py", THRIFTY.format(name="inmate"))
    front = "import numpy\nfrom backroom import backer\n\nnumbers = numpy.arange(3)\n"
    installed("front", front, name="any_name")
    write(folder / "backroom.py", THRIFTY.format(name="backer"))
    installed("guild_package", "import guild\n", "guild", name="whole_guild")
    two = THRIFTY.format(name="visitor") + THRIFTY.format(name="guest")
    installed("visitors", two, name="visitors")
    assert {"visitor", "guest", "backer", "inmate"} <= set(paxsim.list_policies())
    assert run_command(["policies"]) == 0
    out, err = capsys.readouterr()
    assert "visitor" in out and "guest" in out and not err
    assert games("visitor:top=2", "guest") != games("random", "random")
    assert run_command(["policies", "guest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["broken"] == []


def test_module_without_own_policies_is_reported(installed, capsys):
    source = "from paxsim.policies.heuristics import builder\nimport paxsim\n"
    installed("idlers", source, name="idle")
    assert run_command(["policies"]) == 0
    assert "policy idle: the module idlers has no policy" in capsys.readouterr().err
    module = importlib.import_module("paxsim.policies.heuristics")
    message = complaint(registry._check_offer, "idle", module.__name__, module)
    assert "the module paxsim.policies.heuristics has no policy" in message


def test_broken_packages_of_one_name_are_all_reported(installed, capsys):
    for package in ("strangers_once", "strangers_again"):
        installed(package, "import no_such_thing\n", name="policies")
    assert run_command(["policies"]) == 0
    err = capsys.readouterr().err
    assert "from strangers_once: " in err and "from strangers_again: " in err
    assert "cannot be loaded from" in complaint(paxsim.get_policy, "policies")
    message = complaint(paxsim.get_policy, "visitor_of_theirs")
    assert message.endswith("; offered but broken: policies (`paxsim policies` says why)")


def test_exception_without_a_message_is_named_when_a_file_is_imported(folder):
    write(folder / "silent.py", "import paxsim\nraise paxsim.PolicyError\n")
    message = complaint(paxsim.get_policy, "silent.py")
    assert message == "policy silent.py: line 2: PolicyError; the line: raise paxsim.PolicyError"


def test_broken_package_is_named_when_its_policy_is_used(installed):
    installed("strangers_at_fault", "import no_such_thing\n", "stranger")
    message = complaint(lambda: paxsim.get_policy("stranger"))
    assert message.startswith("policy stranger: cannot be loaded from strangers_at_fault:stranger")
    assert "no_such_thing" in message


def test_broken_package_does_not_affect_others(installed, capsys):
    installed("strangers_in_part", THRIFTY.format(name="sound"), "gone")
    installed("strangers_in_order", THRIFTY.format(name="orderly"), "orderly")
    assert paxsim.get_policy("orderly").name == "orderly"
    assert run_command(["policies"]) == 0
    out, err = capsys.readouterr()
    assert "orderly" in out
    assert "policy gone: cannot be loaded from strangers_in_part:gone: AttributeError" in err


def test_entry_point_to_something_else_is_reported(installed, capsys):
    source = THRIFTY.format(name="its_own") + "\nbuilder = its_own\nnumber = 3\n"
    installed("strangers_by_number", source, "number")
    installed("strangers_by_name", source.replace("its_own", "their_own"), "builder")
    assert run_command(["policies"]) == 0
    err = capsys.readouterr().err
    number = "policy number: strangers_by_number:number must be a policy"
    assert number in err and number in complaint(paxsim.get_policy, "number")
    assert "policy builder: strangers_by_name:builder is the policy their_own" in err
    assert paxsim.get_policy("builder").built_in  # nobody takes its name


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("def faulty(me, table, choice): ...", "policy faulty: the arguments must be "),
        ("def faulty(table, me, choice): return me.gold", "policy faulty: line 3 of two.py: unkn"),
        ("def builder(table, me, choice): return 0", "policy builder: a built-in policy has this"),
    ],
)
def test_mistake_in_another_policy_of_the_file_does_not_matter(folder, other, message, capsys):
    source = THRIFTY.format(name="faultless")
    write(folder / "two.py", f"import paxsim\n@paxsim.policy\n{other}\n{source}")
    assert run_command(["check", "two.py:faultless", "--players", "2", "--deals", "1"]) == 0
    name = message.split()[1].strip(":")
    assert complaint(paxsim.get_policy, f"two.py:{name}").startswith(message)
    assert f"write two.py:{name} or two.py:faultless" in complaint(paxsim.get_policy, "two.py")
    write(folder / "two.py", f"{source}\nme.gold\n")
    assert "NameError" in complaint(paxsim.get_policy, "two.py:faultless")


def test_copies_of_a_policy_are_equal(folder, monkeypatch):
    write(folder / "equals.py", THRIFTY.format(name="equal"))
    monkeypatch.syspath_prepend(folder)
    policy = importlib.import_module("equals").equal
    others = [copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))]
    assert [other == policy for other in others] == [True] * 3
    assert {policy, *others} == {policy}
    assert policy != policy.with_params({"top": 9.0}) != paxsim.get_policy("builder")
    assert paxsim.get_policy("builder") == paxsim.get_policy("builder")
    batch = paxsim.play_batch([policy, "random"], deals=3)
    again = pickle.loads(pickle.dumps(batch))
    assert again == batch and hash(again) == hash(batch)
    assert batch != paxsim.play_batch([policy, "random"], deals=2)
    game = paxsim.play([policy, "random"])
    assert {game, pickle.loads(pickle.dumps(game))} == {game}
    assert len({game.lineup, pickle.loads(pickle.dumps(game.lineup))}) == 1


@pytest.mark.parametrize("spec", ["{}:thrifty", "search:self={}:thrifty"])
def test_policy_file_named_by_data_is_imported_only_if_trusted(spec, folder):
    touch = "import pathlib\npathlib.Path('imported').touch()\n"
    file = write(folder / "mine.py", touch + THRIFTY.format(name="thrifty"))
    with registry.policies_named_by("game.json", trusted=False):
        message = complaint(paxsim.get_policy, spec.format(file))
        assert "game.json names the policy file" in message and "--trust-policies" in message
        assert paxsim.get_policy("builder").name == "builder"
    assert not (folder / "imported").exists()
    with registry.policies_named_by("game.json", trusted=True):
        paxsim.get_policy(spec.format(file))
    assert (folder / "imported").exists()


# --- compiling ------------------------------------------------------------------------------


def compiled_during(action):
    """Return the names of the functions that are compiled during a call."""
    with event.install_recorder("numba:compile") as recorder:
        action()
    return [each.data["dispatcher"].py_func.__name__ for _, each in recorder.buffer]


def test_changing_parameters_compiles_nothing(folder):
    write(folder / "mine.py", THRIFTY.format(name="adjusted"))
    games("mine.py:adjusted", "builder")
    assert compiled_during(lambda: games("mine.py:adjusted:top=1", "builder:breadth=7")) == []


def test_new_policy_compiles_no_engine(folder):
    games("random", "random")
    write(folder / "mine.py", THRIFTY.format(name="newcomer"))
    names = set(compiled_during(lambda: games("mine.py", "random")))
    assert "newcomer" in names
    assert names <= {"newcomer", "price_of_legion", "price_of_group"}


# --- travelling to other processes ----------------------------------------------------------


def elsewhere(data, folder):
    """Send policies to another process; return their labels there, and the games they play."""
    code = """
import pickle, sys, paxsim
policies = pickle.load(sys.stdin.buffer)
results = paxsim.play_batch(policies, deals=12, seed=1).results.tobytes()
pickle.dump(([policy.label for policy in policies], results), sys.stdout.buffer)
"""
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def test_policies_play_the_same_games_in_a_process_without_their_file(folder, tmp_path_factory):
    mine = write(folder / "mine.py", THRIFTY.format(name="travelling"))
    lineup = list(map(paxsim.get_policy, ["builder:breadth=0.8", "mine.py:travelling:top=1.25"]))
    lineup.append(paxsim.get_policy("mine.py").as_plain())
    expected = games(*lineup)
    data = pickle.dumps(lineup)
    assert pickle.loads(data) == lineup
    mine.unlink()  # as on another machine
    labels, results = elsewhere(data, tmp_path_factory.mktemp("other"))
    assert labels == ["builder:breadth=0.8", "travelling:top=1.25", "travelling"]
    assert results == expected
