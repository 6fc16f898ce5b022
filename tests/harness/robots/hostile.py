"""Robot files made wrong or hostile: each class of fault as a seeded change of a good file, with words of the refusal.

A class is a function of a random generator and a folder; it writes a file and gives its path. Equal seeds give equal files.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.spec import as_json
from leapcheck_models.urdf import urdf_text

ROBOTS = ("tree4_7", "tree4_3", "two_link_arm", "pupper_leg")
Generator = np.random.Generator


class Case(NamedTuple):
    """How to write a wrong file, and words that the refusal holds besides the file's name."""

    write: Callable[[Generator, Path], Path]
    words: tuple[str, ...]


def good(rng: Generator, kind: str) -> str:
    """A good file's text."""
    text = {"urdf": urdf_text, "xml": mjcf_text, "json": as_json}[kind]
    return text(load(str(rng.choice(ROBOTS))))


def pick(rng: Generator, found: list[Any]) -> Any:
    """One of them."""
    return found[int(rng.integers(len(found)))]


def written(folder: Path, kind: str, text: str | bytes) -> Path:
    path = folder / f"robot.{kind}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def tree(kind: str, change: Callable[[ET.Element, Generator], object]) -> Callable[[Generator, Path], Path]:
    """A good XML file with its tree changed."""

    def write(rng: Generator, folder: Path) -> Path:
        root = ET.fromstring(good(rng, kind))
        change(root, rng)
        return written(folder, kind, ET.tostring(root))

    return write


def text(kind: str, change: Callable[[str, Generator], str | bytes]) -> Callable[[Generator, Path], Path]:
    """A good file with its text changed."""
    return lambda rng, folder: written(folder, kind, change(good(rng, kind), rng))


def record(change: Callable[[dict[str, Any], Generator], object]) -> Callable[[Generator, Path], Path]:
    """A good .json with its record changed."""

    def write(rng: Generator, folder: Path) -> Path:
        found = json.loads(good(rng, "json"))
        change(found, rng)
        return written(folder, "json", json.dumps(found))

    return write


def moving(root: ET.Element, rng: Generator) -> ET.Element:
    """One joint of a URDF that moves."""
    return pick(rng, [joint for joint in root.findall("joint") if joint.get("type") != "fixed"])


def attribute(path: str, key: str, *values: str) -> Callable[[ET.Element, Generator], object]:
    """Sets an attribute of one of the elements to one of the values."""
    return lambda root, rng: pick(rng, root.findall(path)).set(key, pick(rng, list(values)))


def bomb(source: str, rng: Generator) -> str:
    """Entities that expand to the power."""
    depth = int(rng.integers(3, 12))
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha" * 50}">' for i in range(depth))
    return declared(source, f"[{entities}]", f"&e{depth - 1};")


def outside_entity(source: str, rng: Generator) -> str:
    address = pick(rng, ["file:/etc/passwd", "http://example.org/x", "../secret", "/dev/zero"])
    return declared(source, f'[<!ENTITY x SYSTEM "{address}">]', "&x;")


def declared(source: str, declaration: str, use: str) -> str:
    body = re.sub(r"<\?xml[^>]*\?>", "", source)
    tag = "robot" if "<robot" in body else "mujoco"
    return re.sub(rf"(<{tag}[^>]*>)", rf"\g<1>{use}", f"<!DOCTYPE {tag} {declaration}>{body}", count=1)


def cut(source: str, rng: Generator) -> str:
    return source[: int(rng.integers(len(source) // 4, len(source) * 3 // 4))]


def no_text(source: str, rng: Generator) -> bytes:
    place = int(rng.integers(200, len(source) - 200))
    return source.encode()[:place] + bytes(pick(rng, [b"\xff\xfe", b"\x00", b"\x80", b"\xc3\x28"])) + source.encode()[place:]


def deep(tag: str) -> Callable[[str, Generator], str]:
    """Elements in each other without end."""

    def change(source: str, rng: Generator) -> str:
        n = int(rng.integers(260, 3000))
        return source.replace(f"</{tag}>", "<a>" * n + "</a>" * n + f"</{tag}>")

    return change


def second_root(root: ET.Element, rng: Generator) -> None:
    ET.SubElement(root, "link", name=f"alone_{rng.integers(99)}")


def loop(root: ET.Element, rng: Generator) -> None:
    """A joint's parent becomes its own child, or what hangs on it."""
    joint = moving(root, rng)
    child, parent = joint.find("child"), joint.find("parent")
    assert child is not None
    assert parent is not None
    parent.set("link", str(child.get("link")))


def twice(path: str) -> Callable[[ET.Element, Generator], object]:
    """One element comes twice."""
    return lambda root, rng: root.append(pick(rng, root.findall(path)))


def without(tag: str, of: str = "joint") -> Callable[[ET.Element, Generator], object]:
    """One element loses a child."""

    def change(root: ET.Element, rng: Generator) -> None:
        element = pick(rng, [e for e in root.findall(of) if e.find(tag) is not None])
        element.remove(element.find(tag))

    return change


def floating(root: ET.Element, rng: Generator) -> None:
    """A joint behind the first floats."""
    joint = root.findall("joint")[1]
    joint.set("type", "floating")
    ET.SubElement(joint, "dynamics", damping=str(rng.integers(9)))


def crowd(root: ET.Element, rng: Generator) -> None:
    for i in range(2001 + int(rng.integers(99))):
        ET.SubElement(root, "link", name=f"l{i}")


def include(*names: str) -> Callable[[Generator, Path], Path]:
    """An <include> of a file elsewhere, which exists."""

    def write(rng: Generator, folder: Path) -> Path:
        (folder.parent / "secret.xml").write_text("<mujoco/>")
        root = ET.fromstring(good(rng, "xml"))
        name = pick(rng, list(names)).format(outside=folder.parent / "secret.xml")
        root.insert(int(rng.integers(len(root))), ET.Element("include", file=name))
        return written(folder, "xml", ET.tostring(root))

    return write


def include_by_link(rng: Generator, folder: Path) -> Path:
    """An <include> of a link that leads out of the folder."""
    (folder.parent / "secret.xml").write_text("<mujoco/>")
    (folder / "inside.xml").unlink(missing_ok=True)
    (folder / "inside.xml").symlink_to(folder.parent / "secret.xml")
    return include("inside.xml", "./inside.xml")(rng, folder)


def include_loop(rng: Generator, folder: Path) -> Path:
    """Files that include each other."""
    n = int(rng.integers(1, 5))
    for i in range(n):
        (folder / f"part{i}.xml").write_text(f'<mujoco><include file="part{(i + 1) % n}.xml"/></mujoco>')
    return include("part0.xml")(rng, folder)


def replicated(root: ET.Element, rng: Generator) -> None:
    """A body copied without end."""
    worldbody = root.find("worldbody")
    assert worldbody is not None
    inner = worldbody
    for _ in range(int(rng.integers(2, 9))):
        inner = ET.SubElement(inner, "replicate", count=str(rng.integers(60, 10**7)), offset="1 0 0")
    ET.SubElement(ET.SubElement(inner, "body"), "geom", size="1")


def soft(root: ET.Element, rng: Generator) -> None:
    """Soft bodies and plugins."""
    tag = pick(rng, ["flexcomp", "plugin"])
    inside = pick(rng, [root.find("worldbody"), *root.findall("worldbody//body")])
    ET.SubElement(inside, tag, name="x", type="grid", count="9 9 9")


def with_mesh(root: ET.Element, rng: Generator) -> None:
    """A body whose inertia follows from a mesh elsewhere."""
    file = pick(
        rng, ["/etc/passwd", "../mesh.stl", "package://robot/mesh.stl", "missing.obj", "C:\\mesh.stl", "mesh.stl\\..", "~/a.stl"]
    )
    ET.SubElement(ET.SubElement(root, "asset"), "mesh", name="m", file=file)
    body = ET.SubElement(root.find("worldbody"), "body", name="lump")
    ET.SubElement(body, "geom", type="mesh", mesh="m", pos=f"{rng.random()} 0 0")


def twice_body(root: ET.Element, rng: Generator) -> None:
    """Two bodies of one name."""
    worldbody = root.find("worldbody")
    assert worldbody is not None
    worldbody.append(pick(rng, root.findall("worldbody//body")))


def nested(found: dict[str, Any], rng: Generator) -> None:
    for _ in range(int(rng.integers(5, 90))):
        found["description"] = [found["description"]]


NAME = "a" * 1_000_000
FALSE = ("nan", "inf", "-inf", "1e999", "0x10", "1,5", "\u0661", "1_0", "1e10", "one", "")

HOSTILE: dict[str, Case] = {
    "urdf: entities that expand": Case(text("urdf", bomb), ("DTD or an entity", "take the <!DOCTYPE")),
    "urdf: entity from elsewhere": Case(text("urdf", outside_entity), ("DTD or an entity", "take the <!DOCTYPE")),
    "urdf: cut off": Case(text("urdf", cut), ("is not XML", "correct it there")),
    "urdf: no text": Case(text("urdf", no_text), ("XML", "correct it there")),
    "urdf: nested without end": Case(text("urdf", deep("robot")), ("nested more than", "flatten it")),
    "urdf: another root": Case(tree("urdf", lambda r, g: setattr(r, "tag", pick(g, ["sdf", "mujoco", "html"]))), ("<robot>",)),
    "urdf: unknown link": Case(tree("urdf", attribute("joint/parent", "link", "x", "WORLD", " ")), ("does not exist", "add it")),
    "urdf: link twice": Case(tree("urdf", twice("link")), ("two links are called", "names must be unique")),
    "urdf: joint twice": Case(tree("urdf", twice("joint")), ("two joints are called", "names must be unique")),
    "urdf: two roots": Case(tree("urdf", second_root), ("both hang on nothing", "join them")),
    "urdf: loop": Case(tree("urdf", loop), ("loop", "link")),
    "urdf: bad mass": Case(tree("urdf", attribute("link/inertial/mass", "value", *FALSE)), ("<mass>", "link")),
    "urdf: bad inertia": Case(tree("urdf", attribute("link/inertial/inertia", "ixx", *FALSE)), ("'ixx'", "give")),
    "urdf: bad origin": Case(
        tree("urdf", attribute("joint/origin", "xyz", "1 2", "1 2 3 4", "", "a b c", "0 0 nan")), ("'xyz'", "give")
    ),
    "urdf: negative mass": Case(tree("urdf", attribute("link/inertial/mass", "value", "-1", "-1e-3", "-5e8")), ("at least 0",)),
    "urdf: zero axis": Case(
        tree("urdf", attribute("joint/axis", "xyz", "0 0 0", "-0 0 0.0", "1e-99 0 0")), ("give a direction",)
    ),
    "urdf: unknown joint type": Case(
        tree("urdf", attribute("joint", "type", "hinge", "FIXED", "screw", "6dof")), ("use one of",)
    ),
    "urdf: joint without child": Case(tree("urdf", without("child")), ("has no <child>", "add it")),
    "urdf: megabyte name": Case(tree("urdf", attribute("link", "name", NAME, NAME + "b")), ("characters", "give at most")),
    "urdf: unprintable name": Case(
        tree("urdf", attribute("joint", "name", "a\nb", "\u202egnp", "a\tb", "\x85", "b" * 201)), ("1 to 200 printable",)
    ),
    "urdf: floats inside": Case(tree("urdf", floating), ("floating", "hang it on the root")),
    "urdf: negative damping": Case(tree("urdf", attribute("joint/dynamics", "damping", "-1", "-0.5")), ("give at least 0",)),
    "urdf: too many links": Case(tree("urdf", crowd), ("links", "give 1 to 2000")),
    "mjcf: entities that expand": Case(text("xml", bomb), ("DTD or an entity", "take the <!DOCTYPE")),
    "mjcf: entity from elsewhere": Case(text("xml", outside_entity), ("DTD or an entity", "take the <!DOCTYPE")),
    "mjcf: cut off": Case(text("xml", cut), ("is not XML", "correct it there")),
    "mjcf: nested without end": Case(text("xml", deep("worldbody")), ("nested more than", "flatten it")),
    "mjcf: include elsewhere": Case(
        include("../secret.xml", "{outside}", "/etc/passwd", "a/../../secret.xml"), ("outside the model's folder", "put it below")
    ),
    "mjcf: include by a link": Case(include_by_link, ("outside the model's folder", "put it below")),
    "mjcf: includes itself": Case(include_loop, ("comes twice", "include a file once")),
    "mjcf: include of nothing": Case(include("nothing.xml", "sub/nothing.xml", "."), ("does not exist", "give the path")),
    "mjcf: copies without end": Case(tree("xml", replicated), ("<replicate>", "give a smaller count")),
    "mjcf: soft or foreign": Case(tree("xml", soft), ("cannot be held", "out")),
    "mjcf: mesh elsewhere": Case(tree("xml", with_mesh), ("mesh", "its file")),
    "mjcf: unknown element": Case(
        tree("xml", lambda r, g: ET.SubElement(pick(g, r.findall("worldbody//body")), pick(g, ["jont", "link", "script"]))),
        ("MuJoCo refuses it", "correct that element"),
    ),
    "mjcf: bad number": Case(tree("xml", attribute("worldbody//inertial", "mass", "-1", "x", "", "1 2", "1e300")), ("mass",)),
    "mjcf: name twice": Case(tree("xml", twice_body), ("MuJoCo refuses it", "correct that element")),
    "json: cut off": Case(text("json", cut), ("is not JSON", "correct it there")),
    "json: no text": Case(text("json", no_text), ("file",)),
    "json: unknown key": Case(record(lambda r, g: pick(g, r["bodies"]).update(colour=1)), ("key 'colour'", "use name")),
    "json: key missing": Case(record(lambda r, g: pick(g, r["bodies"]).pop(pick(g, ["name", "joint"]))), ("add it",)),
    "json: wrong type": Case(record(nested), ("description", "give a text")),
    "json: axis of no unit length": Case(
        record(lambda r, g: r["bodies"][-1]["joint"].update(axis=[g.random() + 1, 2, 0])), ("axis", "divide it by its norm")
    ),
    "json: number too large": Case(
        record(lambda r, g: pick(g, r["bodies"])["placement"].update(p=[0, 10.0 ** int(g.integers(10, 300)), 0])),
        ("placement.p", "give a number of at most"),
    ),
    "json: unknown parent": Case(record(lambda r, g: pick(g, r["bodies"]).update(parent=f"x{g.random()}")), ("does not exist",)),
    "json: body twice": Case(record(lambda r, g: r["bodies"].append(pick(g, r["bodies"]))), ("names must be unique",)),
    "json: nested without end": Case(
        lambda g, f: written(f, "json", pick(g, ["[", '{"a":', "[{"]) * int(g.integers(50_000, 90_000))), ("file",)
    ),
    "json: megabyte name": Case(record(lambda r, g: pick(g, r["bodies"]).update(name=NAME)), ("1 to 200 printable",)),
}
