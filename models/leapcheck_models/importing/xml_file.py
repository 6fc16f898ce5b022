"""XML files of strangers, read so that they can do no harm: no DTD, no entity, nothing huge.

The limits lie a hundred times above real robots and below what Python, MuJoCo and Pinocchio are brought down by.
"""

import math
import os
import re
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path
from typing import Any

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from leapcheck_models.spec_file import MAX_NUMBER
from leapcheck_models.words import plural

MAX_BYTES = 32 * 2**20
MAX_ELEMENTS = 200_000
MAX_DEPTH = 250
"""Elements in each other; TinyXML, with which both engines read, takes 500."""
MAX_ATTRIBUTE = 100_000
"""Characters of one attribute; names are held to fewer by `validation`."""
MAX_LIMIT = 1e300
"""Limits, efforts and speeds may say "none" by any large number."""
MIN_NUMBER = 1e-30
"""Smaller numbers count as zero: their products would leave the range of floats."""

MISPLACED_DECLARATION = re.compile(rb"\A((?:<!--(?:(?!-->).)*-->\s*)+)<\?xml[^>]*\?>", re.DOTALL)
"""An XML declaration behind comments; with blanks before the first one and NULs at the end it is what both engines read."""

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def file_size(path: Path, what: str) -> int:
    """Size in bytes of a plain file that exists and is not too large; FileNotFoundError or ValueError names it."""
    if not path.is_file():
        raise FileNotFoundError(f"file '{path}' does not exist or is no plain file: give the path of {what}")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(f"file '{path}' is larger than {MAX_BYTES} bytes: {what} is smaller; leave meshes out of it")
    return size


def read_xml(path: str | os.PathLike[str], root_tag: str, what: str) -> ET.Element:
    """Root element of an XML file, which must have the tag `root_tag`.

    Raises FileNotFoundError, or ValueError in one line that names the file, what is wrong and the remedy: no XML, a DTD or an
    entity, another root, or more bytes, elements, depth or text than any robot has.
    """
    file = Path(path)
    where = f"file '{file}'"
    file_size(file, what)
    try:
        root = _parse(file, where)
    except DefusedXmlException:
        raise ValueError(f"{where}: it declares a DTD or an entity, which may do harm: take the <!DOCTYPE ...> out") from None
    except ET.ParseError as error:
        raise ValueError(f"{where} is not XML: {' '.join(str(error).split())}: correct it there") from None
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"{where}: its text cannot be decoded ({' '.join(str(error).split())}): save it as UTF-8") from None
    if root.tag != root_tag:
        raise ValueError(f"{where}: its root element is <{root.tag:.40}>: {what} has <{root_tag}> there")
    return root


def _parse(file: Path, where: str) -> ET.Element:
    """The root, its size watched while it is read."""
    depth = elements = 0
    root: ET.Element | None = None
    content = MISPLACED_DECLARATION.sub(rb"\1", file.read_bytes().strip(b" \t\r\n\0"), count=1)
    for event, element in iterparse(BytesIO(content), events=("start", "end"), forbid_dtd=True):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        root = element if root is None else root
        if event == "start":
            _check_element(element, depth, elements, where)
    assert root is not None  # expat refuses a file without an element
    return root


def _check_element(element: ET.Element, depth: int, elements: int, where: str) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"{where}: its elements are nested more than {MAX_DEPTH} deep: a robot's are not; flatten it")
    if elements > MAX_ELEMENTS:
        raise ValueError(f"{where}: it has more than {MAX_ELEMENTS} elements: a robot has fewer; split it")
    for key, value in element.attrib.items():
        if len(value) > MAX_ATTRIBUTE:
            raise ValueError(
                f"{where}: <{element.tag:.40}>: the attribute '{key:.40}' has {len(value)} characters: "
                f"give at most {MAX_ATTRIBUTE}, and leave data to files of their own"
            )


def element_label(element: ET.Element) -> str:
    """An element in words: its tag, and its name where it has one."""
    name = element.get("name")
    return f"<{element.tag:.40}>" if name is None else f"<{element.tag:.40} name={name!r:.80}>"


def floats(place: str, text: str, count: int, most: float = MAX_NUMBER) -> tuple[float, ...]:
    """`count` numbers of at most `most`, blanks between them; ValueError that names the place."""
    words = text.split()
    if len(words) != count:
        raise ValueError(f"{place} is {text!r:.60}: give {plural(count, 'number')}, blanks between them")
    return tuple(_float(place, word, most) for word in words)


def _float(place: str, word: str, most: float) -> float:
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    if not abs(value) <= most:  # NaN too
        raise ValueError(f"{place} holds {word!r:.40}: give a finite number of at most {most:g}, in digits and a point")
    return value if abs(value) >= MIN_NUMBER else 0.0


def attribute_floats(
    place: str, element: Any, key: str, default: tuple[float, ...], most: float = MAX_NUMBER
) -> tuple[float, ...]:
    """Numbers of an attribute, as many as the default has; the default where the element or the attribute is missing."""
    if element is None or element.get(key) is None:
        return default
    return floats(f"{place}: the attribute '{key}' of <{element.tag}>", element.get(key), len(default), most)


def required_attribute(place: str, element: ET.Element, key: str) -> str:
    """An attribute that must be there; ValueError that names the place."""
    if not (value := element.get(key)):
        raise ValueError(f"{place}: <{element.tag}> has no '{key}': add it")
    return value
