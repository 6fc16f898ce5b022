"""Robot files with damage in their text: read or refused in one line, never a traceback, and engines agree on what is read."""

from __future__ import annotations

import re
from pathlib import Path

from leapcheck.robots.load import load
from leapcheck_evidence.soak.draws import choice, robot
from leapcheck_evidence.soak.program import leftovers, run
from leapcheck_evidence.soak.record import CaseResult, Rng
from leapcheck_models.generate import write_robot_files
from leapcheck_models.spec_file import write_spec

NUMBER = re.compile(r"(?<![\w.#])-?\d+(\.\d+)?(e[-+]?\d+)?(?![\w.])")
WORD = re.compile(r'"[^"\n]*"|<[^>\n]*>')
VALUES = ("0", "-1", "-0", "nan", "inf", "1e308", "1e-320", "1e400", "abc", "0x10", "1,5", "\uff11", "9" * 20, "", "1 2")
DAMAGE = ("number", "number", "scaled number", "scaled number", "removed", "doubled", "swapped", "byte", "cut", "white space")


def robot_file_case(rng: Rng, folder: Path) -> CaseResult:
    """A robot's own JSON, URDF or MJCF with one to four changes of its text."""
    name = robot(rng, 12)
    paths = [path for path in write_robot_files(load(name), folder, "bodies") if path.name != "scene.xml"]
    write_spec(load(name), folder / "robot.json")
    path = choice(rng, (*paths, folder / "robot.json"))
    text, kinds = path.read_text(encoding="utf-8"), []
    for _ in range(rng.integers(1, 5)):
        kind, text = _changed(rng, text)
        kinds.append(kind)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    moderate = set(kinds) <= {"scaled number", "white space"}
    words = ["compare", path.name, "--states", "64", "--out", "out"]
    problem = run(folder, words).problem((0, 2) if moderate else (0, 1, 2))
    problem = problem or run(folder, ["lint", path.name]).problem((0, 1, 2)) or leftovers(folder)
    return CaseResult(f"{name}: {path.name}: {', '.join(kinds)}", {"damaged robot files": 1}, problem)


def _changed(rng: Rng, text: str) -> tuple[str, str]:
    """A kind of damage, and the text with it."""
    numbers, words = list(NUMBER.finditer(text)), list(WORD.finditer(text))
    kind = choice(
        rng, ("number", "number", "scaled number", "scaled number", "removed", "doubled", "swapped", "byte", "cut", "white space")
    )
    place = int(rng.integers(len(text))) if text else 0
    if kind in ("number", "scaled number") and numbers:
        match = choice(rng, numbers)
        value = choice(rng, VALUES) if kind == "number" else repr(float(match[0]) * 10.0 ** rng.uniform(-1, 1))
        return kind, text[: match.start()] + value + text[match.end() :]
    if kind in ("removed", "doubled") and words:
        match = choice(rng, words)
        return kind, text[: match.start()] + match[0] * (2 * (kind == "doubled")) + text[match.end() :]
    if kind == "swapped" and len(words) > 1:
        first, second = sorted((choice(rng, words), choice(rng, words)), key=lambda match: match.start())
        if first.end() <= second.start():
            return kind, text[: first.start()] + second[0] + text[first.end() : second.start()] + first[0] + text[second.end() :]
    if kind == "cut":
        return kind, text[:place]
    if kind == "white space":
        return kind, text.replace("\n", choice(rng, ("\r\n", "\n\n", "\n ")))
    return "byte", text[:place] + choice(rng, ("\x00", "\ud800", "\u202e", "<", "&", '"', "}", "\x1b", "ÿ")) + text[place + 1 :]
