"""How charts look, in one place: colours, type, the footer, and how they are saved."""

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
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from paxsim.charts.data import caption_of
from paxsim.errors import PaxsimError, checked_path, one_line, safe_repr, unknown
from paxsim.io import atomic_write

#: Okabe and Ito's colours, which people with any colour vision can tell apart, in an order in
#: which neighbours also differ in grey print.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#8C6D31")
#: Beside the colour every line has its own marker and dashes.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
HATCHES = ("", "///", "...", "\\\\\\", "xx", "++", "oo")
INK, QUIET, FAINT = "#222222", "#8A8A8A", "#E4E4E4"
#: What is above and below a reference, in the bars of a tornado and the like.
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
    "svg.fonttype": "path",
    # Names of decks and policies may have dollar signs, which are no formulas.
    "text.parse_math": False,
    # Without it the names inside an SVG file are drawn at random; see `named_in_order`.
    "svg.hashsalt": "paxsim",
}
FOOTER_SIZE = 6.5
#: Characters of a footer of that size that fit into an inch of the figure's width.
FOOTER_CHARACTERS = 17
#: No text is shown smaller than this on a page, in its pixels.
LEAST_PIXELS = 9.0
DPI = 150
#: Where Matplotlib's SVG gives or uses a name that is a digest: a letter and ten digits.
_DIGEST_NAME = re.compile(r"""((?:\bid="|url\(#|href="#))([a-zA-Z][0-9a-f]{10})(?=["\)])""")


@contextmanager
def style() -> Iterator[None]:
    """The look of all charts, for a ``with`` block around one's own drawing.

    Nothing but the look is put back at its end: the first chart of a notebook loads the backend,
    which says how figures are shown from then on (`matplotlib.rc_context` would forget that).
    """
    before = {name: matplotlib.rcParams[name] for name in STYLE}
    matplotlib.rcParams.update(STYLE)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


def chart(width: float = 7.0, height: float = 4.0) -> Callable[[Callable], Callable[..., Axes]]:
    """Make a drawing function a chart: the common style, an Axes if none is given, the footer."""

    def decorate(function: Callable) -> Callable[..., Axes]:
        named = inspect.signature(function).parameters
        options = [*(name for name in list(named)[1:] if name != "ax"), "ax", "caption"]

        @functools.wraps(function)
        def draw(
            source: Any,
            *args: Any,
            ax: Axes | None = None,
            caption: str | None = None,
            **kwargs: Any,
        ) -> Axes:
            if ax is not None and not isinstance(ax, Axes):
                raise PaxsimError(f"ax: found {safe_repr(ax)}; allowed: Matplotlib's Axes")
            if caption is not None and not isinstance(caption, str):
                raise PaxsimError(f"caption: found {safe_repr(caption)}; allowed: a text")
            for name in kwargs:
                if name not in options:
                    raise unknown(f"chart {function.__name__}: argument", name, options)
            with style():
                axes = _new_axes(width, height) if ax is None else ax
                try:
                    function(source, *args, ax=axes, **kwargs)
                except (PaxsimError, LookupError, TypeError, AttributeError) as error:
                    if ax is None:
                        _forget(axes)
                    raise _unfit(function.__name__, error) from None
                add_footer(axes.figure, caption_of(source) if caption is None else caption)
                _show_dollars(axes)
            return axes

        return draw

    return decorate


def _new_axes(width: float, height: float) -> Axes:
    """An Axes in a new figure that notebooks show, as pandas does it."""
    from matplotlib import pyplot  # chooses a backend, so only when it is needed

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _forget(axes: Axes) -> None:
    """Close the figure of a chart that could not be drawn."""
    from matplotlib import pyplot

    pyplot.close(axes.figure)  # type: ignore[arg-type]


def _unfit(name: str, error: Exception) -> PaxsimError:
    """What is wrong with a table or an argument that can't be drawn."""
    if isinstance(error, PaxsimError):
        return error
    said = f"has no {error}" if isinstance(error, LookupError) else f"does not fit: {error}"
    return PaxsimError(f"source: {one_line(said)}; allowed: what the help of {name} says")


def _show_dollars(axes: Axes) -> None:
    """Texts of a figure that was made elsewhere are drawn later, and there in another style."""
    figure = axes.figure
    for text in [*axes.findobj(Text), *figure.texts]:
        text.set_parse_math(False)


def panels(
    rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.0, **how: Any
) -> tuple[Figure, Any]:
    """A figure for files only, without a window, and its Axes.

    Parameters
    ----------
    rows, columns : int
        Panels.
    width, height : float
        Size of the whole figure in inches.
    **how
        For ``Figure.subplots``, e.g. ``sharey=True``.
    """
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **how)


def add_footer(figure: Any, caption: str) -> None:
    """Write below a figure what it was made from; several sources are listed once each."""
    figure = figure.figure if not hasattr(figure, "supxlabel") else figure
    found = getattr(figure, "_paxsim_captions", [])
    if caption and caption not in found:
        found.append(caption)
    figure._paxsim_captions = found
    _write_footer(figure, FOOTER_SIZE)


def _write_footer(figure: Any, size: float) -> None:
    inches = float(figure.get_size_inches()[0])
    width = max(40, int(inches * FOOTER_CHARACTERS * FOOTER_SIZE / size))
    lines = [line for text in figure._paxsim_captions for line in textwrap.wrap(text, width)]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=size, color=QUIET)


def readable(figure: Any, pixels: float) -> None:
    """Enlarge what would be too small to read where a figure is shown so many pixels wide.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        With everything drawn on it.
    pixels : float
        Its width on the page.
    """
    least = LEAST_PIXELS * 72 * float(figure.get_size_inches()[0]) / pixels
    for text in figure.findobj(Text):
        text.set_fontsize(max(least, text.get_fontsize()))
    if footer_of(figure):
        with style():
            _write_footer(figure, max(least, FOOTER_SIZE))


def footer_of(figure: Any) -> str:
    """The text below a figure."""
    return str(figure.get_supxlabel())


def save(figure: Any, stem: Path, png: bool = True) -> tuple[Path, ...]:
    """Write a figure as ``STEM.png`` and ``STEM.svg``; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    stem : pathlib.Path
        The files without their suffix.
    png : bool
        Whether there is to be a PNG.
    """
    if not hasattr(figure, "savefig"):
        raise PaxsimError(f"figure: found {safe_repr(figure)}; allowed: Matplotlib's Figure")
    stem = checked_path("stem", stem)
    if not stem.name:
        raise PaxsimError(f"stem: found {safe_repr(str(stem))}; allowed: the name of a file")
    svg = stem.with_suffix(".svg")
    pixels = [stem.with_suffix(".png")] if png else []
    said = " ".join(footer_of(figure).split())
    with style():
        drawn = io.StringIO()
        what = {"Date": None, "Creator": None, "Description": said}
        figure.savefig(drawn, format="svg", metadata=what)
        with atomic_write(svg, "stem") as file:
            file.write(named_in_order(drawn.getvalue()))
        # Where everything stands is known by now; to find that takes longer than to draw. Found
        # for the SVG it fits the PNG too, whose letters are a little narrower, but not the reverse.
        # With no engine at all, not even the one called "none", the PNG is drawn once, not twice.
        if pixels:
            figure.set_layout_engine(None)
        for path in pixels:
            with atomic_write(path, "stem", mode="wb") as file:
                what = {"Software": None, "Description": said}
                figure.savefig(file, format="png", dpi=DPI, metadata=what)
    return *pixels, svg


def named_in_order(svg: str) -> str:
    """An SVG in which clips and markers are named by the order in which they are first met.

    Matplotlib names them by a digest of coordinates with all their bits, the last of which differs
    from machine to machine; the coordinates themselves are written with six decimals.
    """
    names: dict[str, str] = {}

    def in_order(found: re.Match[str]) -> str:
        before, name = found.groups()
        return before + names.setdefault(name, f"{name[0]}{len(names) + 1}")

    return _DIGEST_NAME.sub(in_order, svg)
