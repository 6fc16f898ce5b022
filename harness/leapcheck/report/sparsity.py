"""The pattern of M: in the terminal and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leapcheck.report import svg
from leapcheck.report.matrix_plot import name, sparsity_plot
from leapcheck.report.words import printable, short

Pattern = Sequence[Sequence[int]]

NAME_LENGTH = 24  # longer names are cut

STYLE = """
svg { background: #fff; font-family: ui-monospace, Menlo, Consolas, monospace }
.ground { fill: #eef0f3 } .cell { fill: #1f5fa8 } .name { fill: #1b1f24 } .index { fill: #5b6470 }
"""


def sparsity_text(pattern: Pattern, names: Sequence[str], *, unicode: bool = True, width: int = 80) -> str:
    """The pattern as lines of text without a final line break, rows named and numbered; plain ASCII without `unicode`.

    A cell is two characters wide where `width` allows it, else one; names give way before cells do.
    """
    n = len(pattern)
    full, empty, ellipsis = ("█", "·", "…") if unicode else ("#", ".", "~")
    digits = len(str(max(n - 1, 0)))
    cell = 2 if 2 * n + digits + 8 <= width else 1
    room = max(6, width - cell * n - digits - 2)
    shown = [short(printable(name(names, i)), min(room, NAME_LENGTH)).replace("…", ellipsis) for i in range(n)]
    if not unicode:
        shown = [words.encode("ascii", "replace").decode() for words in shown]
    label = max(map(len, shown), default=0)
    margin = " " * (label + digits + 2)
    lines = [
        margin + "".join(f"{place:<{cell}}" for place in row).rstrip()
        for row in zip(*(f"{i:>{digits}}" for i in range(n)), strict=True)
    ]
    lines += [
        f"{words:<{label}} {i:>{digits}} " + "".join((full if entry else empty) * cell for entry in row)
        for i, (words, row) in enumerate(zip(shown, pattern, strict=True))
    ]
    return "\n".join([*lines, sparsity_sentence(pattern)])


def sparsity_sentence(pattern: Pattern) -> str:
    """How many entries are not zero by structure, in words."""
    entries, filled = len(pattern) ** 2, sum(bool(entry) for row in pattern for entry in row)
    share = f" ({100 * filled / entries:.0f} %)" if entries else ""
    return f"{filled} of {entries} entries are not zero by structure{share}"


def sparsity_svg(pattern: Pattern, names: Sequence[str]) -> str:
    """The pattern as a whole SVG file; equal patterns give equal text."""
    drawing = sparsity_plot(pattern, names, NAME_LENGTH)
    drawing.set("xmlns", "http://www.w3.org/2000/svg")
    drawing.insert(0, svg.element("style", STYLE))
    return svg.markup(drawing) + "\n"


def write_sparsity_picture(pattern: Pattern, names: Sequence[str], path: Path | str) -> Path:
    """Write the picture as SVG or PNG, by the suffix of `path`, and return the path; ValueError for any other suffix."""
    path = Path(path)
    if path.suffix.lower() == ".svg":
        path.write_text(sparsity_svg(pattern, names), encoding="utf-8")
    elif path.suffix.lower() == ".png":
        _write_png(pattern, names, path)
    else:
        raise ValueError(f"cannot draw '{path}': give it the suffix .svg or .png")
    return path


def _write_png(pattern: Pattern, names: Sequence[str], path: Path) -> None:
    """The same picture by matplotlib, without a date."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    n = len(pattern)
    figure = Figure(figsize=(1.6 + 0.22 * n, 0.6 + 0.22 * n), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if n:
        colours = ListedColormap(["#eef0f3", "#1f5fa8"])
        axes.pcolormesh([[bool(entry) for entry in row] for row in pattern], cmap=colours, vmin=0, vmax=1, edgecolors="#fff")
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    labels = [f"{short(printable(name(names, i)), NAME_LENGTH)}  {i:>2}".replace("$", r"\$") for i in range(n)]
    middles = [i + 0.5 for i in range(n)]
    axes.set_yticks(middles, labels, fontfamily="monospace", fontsize=8)
    axes.set_xticks(middles, [str(i) for i in range(n)], fontfamily="monospace", fontsize=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.savefig(path, dpi=150, metadata={"Software": None})
