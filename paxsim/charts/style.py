"""Look of all charts: colours, type, the footer, how they are saved, and the tables they draw."""

from __future__ import annotations

import functools
import inspect
import io
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from paxsim.errors import PaxsimError, checked_path, one_line, safe_repr, unknown
from paxsim.io import atomic_write

#: Okabe and Ito's colours, which people with any colour vision can tell apart, in an order in
#: which neighbours also differ in grey print.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#8C6D31")
#: Beside the colour every line has its own marker and dashes.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
HATCHES = ("", "///", "\\\\\\", "xx", "--", "++")
INK, QUIET, FAINT = "#222222", "#8A8A8A", "#E4E4E4"
#: Colours of values above and below a reference.
ABOVE, BELOW = "#D55E00", "#0072B2"
#: Differences (two-sided) and rates (one-sided); both run evenly in grey print on each side.
DIVERGING, SEQUENTIAL = "PuOr_r", "cividis"

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # text, which is small and can be searched
    # Names of decks and policies may have dollar signs, which are not formulas.
    "text.parse_math": False,
    # Otherwise the names inside an SVG file are random; see `_tidy`.
    "svg.hashsalt": "paxsim",
}
FOOTER_SIZE = 6.5
#: Characters of a footer of that size that fit into an inch of the figure's width.
FOOTER_CHARACTERS = 17
#: Size of the smallest text on a page, in pixels.
TEXT_PIXELS = 9.0
#: Width of a chart on a phone, and of one that is scrolled sideways there, in pixels.
PIXELS, WIDE_PIXELS = 350, 670
DPI = 150
#: Decimals of all numbers drawn, so that a chart is the same on every machine.
DECIMALS = 9
#: The key of ``DataFrame.attrs`` with the footer of charts made from the table.
CAPTION = "caption"
#: Columns that identify the match of a row.
MATCH = ("players", "solo_level", "lineup", "deck", "rules", "seed")
#: Definition or use of a name in Matplotlib's SVG that is a digest: a letter and ten digits.
_DIGEST_NAME = re.compile(r"""((?:\bid="|url\(#|href="#))([a-zA-Z][0-9a-f]{10})(?=["\)])""")
#: Names of elements, rotations by 0, tags, and decimals after the second.
_UNUSED = re.compile(r''' id="[a-z0-9.]+_\d+"| transform="rotate\(-?0 [^"]*"''')
_TAG = re.compile(r"<[^>]*>")
_DECIMALS = re.compile(r"(\d\.\d\d)\d+")


@contextmanager
def style() -> Iterator[None]:
    """Set the look of all charts, for a ``with`` block around your own drawing.

    Only the look is restored at its end: the first chart of a notebook loads the backend, which
    decides how figures are shown from then on (`matplotlib.rc_context` would reset that).
    """
    before = {name: matplotlib.rcParams[name] for name in STYLE}
    matplotlib.rcParams.update(STYLE)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


def chart(width: float, height: float) -> Callable[[Callable], Callable[..., Axes]]:
    """Turn a drawing function into a chart, with the common style, an Axes and the footer."""

    def decorate(function: Callable) -> Callable[..., Axes]:
        options = [*list(inspect.signature(function).parameters)[1:], "caption"]

        @functools.wraps(function)
        def draw(
            source: Any,
            *args: Any,
            ax: Axes | None = None,
            caption: str | None = None,
            **kwargs: Any,
        ) -> Axes:
            if ax is not None and not isinstance(ax, Axes):
                raise PaxsimError(f"ax must be a Matplotlib Axes, got {safe_repr(ax)}")
            if caption is not None and not isinstance(caption, str):
                raise PaxsimError(f"caption must be a string, got {safe_repr(caption)}")
            for name in kwargs:
                if name not in options:
                    raise unknown(f"chart {function.__name__}: argument", name, options)
            with style():
                if ax is None:
                    from matplotlib import pyplot  # chooses a backend, so only when it is needed

                    axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
                else:
                    axes = ax
                try:
                    function(source, *args, ax=axes, **kwargs)
                except (PaxsimError, LookupError, TypeError, AttributeError) as error:
                    if ax is None:
                        pyplot.close(axes.figure)  # type: ignore[arg-type]
                    if isinstance(error, PaxsimError):
                        raise
                    problem = f"it has no {error}" if isinstance(error, LookupError) else str(error)
                    raise PaxsimError(
                        f"{function.__name__} can't draw this source: {one_line(problem)}"
                    ) from None
                add_footer(axes.figure, caption_of(source) if caption is None else caption)
                # Texts of a figure that was made elsewhere are drawn later, in another style.
                for text in [*axes.findobj(Text), *axes.figure.texts]:
                    text.set_parse_math(False)
            return axes

        return draw

    return decorate


def panels(
    rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.0, **how: Any
) -> tuple[Figure, Any]:
    """Return a figure for files only, without a window, and its Axes.

    Parameters
    ----------
    rows, columns : int
        Panels.
    width, height : float
        Size of the whole figure in inches.
    **how
        For ``Figure.subplots``, e.g. ``sharey=True``.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : matplotlib.axes.Axes or array of these

    Examples
    --------
    >>> from paxsim import charts
    >>> figure, axes = charts.panels(1, 2, sharey=True)
    >>> len(axes)
    2
    """
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **how)


def add_footer(figure: Any, caption: str) -> None:
    """Write the source of the data below a figure; each of several sources once."""
    figure = figure.figure  # of a subfigure, the whole one
    captions = getattr(figure, "_paxsim_captions", [])
    if caption and caption not in captions:
        captions.append(caption)
    figure._paxsim_captions = captions
    _write_footer(figure, FOOTER_SIZE)


def _write_footer(figure: Any, size: float) -> None:
    inches = float(figure.get_size_inches()[0])
    width = max(40, int(inches * FOOTER_CHARACTERS * FOOTER_SIZE / size))
    lines = [line for text in figure._paxsim_captions for line in textwrap.wrap(text, width)]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=size, color=QUIET)


def enlarge_text(figure: Any, pixels: float) -> None:
    """Enlarge text that would be unreadable where a figure is shown with a width in pixels."""
    least = TEXT_PIXELS * 72 * float(figure.get_size_inches()[0]) / pixels
    for text in figure.findobj(Text):
        text.set_fontsize(max(least, text.get_fontsize()))
    if footer_of(figure):
        with style():
            _write_footer(figure, max(least, FOOTER_SIZE))


def footer_of(figure: Any) -> str:
    """Return the text below a figure."""
    return str(figure.get_supxlabel())


def save(figure: Any, stem: Path, png: bool = True) -> tuple[Path, ...]:
    """Write a figure as ``STEM.png`` and ``STEM.svg``; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    stem : pathlib.Path
        Path of the files without suffix.
    png : bool
        Whether to write the PNG.

    Returns
    -------
    tuple of pathlib.Path
        The files.

    Examples
    --------
    >>> from paxsim import charts
    >>> figure, ax = charts.panels()
    >>> [path.name for path in charts.save(figure, Path("empty"))]
    ['empty.png', 'empty.svg']
    """
    if not hasattr(figure, "savefig"):
        raise PaxsimError(f"figure must be a Matplotlib Figure, got {safe_repr(figure)}")
    stem = checked_path("stem", stem)
    if not stem.name:
        raise PaxsimError(f"stem must be the path of a file, got {safe_repr(str(stem))}")
    metadata = {"Description": " ".join(footer_of(figure).split())}
    svg = stem.with_suffix(".svg")
    with style():
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, **metadata})
        with atomic_write(svg, "stem") as file:
            file.write(_tidy(text.getvalue()))
        if not png:
            return (svg,)
        # The layout is slow to compute, and that of the SVG fits the PNG too.
        figure.set_layout_engine(None)
        pixels = stem.with_suffix(".png")
        with atomic_write(pixels, "stem", mode="wb") as file:
            figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None, **metadata})
    return pixels, svg


def _tidy(svg: str) -> str:
    """Return an SVG that is the same on every machine, and smaller.

    Matplotlib names clips and markers by a digest of coordinates, the last bits of which differ
    from machine to machine: they are named in the order of their first use. Coordinates have two
    decimals, and elements that nothing refers to have no names.
    """
    names: dict[str, str] = {}

    def in_order(match: re.Match[str]) -> str:
        before, name = match.groups()
        return before + names.setdefault(name, f"{name[0]}{len(names) + 1}")

    svg = _UNUSED.sub("", _DIGEST_NAME.sub(in_order, svg))
    svg = _TAG.sub(lambda tag: _DECIMALS.sub(r"\1", tag[0]), svg)
    return re.sub(r"\n +", "\n", svg)


# --- tables ---------------------------------------------------------------------------------


def caption_of(source: Any) -> str:
    """Return games, blocks, seed, deck, rules and version of a source, if it has them."""
    caption = getattr(source, CAPTION, None)
    if isinstance(caption, str) or not isinstance(source, pd.DataFrame):
        return caption or ""
    if source.attrs.get(CAPTION):
        return str(source.attrs[CAPTION])
    words = []
    matches = source
    if "lineup" in source:  # the rows of a line-up, one per seat or strategy, are of the same games
        matches = source.drop_duplicates([name for name in MATCH if name in source])
    for name in ("games", "blocks"):
        if name in source:
            words.append(f"{int(matches[name].sum()):,} {name}")
    for name, plural in (("seed", "seeds"), ("deck", "decks"), ("rules", "rule sets"),
                         ("version", "versions")):  # fmt: skip
        if name in source:
            values = [str(value) for value in dict.fromkeys(source[name])]
            listed = f"{name} {', '.join(values)}"
            words.append(listed if len(values) < 4 else f"{len(values)} {plural}")
    return ", ".join(words)


def table_of(source: Any, name: str) -> pd.DataFrame:
    """Return the table to draw: the source itself, or the one of that name of a result."""
    table = source if isinstance(source, pd.DataFrame) else checked_result(source)[name]
    return table.round(DECIMALS)


def checked_result(source: Any) -> Any:
    """Return the source if it is a result."""
    if not hasattr(source, "tables") or not hasattr(source, "matches"):
        raise PaxsimError(f"source must be a result or one of its tables, got {safe_repr(source)}")
    return source


def only(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows with these values; None and missing columns do not restrict."""
    for column, value in values.items():
        if value is not None and column in table:
            rows = table[table[column] == value]
            if rows.empty:
                choices = ", ".join(dict.fromkeys(table[column].astype(str)))
                raise PaxsimError(f"{column} must be one of {choices}, got {safe_repr(value)}")
            table = rows
    return table


def of_players(table: pd.DataFrame, players: int | None) -> tuple[int, pd.DataFrame]:
    """Return a player count, by default the first, and its rows."""
    if table.empty:
        raise PaxsimError("source must have at least one row")
    players = int(table["players"].iloc[0]) if players is None else players
    return players, only(table, players=players)
