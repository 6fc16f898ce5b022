"""The pattern of M: in the terminal and as a picture."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from leapcheck.report import svg
from leapcheck.report.comparison.matrix_plot import name, sparsity_plot
from leapcheck.report.words import short
from leapcheck.system.text import terminal_text
from leapcheck.system.whole_file import write_whole

Pattern = Sequence[Sequence[int]]

NAME_LENGTH = 24  # longer names are cut

COLOURS = {"page": "#ffffff", "ground": "#eef0f3", "cell": "#1f5fa8", "name": "#1b1f24", "index": "#5b6470"}
STYLE = f"svg {{ background: {COLOURS['page']}; font-family: ui-monospace, Menlo, Consolas, monospace }}\n" + " ".join(
    f".{name} {{ fill: {colour} }}" for name, colour in COLOURS.items() if name != "page"
)
PIXELS = 2  # of the PNG for each of the SVG


def sparsity_text(pattern: Pattern, names: Sequence[str], *, unicode: bool = True, width: int = 80) -> str:
    """The pattern as lines of text without a final line break, rows named and numbered; plain ASCII without `unicode`.

    A cell is two characters wide where `width` allows it, else one; names give way before cells do.
    """
    n = len(pattern)
    full, empty, ellipsis = ("█", "·", "…") if unicode else ("#", ".", "~")
    digits = len(str(max(n - 1, 0)))
    cell = 2 if 2 * n + digits + 8 <= width else 1
    room = max(6, width - cell * n - digits - 2)
    shown = [short(terminal_text(name(names, i)), min(room, NAME_LENGTH)).replace("…", ellipsis) for i in range(n)]
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
    """The pattern as a whole SVG file; deterministic."""
    drawing = sparsity_plot(pattern, names, NAME_LENGTH)
    drawing.set("xmlns", "http://www.w3.org/2000/svg")
    drawing.insert(0, svg.element("style", STYLE))
    return svg.markup(drawing) + "\n"


def sparsity_png(pattern: Pattern, names: Sequence[str]) -> bytes:
    """The same picture as PNG, element by element, without a date."""
    from PIL import Image, ImageDraw, ImageFont

    drawing = sparsity_plot(pattern, names, NAME_LENGTH)
    image = Image.new("RGB", (_pixels(drawing, "width"), _pixels(drawing, "height")), COLOURS["page"])
    draw = ImageDraw.Draw(image)
    for node in drawing:
        colour, x, y = COLOURS[node.attrib["class"]], _pixels(node, "x"), _pixels(node, "y")
        if node.tag == "rect":
            draw.rectangle((x, y, x + _pixels(node, "width"), y + _pixels(node, "height")), colour)
        elif node.tag == "text":
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[node.attrib["text-anchor"]]
            draw.text((x, y), node.text or "", colour, ImageFont.load_default(_pixels(node, "font-size")), anchor)
        else:
            for corner in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", node.attrib["d"]):
                left, top, side = (round(PIXELS * float(value)) for value in corner)
                draw.rectangle((left, top, left + side, top + side), colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _pixels(node: ET.Element, name: str) -> int:
    return round(PIXELS * float(node.get(name, "0")))


def write_sparsity_picture(pattern: Pattern, names: Sequence[str], path: Path | str) -> Path:
    """Write the picture as SVG or PNG, by the suffix of `path`, and return the path; ValueError for any other suffix."""
    path = Path(path)
    if path.suffix.lower() not in (".svg", ".png"):
        raise ValueError(f"cannot draw '{path}': give it the suffix .svg or .png")
    is_svg = path.suffix.lower() == ".svg"
    write_whole(path, sparsity_svg(pattern, names).encode() if is_svg else sparsity_png(pattern, names))
    return path
