"""A robot's file with the safe remedies of its findings carried out: `lint --fix`."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from leapcheck.api.robots import lint
from leapcheck.robots.load import read_robot_file
from leapcheck.robots.remedies import DEFAULT_WHY, REMEDIES, WHY_NOT
from leapcheck.robots.xml_edits import start_tags, with_edits
from leapcheck.system.whole_file import whole_file
from leapcheck_models.lint.finding import Finding


@dataclass(frozen=True, slots=True)
class Repair:
    """What was repaired in a file: findings that are gone, those that are left with the reason, and the unified diff."""

    file: str
    out: Path
    gone: tuple[Finding, ...]
    left: tuple[tuple[Finding, str], ...]
    diff: str

    @property
    def ok(self) -> bool:
        """Whether no error is left."""
        return not any(finding.severity == "error" for finding, _ in self.left)

    @property
    def sentence(self) -> str:
        """What was written, in words."""
        return f"{self.out}: {len(self.gone)} findings repaired, {len(self.left)} left"

    def __str__(self) -> str:
        lines = [self.diff] if self.diff else []
        lines += [f"repaired {f.severity}  {f.place}: {f.message}  [{f.rule}]" for f in self.gone]
        lines += [
            f"left     {f.severity}  {f.place}: {f.message}  [{f.rule}]\n         not repaired: {why}" for f, why in self.left
        ]
        return "\n".join([*lines, self.sentence])


def repair(robot: str, out: Path) -> Repair:
    """Writes the file of a robot with what has a safe remedy repaired, all else byte for byte, and says what is left.

    A remedy is kept only if checking the file again shows its findings gone and no new error or warning.

    Args:
        robot: a .urdf (with "#fixed" or "#floating" behind it, if need be) or .xml.
        out: the file to write, of the same ending. Meshes and included files are looked for beside it.

    Raises:
        ValueError: the robot is no such file, its text is not UTF-8, or `out` has another ending; or as `load`.
        FileNotFoundError: as `load`.
    """
    path, hash_sign, base = robot.partition("#")
    imported = read_robot_file(robot)
    if imported is None:
        raise ValueError(f"robot '{robot:.80}' is no .urdf or .xml: --fix repairs the text of such a file")
    if out.suffix != Path(path).suffix:
        raise ValueError(f"'{out}' does not end in {Path(path).suffix}: the repaired file has the format of '{path}'")
    original = content = Path(path).read_bytes()
    try:
        text = original.decode()
    except UnicodeDecodeError:
        raise ValueError(f"file '{path}' is not in UTF-8: save it so to have it repaired") from None
    before = list(lint(robot))
    with whole_file(out) as scratch:
        scratch.write_bytes(original)
        findings = _findings(f"{scratch}{hash_sign}{base}", out, path)
        for rule, remedy in REMEDIES[imported.format]:
            edits = list(remedy(content, start_tags(content)))
            if not edits or not any(finding.rule == rule for finding in findings):
                continue
            candidate = with_edits(content, edits)
            scratch.write_bytes(candidate)
            try:
                after = list(lint(f"{scratch}{hash_sign}{base}"))
            except ValueError:
                continue  # without it the file is refused
            if _is_better(findings, after, rule):
                content, findings = candidate, after
        scratch.write_bytes(content)
    left = {_key(finding, scratch.name) for finding in findings}
    gone = tuple(finding for finding in before if _key(finding, Path(path).name) not in left)
    rest = tuple((finding, WHY_NOT.get(finding.rule, DEFAULT_WHY)) for finding in before if finding not in gone)
    diff = "".join(difflib.unified_diff(text.splitlines(True), content.decode().splitlines(True), path, str(out)))
    return Repair(robot, out, gone, rest, diff)


def _findings(copy: str, out: Path, path: str) -> list[Finding]:
    """Findings on the file in its new place; ValueError where it cannot be read there."""
    try:
        return list(lint(copy))
    except (ValueError, FileNotFoundError) as error:
        raise ValueError(f"'{out}': the file is refused there ({error}): write the repaired one beside '{path}'") from None


def _key(finding: Finding, name: str) -> tuple[str, ...]:
    """What makes a finding the same in the repaired file, which has another name."""
    texts = finding.rule, finding.severity, finding.place, finding.message
    return tuple(text.replace(name, "FILE") for text in texts)


def _is_better(before: list[Finding], after: list[Finding], rule: str) -> bool:
    """Whether the rule has fewer findings than before, and no error or warning is new; both on the same path.

    Where an engine refused the file and now loads it, what it then makes of it is no new finding: it was hidden.
    """
    of_rule = [sum(finding.rule == rule for finding in findings) for findings in (before, after)]
    hidden = {f.place for f in before if f.rule == "load"} - {f.place for f in after if f.rule == "load"}
    counts = [Counter((f.rule, f.place) for f in findings if f.severity != "note") for findings in (before, after)]
    new = [place for _, place in counts[1] - counts[0] if place not in hidden]
    return of_rule[1] < of_rule[0] and not new
