"""How large an MJCF becomes when MuJoCo compiles it: what its copies and attached models make of it, counted beforehand."""

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from leapcheck_models.importing.urdf_records import MAX_LINKS
from leapcheck_models.importing.xml_file import element_label

MAX_COPIES = 2000
"""How often <replicate>s and <composite>s in each other may repeat what is in them."""

MAX_EXPANDED = 20_000
"""Elements with their copies: a hundred times a robot's. MuJoCo, Pinocchio and the import take 0.2 ms of CPU for each."""

MAX_KEYFRAMES = 1000
"""Keyframes, each a configuration of the whole robot."""

MOST = {"body": MAX_LINKS, "key": MAX_KEYFRAMES}
"""Limits of single kinds of elements."""

COPYING = ("replicate", "composite")

Counts: TypeAlias = Counter[str]


def check_copies(root: ET.Element, where: str) -> None:
    """ValueError for a <replicate> or <composite> without a plain count, or for too many copies."""
    for element, copies in _with_copies(root):
        if element.tag in COPYING and copies * _count(element, where) > MAX_COPIES:
            raise ValueError(f"{where}: <{element.tag}> makes more than {MAX_COPIES} copies: give a smaller count")


def check_size(root: ET.Element, models: Mapping[str, Counts], where: str) -> Counts:
    """How many elements there are of each tag, copies counted, and `models`, by name, wherever they are attached.

    ValueError for more bodies, keyframes or elements in all than are read: it names the element that there is most of.
    """
    counts: Counts = Counter()
    largest: dict[str, tuple[int, ET.Element]] = {}
    for element, copies in _with_copies(root):
        own: Counts = Counter({str(element.tag): 1})
        if element.tag == "composite":
            own["body"] += _count(element, where)
        elif element.tag == "attach":
            own += models.get(element.get("model", ""), Counter())
        for tag, number in own.items():
            counts[tag] += copies * number
            largest[tag] = max(largest.get(tag, (0, element)), (copies * number, element), key=lambda one: one[0])
    for tag, most in MOST.items():
        if counts[tag] > most:
            label = element_label(largest[tag][1])
            raise ValueError(f"{where}: it has {counts[tag]} elements like {label}, copies counted: give at most {most}")
    if (total := counts.total()) > MAX_EXPANDED:
        tag, count = counts.most_common(1)[0]
        raise ValueError(
            f"{where}: it has {total} elements, copies counted, {count} of them like {element_label(largest[tag][1])}: "
            f"give at most {MAX_EXPANDED}, and leave scenery out"
        )
    return counts


def _with_copies(root: ET.Element) -> Iterator[tuple[ET.Element, int]]:
    """Each element with the number of times that it is there when all copies are made."""
    stack = [(root, 1)]
    while stack:
        element, copies = stack.pop()
        yield element, copies
        inside = copies * _count(element, "") if element.tag in COPYING else copies
        stack.extend((child, inside) for child in element)


def _count(element: ET.Element, where: str) -> int:
    """How many copies the element makes of what is in it: its count, or the product of its counts."""
    words = element.get("count", "").split()
    if not words or not all(word.isascii() and word.isdigit() and len(word) < 9 for word in words):
        text = element.get("count", "")
        raise ValueError(f"{where}: <{element.tag}> has the count {text!r:.40}: give a whole number of at least 0")
    return math.prod(map(int, words))
