"""Build the documentation site from the pages and executed notebooks, in ``build/site``.

    python docs/make_site.py            (or: make site)

The folders are those of the repository, so that links between pages lead to the same places.
``--few`` runs the notebooks with few games, ``--pages`` stops before the site is built.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_reference

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "pages"
#: What the site has besides docs/ and the notebooks.
OTHERS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "CITATION.cff",
    "docs/site.css",
)
#: Files that are copied because a page links to them or shows them.
LINKED = re.compile(r"\]\(([^)#\s]+)")


def lay_out(run_notebooks: bool, few: bool) -> list[Path]:
    """Copy all pages and the files they link to; return the pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    pages = [ROOT / name for name in OTHERS] + sorted(ROOT.glob("docs/**/*.md"))
    for page in pages:
        copy(page)
    made = [page for page in pages if page.suffix == ".md"]
    for page in made:
        for target in LINKED.findall(page.read_text("utf-8")):
            goal = (page.parent / target).resolve()
            if goal.is_file() and goal.is_relative_to(ROOT) and goal not in pages:
                copy(goal)
    reference = PAGES / "docs" / "reference.md"
    reference.write_text(make_reference.page(), "utf-8")
    made.append(reference)
    for book in sorted(ROOT.glob("examples/*.ipynb")):
        made.append(convert(book, run_notebooks, few))
    return made


def copy(file: Path) -> None:
    """Copy a file to the same place below `PAGES`."""
    goal = PAGES / file.relative_to(ROOT)
    goal.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, goal)


def convert(book: Path, run: bool, few: bool) -> Path:
    """Execute a notebook and write it as a page, with its charts beside it."""
    import nbformat
    from nbconvert import MarkdownExporter

    notebook = nbformat.read(book, as_version=4)
    folder = PAGES / "examples"
    folder.mkdir(parents=True, exist_ok=True)
    if run:
        from nbclient import NotebookClient

        if few:
            for cell in notebook.cells:
                cell.source = re.sub(r"GAMES = 40_000", "GAMES = 400", cell.source)
        print(f"{book.name} ...", flush=True)
        NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": folder}}).execute()
    exporter = MarkdownExporter()
    text, resources = exporter.from_notebook_node(
        notebook, resources={"unique_key": book.stem, "output_files_dir": f"{book.stem}_files"}
    )
    for name, data in resources.get("outputs", {}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    page = folder / f"{book.stem}.md"
    page.write_text(re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.md)", text), "utf-8")
    return page


def main() -> None:
    """Lay out the pages and build the site with MkDocs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--few", action="store_true", help="run the notebooks with few games")
    parser.add_argument(
        "--pages", action="store_true", help="lay out the pages without building the site"
    )
    parser.add_argument("--unrun", action="store_true", help="do not run the notebooks")
    asked = parser.parse_args()
    lay_out(not asked.unrun, asked.few)
    if not asked.pages:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        subprocess.run([*command, "--config-file", ROOT / "mkdocs.yml"], check=True, cwd=ROOT)
        print("build/site/index.html")


if __name__ == "__main__":
    main()
