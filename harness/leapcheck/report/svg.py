"""SVG as an element tree: escaped by construction, deterministic. Colours are classes of the page's style."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from leapcheck.system.text import printable

CHARACTER = 0.6  # width of a monospace character over its font size


def element(tag: str, *children: ET.Element | str, **attributes: str | float) -> ET.Element:
    """An element; `class_` is class, other underscores in attribute names are hyphens, text children come first."""
    node = ET.Element(tag, {name.rstrip("_").replace("_", "-"): _value(value) for name, value in attributes.items()})
    for child in children:
        if isinstance(child, str):
            node.text = (node.text or "") + printable(child)
        else:
            node.append(child)
    return node


def drawing(width: float, height: float, label: str, children: Iterable[ET.Element], class_: str = "plot") -> ET.Element:
    """An svg element in its natural size in px, with a label for screen readers."""
    view_box = f"0 0 {_value(width)} {_value(height)}"
    return element(
        "svg", *children, class_=class_, width=width, height=height, viewBox=view_box, role="img", aria_label=printable(label)
    )


def text(x: float, y: float, content: str, class_: str, anchor: str = "start", size: float = 10) -> ET.Element:
    """A line of text with its baseline at (x, y)."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor, font_size=size)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> ET.Element:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def markup(node: ET.Element) -> str:
    """The text of an element."""
    return ET.tostring(node, encoding="unicode")


def _value(value: str | float) -> str:
    """Text of an attribute; lengths to a hundredth of a pixel, without trailing zeros."""
    return printable(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
