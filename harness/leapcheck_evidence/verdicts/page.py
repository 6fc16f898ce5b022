"""The pages of the study: verdicts against outcomes of known plans, and false GO of random requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leapcheck.jumping.judging.thresholds import JumpVerdict

Row = Mapping[str, Any]

OF_SIMULATIONS = (JumpVerdict.GO, JumpVerdict.MARGINAL, JumpVerdict.NO_GO)
COMMAND = "`make verdicts` (`python -m leapcheck_evidence.verdicts`)"


def verdicts_page(rows: Sequence[Row], total: int) -> str:
    """A line for each known plan and variation, and how well the verdict separates; `total`: all there are."""
    lines = [
        "# Verdicts against outcomes",
        "",
        f"Written by {COMMAND}. {_made(len(rows), total)}",
        "Each jump is judged by all simulators but one, and the outcome is that in the one left out, for each in turn. A jump",
        "succeeds where it neither falls, turns wrongly, hits the trunk, misses its height, distance or box, nor ends in motion.",
        "Steps are 1 and 0.5 ms; nothing is varied at random (no Monte Carlo). Plans are those of the robot as described;",
        "strength, friction, battery and payload are what they then meet. MIT's backflip is known to work on the robot as it is.",
        "Of the front jumps no measured outcome is known: where their boxes stood is not published.",
        "",
        *_separation(rows),
        "",
        *_exceptions(rows),
        "| jump | verdict (of each simulator left out) | succeeds in the one left out | first reason |",
        "|---|---|---|---|",
    ]
    for row in rows:
        if not row["planned"]:
            lines.append(f"| {row['label']} | {row['verdict']} | not planned | {_cell(row['reason'])} |")
            continue
        left = list(row["left_out"].values())
        verdicts = Counter(one["verdict"] for one in left)
        text = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.items())
        reason = next((one["reason"] for one in left if one["reason"]), "")
        lines.append(f"| {row['label']} | {text} | {sum(one['succeeds'] for one in left)} of {len(left)} | {_cell(reason)} |")
    return "\n".join(lines) + "\n"


def false_go_page(rows: Sequence[Row], total: int) -> str:
    """How often a GO failed in the simulator that was left out, and which; `total`: all requests there are."""
    trials = [(row["label"], name, one) for row in rows for name, one in row["left_out"].items()]
    go = [trial for trial in trials if trial[2]["verdict"] == JumpVerdict.GO]
    false = [trial for trial in go if not trial[2]["succeeds"]]
    unplanned = Counter(row["verdict"] for row in rows if not row["planned"])
    beyond, unknown = unplanned[JumpVerdict.NO_GO], unplanned[JumpVerdict.UNDECIDED]
    lines = [
        "# False GO",
        "",
        f"Written by {COMMAND}: random requests (kind, size, friction, robot, strength, payload; seed 0),",
        f"judged by all simulators but one and simulated in the one left out, for each in turn. {_made(len(rows), total)}",
        "",
        f"**{len(false)} of {len(go)} verdicts GO failed in the simulator left out.** {beyond} requests are beyond a",
        f"limit of the robot by the plan (NO-GO), of {unknown} the planner has found no plan (UNDECIDED).",
        "",
        *_separation(rows),
    ]
    if false:
        lines += ["", "| jump | left out | what happens there |", "|---|---|---|"]
        lines += [f"| {label} | {name} | {_cell(one['fails'])} |" for label, name, one in false]
    return "\n".join(lines) + "\n"


def _made(rows: int, total: int) -> str:
    """How many of the rows are there."""
    if rows == total:
        return f"All {total} rows were made."
    return f"{rows} of {total} rows were made: the command goes on with the rest."


def _exceptions(rows: Sequence[Row]) -> Iterator[str]:
    """The verdicts that the simulator left out contradicts."""
    wrong = [
        (row["label"], name, one)
        for row in rows
        for name, one in row["left_out"].items()
        if (one["verdict"] == JumpVerdict.NO_GO) is one["succeeds"]
    ]
    if not wrong:
        return
    yield from ("Verdicts that the simulator left out contradicts:", "")
    yield from ("| jump | left out | verdict of the others | what happens there |", "|---|---|---|---|")
    for label, name, one in wrong:
        yield f"| {label} | {name} | {one['verdict']} | {_cell(one['fails'] or 'it succeeds')} |"
    yield ""


def _separation(rows: Sequence[Row]) -> list[str]:
    """Verdict by outcome, counted over all simulators left out, and the share of right ones on both sides."""
    counts = Counter((one["verdict"], one["succeeds"]) for row in rows for one in row["left_out"].values())
    lines = ["| verdict | succeeds | fails |", "|---|---|---|"]
    lines += [f"| {verdict} | {counts[str(verdict), True]} | {counts[str(verdict), False]} |" for verdict in OF_SIMULATIONS]
    allowed = {ends: counts[JumpVerdict.GO, ends] + counts[JumpVerdict.MARGINAL, ends] for ends in (True, False)}
    forbidden = {ends: counts[JumpVerdict.NO_GO, ends] for ends in (True, False)}
    return [
        *lines,
        "",
        f"Of {sum(allowed.values())} jumps that GO or MARGINAL allows {allowed[True]} succeed in the simulator left out, of "
        f"{sum(forbidden.values())} that NO-GO forbids {forbidden[False]} fail there.",
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")[:160]
