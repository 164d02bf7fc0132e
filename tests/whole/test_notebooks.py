"""The notebooks of examples/ run as a reader runs them, with few games, in one kernel."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import paxsim

pytestmark = pytest.mark.whole

ROOT = Path(paxsim.__file__).parent.parent
BOOKS = sorted(ROOT.glob("examples/*.ipynb"))
#: Numbers of games that a notebook begins with, made small.
FEW = {"GAMES = 40_000": "GAMES = 400", "GAMES, ROLLOUTS = 400, 32": "GAMES, ROLLOUTS = 40, 2"}
#: Before each notebook: nothing is left of the one before.
FRESH = "%reset -f"


def with_few_games(source):
    for many, few in FEW.items():
        source = source.replace(many, few)
    return source


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """All code cells with their outputs, by notebook; and those of charts in a fresh kernel."""
    charts = [
        "import paxsim\nresult = paxsim.simulate('random,first', games=200)\nresult.plot();",
        "result.plot.seats();",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);",
    ]
    books = {"charts": charts}
    for path in BOOKS:
        book = nbformat.read(path, as_version=4)
        books[path.stem] = [cell.source for cell in book.cells if cell.cell_type == "code"]
    sources = [(name, s) for name, all_of in books.items() for s in [FRESH, *all_of]]
    sources = sources[1:]  # the kernel is fresh
    whole = new_notebook(cells=[new_code_cell(with_few_games(source)) for _, source in sources])
    folder = tmp_path_factory.mktemp("notebooks")
    client = NotebookClient(whole, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()
    found = {name: [] for name in books}
    for (name, source), cell in zip(sources, whole.cells, strict=True):
        if source != FRESH:
            found[name].append(cell)
    return found


def kinds(cell):
    return [kind for output in cell.outputs for kind in output.get("data", {})]


def test_every_chart_shows_and_so_does_ones_own(cells):
    assert ["image/png" in kinds(cell) for cell in cells["charts"]] == [True, True, True]


@pytest.mark.parametrize("name", [path.stem for path in BOOKS])
def test_a_notebook_runs_and_shows_what_it_promises(cells, name):
    found = cells[name]
    assert len(found) >= 5
    for cell in found:
        last = cell.source.rstrip().splitlines()[-1]
        if last.endswith(";"):
            assert "image/png" in kinds(cell), last
        elif re.fullmatch(r"\w+|paxsim\.(simulate|solo|compare|tournament)\(.*\)", last):
            assert "text/html" in kinds(cell) or "text/plain" in kinds(cell), last
        said = "".join(output.get("text", "") for output in cell.outputs)
        assert "Traceback" not in said and "Warning" not in said, said


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs_and_have_numbers_to_make_small(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert any(many in cell.source for cell in code for many in FEW)
