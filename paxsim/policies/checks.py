"""What a policy may not do, as far as its source shows it: checked before it is compiled."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.ir import Loc

from paxsim.engine.records import choice_dtype, rules_dtype, seat_dtype, table_dtype
from paxsim.errors import PaxsimError, one_line, suggestion, unknown
from paxsim.guests.allowed import PLAIN_INSTEAD

#: Longer lines of a source are cut when they are quoted.
QUOTED = 70


#: What notebooks call the file of a cell, which is nowhere.
_CELL = re.compile(r"ipykernel_\d+[/\\]\d+\.py$|^<ipython-input-")


def is_cell(file: str) -> bool:
    """Whether a file is a cell of a notebook."""
    return _CELL.search(file) is not None


def place_in(file: str, line: int) -> str:
    """``"line 12 of mine.py"``, ``"line 3 of the cell In[28]"``."""
    return f"line {line} of {_cell_name(file) if is_cell(file) else Path(file).name}"


def _cell_name(file: str) -> str:
    """The cell by its number, where IPython knows it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"the cell In[{numbers[file]}]" if file in numbers else "the cell"


def place(function: Callable, line: int) -> str:
    """The same of a function's file."""
    return place_in(function.__code__.co_filename, line)


def quoted(function: Callable, line: int) -> str:
    """``"; the line: return 0"``, or nothing where there is no source to show."""
    return quoted_from(function.__code__.co_filename, line)


def quoted_from(file: str, line: int) -> str:
    """The same of a file."""
    text = linecache.getline(file, line).strip() if line else ""
    text = textwrap.shorten(one_line(text), QUOTED, placeholder=" ...")
    return f"; the line: {text}" if text else ""


#: The records, in the order of a policy's arguments.
_RECORDS = (table_dtype, seat_dtype, choice_dtype)
_FIELDS = tuple(tuple(dtype.names or ()) for dtype in _RECORDS)
_ME = 1
_MEMORY = "memory"
#: Methods of an array that write to it.
_WRITING = ("fill", "sort")


def check_source(function: Callable) -> None:
    """Look for fields that do not exist, forbidden writes and loops without an end.

    Raises
    ------
    PaxsimError
        One line that names the policy, the line in its file, and what is allowed.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return  # typed into a bare prompt: there is no source to look at
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        tree = ast.parse("None")  # a lambda within a longer expression
    ast.increment_lineno(tree, first - 1)
    body = tree.body[0]
    if not isinstance(body, ast.FunctionDef):
        raise PaxsimError(
            f"policy {function.__name__}: line {first}: found no function definition; "
            "allowed: a function that begins with def"
        )
    names = [argument.arg for argument in body.args.args[: len(_FIELDS)]]
    _check_fields(function, body, names)
    _check_writes(function, body, names)
    _check_loops(function, body)


def _at(function: Callable, line: int) -> str:
    return f"policy {function.__name__}: {place(function, line)}"


def _check_fields(function: Callable, body: ast.FunctionDef, names: list[str]) -> None:
    """Every ``table.x``, ``me.x``, ``choice.x`` and ``table.rules.x`` must exist."""
    allowed = dict(zip(names, _FIELDS, strict=True))
    rules = f"{names[0]}.rules"
    allowed[rules] = tuple(rules_dtype.names or ())
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if owner in allowed and node.attr not in allowed[owner]:
                where = f"{_at(function, node.lineno)}: {owner} field"
                mistake = unknown(where, node.attr, allowed[owner])
                raise PaxsimError(f"{mistake}{quoted(function, node.lineno)}")


def _check_writes(function: Callable, body: ast.FunctionDef, names: list[str]) -> None:
    """Nothing may be written that hangs on the three records, but ``me.memory``."""
    aliases = _aliases(body, names)
    memory = f"{names[_ME]}.{_MEMORY}"
    for target, in_place in _written(body):
        path = _path(target, aliases)
        if isinstance(target, ast.Name) and not (in_place and _is_array(path, names)):
            continue  # the name means something else from here on
        if path and not (path == memory or path.startswith(f"{memory}[")):
            within = path.startswith(f"{memory}.")
            may = f"the numbers of {memory}, such as {memory}[0]" if within else f"{memory} alone"
            raise PaxsimError(
                f"{_at(function, target.lineno)}: writes to {ast.unparse(target)}; "
                f"allowed: {may}{quoted(function, target.lineno)}"
            )


def _aliases(body: ast.FunctionDef, names: list[str]) -> dict[str, str]:
    """Names for the records and for parts of them, such as ``row`` in ``row = table.cards[0]``."""
    aliases = {name: name for name in names}
    known = 0
    while len(aliases) > known:  # a name for a part may be the name of another one's owner
        known = len(aliases)
        for node in ast.walk(body):
            for target, value, suffix in _bindings(node):
                path = _path(value, aliases)
                if path and isinstance(target, ast.Name):
                    aliases.setdefault(target.id, path + suffix)
    return aliases


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """What a statement gives a name to; items of a sequence count as parts of it."""
    if isinstance(node, ast.NamedExpr):
        yield node.target, node.value, ""
    elif isinstance(node, ast.For):
        yield node.target, node.iter, "[i]"
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=False):
                    yield name, value, ""
            else:
                yield target, node.value, ""


def _written(body: ast.FunctionDef) -> Iterator[tuple[ast.expr, bool]]:
    """Everything that is assigned to, and whether that changes what is there already."""
    for node in ast.walk(body):
        targets: list[ast.expr] = []
        in_place = isinstance(node, ast.AugAssign)
        if isinstance(node, (ast.Assign, ast.Delete)):
            targets = list(node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            in_place = True
            targets = [node.func.value] if node.func.attr in _WRITING else []
        while targets:
            target = targets.pop()
            if isinstance(target, (ast.Tuple, ast.List)):
                targets += target.elts
            elif isinstance(target, ast.Starred):
                targets.append(target.value)
            else:
                yield target, in_place


def _path(node: ast.expr, aliases: dict[str, str]) -> str:
    """``table.symbols[i][:]`` for something that hangs on a record, else an empty text."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = _path(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Subscript):
        owner = _path(node.value, aliases)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        marks = ("[:]" if isinstance(part, ast.Slice) else "[i]" for part in parts)
        return owner + "".join(marks) if owner else ""
    return ""


def _is_array(path: str, names: list[str]) -> bool:
    """Whether a path of `_path` leads to an array, and not to a single number."""
    field = path.partition("[")[0]
    for name, dtype in zip(names, _RECORDS, strict=True):
        for part in dtype.names or ():
            if field == f"{name}.{part}":
                return len(dtype[part].shape) > path.count("[i]")
    return False


def _check_loops(function: Callable, body: ast.FunctionDef) -> None:
    """``while True`` needs a way out."""
    for node in ast.walk(body):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            ways_out = (ast.Break, ast.Return, ast.Raise)
            if not any(isinstance(inner, ways_out) for inner in ast.walk(node)):
                raise PaxsimError(
                    f"{_at(function, node.lineno)}: a loop without an end; "
                    f"allowed: a loop with break or return{quoted(function, node.lineno)}"
                )


#: The compiler tells its story in colours where colorama happens to be installed.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
#: What is wrong, and what is allowed instead.
Verdict = tuple[str, str]
RECORDS = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype, "rules": rules_dtype}


@dataclass(frozen=True)
class Scene:
    """Where the compiler stopped.

    Attributes
    ----------
    function : callable
        The function that it was at.
    line : int
        The line of its file; 0 if that is not known.
    story : str
        What the compiler says.
    tree : ast.AST
        The function's source.
    """

    function: Callable
    line: int
    story: str
    tree: ast.AST

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[Any]:
        """Parts of the source that begin on the line; of all lines if it is not known."""
        for node in ast.walk(self.tree):
            if isinstance(node, kinds) and self.line in (0, getattr(node, "lineno", 0)):
                yield node

    def around(self, *kinds: type[ast.AST]) -> Iterator[Any]:
        """Parts of the source that the line lies within."""
        for node in ast.walk(self.tree):
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            if isinstance(node, kinds) and first <= self.line <= last:
                yield node

    def value_of(self, node: ast.AST) -> Any:
        """What a name, or an attribute of a module, stands for outside the function, or None."""
        if isinstance(node, ast.Name):
            found = inspect.getclosurevars(self.function)
            for names in (found.nonlocals, self.function.__globals__, vars(builtins)):
                if node.id in names:
                    return names[node.id]
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, None)
        return None

    def records(self) -> set[str]:
        """Names of the function's arguments that are records."""
        names = inspect.signature(self.function).parameters
        return {name for name in names if name in RECORDS}


def scene_of(
    error: Exception, functions: list[Callable], impossible: tuple[type[ast.AST], ...]
) -> Scene:
    """The innermost place in a function of the user's that the compiler speaks of.

    Parameters
    ----------
    error : Exception
        What it raised.
    functions : list of callable
        The functions of the user that it was compiling.
    impossible : tuple of types
        Parts of a source that can't be compiled: the place, if the compiler speaks of none.
    """
    story = _with_short_names(_COLOURS.sub("", str(error)))
    for file, line in [*_places_told(story), *_places_worked_at(error)]:
        for function in functions:
            first, last = _extent(function)
            same = Path(function.__code__.co_filename).name == Path(file).name
            # Of what has no line of its own, the compiler names that of the definition.
            if same and first < line <= last:
                return Scene(function, line, story, tree_of(function))
    for function in functions:
        for scene in _suspected(function, story, impossible):
            return scene
    return Scene(functions[0], 0, story, tree_of(functions[0]))


def _places_told(story: str) -> Iterator[tuple[str, int]]:
    patterns = r'File "(.+?)", line (\d+)', r"Raised from (.+?) \((\d+)\)"
    for pattern in patterns:
        for file, line in re.findall(pattern, story):
            yield file, int(line)


def _places_worked_at(error: Exception) -> list[tuple[str, int]]:
    """What the compiler was at when it tripped over something itself, the last first."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        loc = getattr(traceback.tb_frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, Loc):
            found.append((loc.filename, loc.line))
        traceback = traceback.tb_next
    return found[::-1]


def _suspected(
    function: Callable, story: str, impossible: tuple[type[ast.AST], ...]
) -> Iterator[Scene]:
    """Places of a function that can't be compiled by themselves, or that the story is about."""
    tree = tree_of(function)
    missing = re.search(r"NameError: name '(\w+)'", story)
    for node in ast.walk(tree):
        named = missing and isinstance(node, ast.Name) and node.id == missing[1]
        if named or isinstance(node, impossible):
            yield Scene(function, getattr(node, "lineno", 0), story, tree)


def _extent(function: Callable) -> tuple[int, int]:
    """The first line of a function, that of its definition or decorator, and its last."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function.__code__.co_firstlineno, 0
    return first, first + len(lines) - 1


def tree_of(function: Callable) -> ast.AST:
    """The source of a function, with the lines of its file; nothing if it has none."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])
    return ast.increment_lineno(tree, first - 1)


def _with_short_names(text: str) -> str:
    """A text with the three records called as everybody calls them."""
    from paxsim.policies.readonly import GuestChoice, GuestSeat, GuestTable

    for name, kind in (("table", GuestTable), ("me", GuestSeat), ("choice", GuestChoice)):
        text = text.replace(str(kind), name)
    return text


#: By how a type's name begins.
_KINDS = {
    "int": "a whole number",
    "uint": "a whole number",
    "Literal[int]": "a whole number",
    "float": "a number with a fraction",
    "bool": "True or False",
    "array": "an array",
    "readonly": "an array",
    "nestedarray": "an array",
    "none": "None",
    "unicode": "a text",
    "Literal[str]": "a text",
    "list": "a list",
    "reflected list": "a list",
    "Tuple": "a tuple",
    "UniTuple": "a tuple",
    "class(": "a type",
    "Function(<class": "a type",
    **{name: f"the record {name}" for name in RECORDS},
}
FRACTION = _KINDS["float"]


def in_words(kind: str) -> str:
    """A type of the compiler's."""
    for beginning, words in _KINDS.items():
        if kind.startswith(beginning):
            return words
    return kind


def unfit_call(story: str) -> tuple[str, list[str]] | None:
    """The function that the compiler knows no form of for its arguments, and their types."""
    found = re.search(r"No implementation of function.*?>{3} (\w+)\((.*?)\)\n", story, re.DOTALL)
    return (found[1], _split(found[2])) if found else None


def argument_in_words(argument: str) -> str:
    """The type of an argument, with its name if it has one."""
    name, equals, kind = argument.partition("=")
    named = bool(equals) and name.isidentifier()
    return f"{name}={in_words(kind)}" if named else in_words(argument)


def dimensions(kind: str) -> int:
    """How many dimensions an array has; 0 if it is none."""
    nested = re.search(r"nestedarray\(\w+, \(([\d, ]+)\)\)", kind)
    if nested:
        return len(re.findall(r"\d+", nested[1]))
    plain = re.search(r"array\(\w+, (\d)d", kind)
    return int(plain[1]) if plain else 0


def _split(arguments: str) -> list[str]:
    """A list of types at its outer commas."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


#: Operators, by the names that the compiler has for them.
_OPERATORS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "iadd": "+=", "isub": "-=", "imul": "*=", "contains": "in", "bool": "if",
}  # fmt: skip


def index_with_fraction(scene: Scene, error: Exception) -> Verdict | None:
    """An index that is no whole number."""
    if not re.search(r"getitem\(.*, float64\)", scene.story):
        return None
    return "an index with a fraction", "a whole number: // in place of /, or int(...)"


def tuple_of_kinds(scene: Scene, error: Exception) -> Verdict | None:
    """A tuple whose items are not of one kind, and an index that is not known before."""
    if "getitem(Tuple(" not in scene.story:
        return None
    return "an index into a tuple of different kinds", "a tuple or an array of one kind of numbers"


def function_as_value(scene: Scene, error: Exception) -> Verdict | None:
    """The name of a helper without brackets."""
    found = re.search(r">{3} \w+\(.*type\(CPUDispatcher\(<function (\w+)", scene.story)
    if found is None:
        return None
    helper = getattr(scene.value_of(ast.Name(found[1])), "py_func", None)
    arguments = ", ".join(inspect.signature(helper).parameters) if helper else "..."
    return f"uses {found[1]} without calling it", f"{found[1]}({arguments})"


def unfit_index(scene: Scene, error: Exception) -> Verdict | None:
    """An index into what has none, or too many of them."""
    name, arguments = unfit_call(scene.story) or ("", [])
    if name not in ("getitem", "static_getitem"):
        return None
    size = dimensions(arguments[0])
    if size:
        return f"more indices than an array of {size} dimensions has", f"{size} of them, or fewer"
    return f"an index into {in_words(arguments[0])}", "an index into an array, a list or a tuple"


def unfit_arguments(scene: Scene, error: Exception) -> Verdict | None:
    """Any other call, or operator, with what it can't take."""
    call = unfit_call(scene.story)
    if call is None:
        return None
    name, arguments = call
    words = " and ".join(map(argument_in_words, arguments))
    return f"{_OPERATORS.get(name, name)} can't take {words}", "other arguments, or a loop"


_ANYTHING_ELSE = "what docs/policies.md lists"
_USUAL = "numbers and arrays; math, numpy and paxsim.helpers"
_RECORD_FIELDS = sorted({name for dtype in RECORDS.values() for name in dtype.names or ()})

#: Ways to write things that are Python, but can't be compiled here.
_CONSTRUCTS: dict[type[ast.AST], Verdict] = {
    ast.NamedExpr: ("uses :=", "an assignment on a line of its own"),
    ast.Try: ("uses try", "an if that asks before"),
    ast.With: ("uses with", "nothing from outside the game"),
    ast.Global: ("keeps something outside the game (global)", "me.memory, notes to oneself"),
    ast.Nonlocal: ("keeps something outside itself (nonlocal)", "me.memory, notes to oneself"),
    ast.Import: ("imports within a function", "imports at the top of the file"),
    ast.ImportFrom: ("imports within a function", "imports at the top of the file"),
    ast.Lambda: ("uses lambda", "a loop that keeps the best so far"),
    ast.GeneratorExp: ("uses ... for ... in a call", "a loop"),
    ast.Yield: ("uses yield", "return, with the index of the chosen option"),
    ast.YieldFrom: ("uses yield", "return, with the index of the chosen option"),
    ast.Await: ("uses await", "plain calls"),
    ast.Dict: ("uses a dictionary", "an array or a tuple, with numbers as indices"),
    ast.DictComp: ("uses a dictionary", "an array or a tuple, with numbers as indices"),
    ast.Set: ("uses a set", "a tuple or an array"),
    ast.SetComp: ("uses a set", "a tuple or an array"),
    ast.JoinedStr: ("makes a text", "numbers; paxsim trace shows what was decided"),
    ast.ClassDef: ("defines a class", "numbers, tuples and arrays"),
    ast.Delete: ("uses del", "nothing in its place: a game forgets by itself"),
    ast.Starred: ("uses *", "arguments and values one by one"),
}

#: What a value from outside is called, by its type, and what to use in its place.
_OUTSIDE: tuple[tuple[type, Verdict], ...] = (
    (type, ("a class", "numbers, tuples and arrays; notes in me.memory")),
    (dict, ("a dictionary", "an array or a tuple, with numbers as indices")),
    (list, ("a list, which could change", "a tuple")),
    (set, ("a set", "a tuple")),
    (str, ("a text", "a number")),
)


def explain(error: Exception, functions: Iterable[Callable]) -> str:
    """One line about an error of the compiler.

    Parameters
    ----------
    error : Exception
        What it raised.
    functions : iterable of callable
        The functions of the user that it was compiling: the policy first, then what it calls.
    """
    scene = scene_of(error, list(functions), tuple(_CONSTRUCTS))
    what, instead = _verdict(scene, error)
    where = f"{place(scene.function, scene.line)}: " if scene.line else ""
    return f"{where}{what}; allowed: {instead}{quoted(scene.function, scene.line)}"


def explain_answer(kind: Any, function: Callable) -> str:
    """One line about a policy whose answer is of the wrong type."""
    returns = [node for node in ast.walk(tree_of(function)) if isinstance(node, ast.Return)]
    found = in_words(str(kind))
    what, instead = f"returns {found}", "a whole number, the index of the chosen option"
    line = returns[0].lineno if len(returns) == 1 else 0
    if "Optional" in str(kind):  # the way without a return is no line
        answer = returns[0].value if line else None
        if isinstance(answer, ast.Call):
            what = f"returns {ast.unparse(answer)}, which may be None"
        else:
            what, line = "returns None on some way through it", 0
    if found == FRACTION:
        instead += ", int(...)"
    where = f"{place(function, line)}: " if line else ""
    return f"{where}{what}; allowed: {instead}{quoted(function, line)}"


# --- what may be wrong ----------------------------------------------------------------------


def _verdict(scene: Scene, error: Exception) -> Verdict:
    for look in _LOOKS:
        found = look(scene, error)
        if found is not None:
            return found
    return f"cannot be compiled: {_reason(scene.story) or repr(error)}", _ANYTHING_ELSE


def _reason(story: str) -> str:
    """The compiler's own first words."""
    lines = [line.strip() for line in story.splitlines()]
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    reason = next((line for line in lines if line and not line.startswith(skipped)), "")
    if reason.endswith("signature:"):
        reason += next((line[3:] for line in lines if line.startswith(">>>")), "")
    return one_line(reason)


def _for_debugging(scene: Scene, error: Exception) -> Verdict | None:
    """What compiled code can print, numba knows in a form of its own."""
    if "Numba's print() function" in scene.story:
        return "uses print", PLAIN_INSTEAD["print"]
    return None


def _wrapped(scene: Scene, error: Exception) -> Verdict | None:
    """A function that another decorator made of the user's."""
    if not hasattr(scene.function, "__wrapped__"):
        return None
    return "is wrapped by another decorator", "@paxsim.policy right above def; or compiled=False"


def _read_only(scene: Scene, error: Exception) -> Verdict | None:
    if "setitem(readonly " in scene.story:
        return "writes to what it may only read", "me.memory alone"
    return None


def _missing_field(scene: Scene, error: Exception) -> Verdict | None:
    """A record has no such field; the compiler knows it as a missing key."""
    if not isinstance(error, KeyError):
        return None
    name = str(error.args[0])
    owner = next((ast.unparse(n.value) for n in scene.nodes(ast.Attribute) if n.attr == name), "")
    if not owner and (found := _record_for_another(scene)):
        return found
    what = f"{owner}.{name}: there is no such field" if owner else f"there is no field {name}"
    return f"{what}{suggestion(name, _RECORD_FIELDS)}", "the fields that docs/policies.md lists"


def _record_for_another(scene: Scene) -> Verdict | None:
    """A helper that is handed something else where it wants a record."""
    for name, parameter, given in _handed_over(scene):
        if parameter in RECORDS and given != parameter:
            return f"hands {given} to {name} as {parameter}", f"{parameter} as {parameter}"
    return None


def _handed_over(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Arguments in calls of functions: the function, its parameter, and what it gets."""
    for call in scene.nodes(ast.Call):
        function = scene.value_of(call.func)
        function = getattr(function, "py_func", function)
        if not inspect.isfunction(function):
            continue
        for parameter, part in zip(inspect.signature(function).parameters, call.args, strict=False):
            yield ast.unparse(call.func), parameter, ast.unparse(part)


def _missing_name(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"NameError: name '(\w+)'", scene.story)
    if found is None:
        return None
    from paxsim import helpers  # it is compiled code, like what is explained here

    name = found[1]
    if hasattr(helpers, name):
        return f"{name} is not imported", f"from paxsim.helpers import {name}"
    known = [*scene.function.__globals__, *scene.function.__code__.co_varnames, *vars(helpers)]
    close = suggestion(
        name, [other for other in known if not other.startswith("_") and other != name]
    )
    return f"the name {name} means nothing{close}", "names that are defined or imported"


def _from_outside(scene: Scene, error: Exception) -> Verdict | None:
    """A name that stands for something which can't be compiled in."""
    found = re.search(r"Untyped (?:global name|.*?freevar) '(\w+)'", scene.story)
    if found is None:
        return None
    name = found[1]
    value = scene.value_of(ast.Name(name))
    if inspect.isfunction(value):
        return (
            f"{name} is a plain Python function",
            f"the same with @paxsim.helper above def {name}",
        )
    if inspect.isbuiltin(value) or getattr(builtins, name, None) is value:
        return f"uses {name}", PLAIN_INSTEAD.get(name, _USUAL)
    for kind, (what, instead) in _OUTSIDE:
        if isinstance(value, kind):
            return f"{name} is {what}", instead
    return f"{name} is {type(value).__name__}, from outside the function", "numbers and tuples"


def _wrong_arguments(scene: Scene, error: Exception) -> Verdict | None:
    """A call with too few or too many arguments."""
    for call in scene.nodes(ast.Call):
        function = scene.value_of(call.func)
        function = getattr(function, "py_func", function)
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        name = ast.unparse(call.func)
        if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
            return f"{name} takes * or ** arguments", "arguments that have names"
        try:
            signature.bind(*call.args, **{word.arg: 0 for word in call.keywords if word.arg})
        except TypeError as mistake:
            plain = f"{name}({', '.join(signature.parameters)})"
            return f"calls {ast.unparse(call)}: {mistake}", plain
    return None


def _record_as_number(scene: Scene, error: Exception) -> Verdict | None:
    """A whole record where a number is wanted: compared, added, handed to a function."""
    if not re.search("No implementation of function|Invalid use of getiter", scene.story):
        return None
    records = scene.records()
    for node in scene.nodes(ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.Name) and part.id in records:
                what = f"takes the record {part.id} for a number in {ast.unparse(node)}"
                return what, f"one of its fields, such as {_SOME_FIELD[part.id]}"
    for node in scene.nodes(ast.For):
        if isinstance(node.iter, ast.Name) and node.iter.id in records:
            what = f"takes the record {node.iter.id} for a list in for ... in {node.iter.id}"
            return what, f"one of its fields, such as {_SOME_LIST[node.iter.id]}"
    for name, parameter, given in _handed_over(scene):
        if parameter not in RECORDS and given in records:
            return f"hands {given} to {name} as {parameter}", f"a number as {parameter}"
    return None


def _called_number(scene: Scene, error: Exception) -> Verdict | None:
    """Brackets behind a number, as if it were a function."""
    kinds = r"u?int|float|bool|readonly|nestedarray|Literal"
    if not re.search(f"Invalid use of ({kinds})", scene.story):
        return None
    for call in scene.nodes(ast.Call):
        if not callable(scene.value_of(call.func)):
            name = ast.unparse(call.func)
            return f"calls {name}, which is no function", f"{name}, without ()"
    return None


_SOME_FIELD = {
    "table": "table.round",
    "me": "me.money",
    "choice": "choice.count",
    "rules": "rules.rome_needs",
}
_SOME_LIST = {
    "table": "table.money",
    "me": "me.hand",
    "choice": "choice.options",
    "rules": "rules.draft_sizes",
}


def _with_a_key(scene: Scene, error: Exception) -> Verdict | None:
    for call in scene.nodes(ast.Call):
        if any(word.arg == "key" for word in call.keywords):
            return f"uses {ast.unparse(call.func)} with a key", "a loop that keeps the best so far"
    return None


def _construct(scene: Scene, error: Exception) -> Verdict | None:
    for node in (*scene.nodes(*_CONSTRUCTS), *scene.around(ast.Try, ast.With)):
        return _CONSTRUCTS[type(node)]
    if "STORE_GLOBAL" in scene.story:  # said where the name was, and not here
        return _CONSTRUCTS[ast.Global]
    return None


def construct_at(function: Callable, line: int) -> Verdict | None:
    """What stands on a line that is Python, but can't be compiled here."""
    return _construct(Scene(function, line, "", tree_of(function)), Exception())


def _of_a_module(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", scene.story)
    if found is None:
        return None
    return f"uses {found[2]}.{found[1]}", "numbers and arrays; math, numpy and paxsim.helpers"


def _not_in_module(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"module '([\w.]+)' has no attribute '(\w+)'", scene.story)
    if found is None:
        return None
    module, name = found.groups()
    known = [other for other in dir(sys.modules.get(module)) if not other.startswith("_")]
    return f"{module} has no {name}{suggestion(name, known)}", f"what {module} has"


def _of_a_number(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"Unknown attribute '(\w+)' of type ([\w\[\]]+)", scene.story)
    if found is None:
        return None
    if all(node.attr != found[1] for node in scene.nodes(ast.Attribute)):
        if wrong := _record_for_another(scene):
            return wrong
    return f"{in_words(found[2])} has no {found[1]}", _ANYTHING_ELSE


def _untyped_list(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(
        r"Cannot infer the type of variable '(\w+)'.*(list|set)\(undefined\)", scene.story
    )
    if found is None:
        return None
    if found[2] == "set":
        return _CONSTRUCTS[ast.Set]
    return f"nothing is ever put into the list {found[1]}", "a list that numbers are put into"


def _seen_from_inside(scene: Scene, error: Exception) -> Verdict | None:
    """A name that is given a value here, and read before as if it were that of outside."""
    found = re.search(r"Variable '(\w+)' is not defined", scene.story)
    if found is None:
        return None
    name = found[1]
    if name not in scene.function.__globals__:
        return f"{name} may have no value here", "a value on every way to this line"
    return (
        f"{name} gets a value in this function, so that the one outside is not seen",
        "another name here; me.memory for notes to oneself",
    )


def _not_to_unpack(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"failed to unpack ([\w\[\]]+)", scene.story)
    if found is None:
        return None
    return f"{in_words(found[1])} has no parts", "as many values as there are names"


def _text_among_numbers(scene: Scene, error: Exception) -> Verdict | None:
    if "Literal[str]" not in scene.story and "unicode_type" not in scene.story:
        return None
    return "mixes a text with numbers", "numbers"


def _different_kinds(scene: Scene, error: Exception) -> Verdict | None:
    """A name that gets values which nothing can hold together."""
    found = re.search(r"Cannot unify (.+?) and (.+?) for '([\w$]+)", scene.story)
    if found is None:
        return None
    one, other = (in_words(kind) for kind in found.groups()[:2])
    name = "a value" if found[3].startswith("$") else found[3]  # the compiler's own names
    return f"{name} is {one} here and {other} there", "one kind for every name"


#: Looked at in this order: the surest first.
_LOOKS: tuple[Callable[[Scene, Exception], Verdict | None], ...] = (
    _wrapped,
    _read_only,
    _missing_field,
    _for_debugging,
    _missing_name,
    _from_outside,
    _of_a_module,
    _not_in_module,
    _wrong_arguments,
    _with_a_key,
    _construct,
    _record_as_number,
    _called_number,
    _of_a_number,
    _untyped_list,
    tuple_of_kinds,
    index_with_fraction,
    _text_among_numbers,
    _different_kinds,
    _seen_from_inside,
    _not_to_unpack,
    function_as_value,
    unfit_index,
    unfit_arguments,
)
