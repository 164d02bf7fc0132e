"""Which files of the package a file imports, read from its source."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import paxsim

PACKAGE = Path(paxsim.__file__).parent


def imported_files(path: Path) -> Iterator[Path]:
    """Files of the package that a file imports, those inside functions left out."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("paxsim."):
            for name in [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]:
                file = PACKAGE.parent / (name.replace(".", "/") + ".py")
                if file.exists():
                    yield file


def reached_from(paths: Iterable[Path]) -> set[Path]:
    """Some files, the files that they import, those that these import, and so on."""
    reached = set(paths)
    to_do = list(reached)
    while to_do:
        for file in set(imported_files(to_do.pop())) - reached:
            reached.add(file)
            to_do.append(file)
    return reached
