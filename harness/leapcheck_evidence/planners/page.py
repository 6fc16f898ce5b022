"""The table of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leapcheck_evidence.planners.goals import ENGINES, LIMITS, PLANNERS

Row = Mapping[str, Any]
COMMAND = "`make planners` (`python -m leapcheck_evidence.planners`)"


def planners_page(rows: Sequence[Row], total: int) -> str:
    """Worst use of both plans for each goal, and which limits simulations break; `total`: all goals there are."""
    both = [row for row in rows if all("use" in row[planner] for planner in PLANNERS)]
    better = sum(row["optimised"]["use"] < row["quick"]["use"] for row in both)
    alone = {planner: sum(_only(row, planner) for row in rows) for planner in PLANNERS}
    lines = [
        "# Optimised and closed-form plans",
        "",
        f"Written by {COMMAND}. {len(rows)} of {total} goals were tried.",
        "Worst use: the largest part of a limit (drives, joints, legs, ground) that the plan uses anywhere; 1 is the limit.",
        f"Each plan is simulated in {', '.join(ENGINES)} at 1 ms, without variations. A limit counts as broken where",
        "torque or voltage asked, or friction needed, is above its limit at any moment of the simulation, the touch-down among",
        "them, or the trunk touches the ground.",
        "",
        f"Of {len(both)} goals that both planners plan, the optimised plan has the smaller worst use in {better}.",
        f"The optimised planner alone plans {alone['optimised']}, the closed-form one alone {alone['quick']}.",
        *(_count(rows, planner) for planner in PLANNERS),
        "",
        "| goal | worst use, quick | optimised | broken in simulation, quick | optimised |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [_use(row[planner]) for planner in PLANNERS] + [_broken_text(row[planner]) for planner in PLANNERS]
        lines.append(f"| {row['label']} | {' | '.join(cells)} |")
    lines += _refusals(rows)
    return "\n".join(lines) + "\n"


def _refusals(rows: Sequence[Row]) -> Iterator[str]:
    """Why there is no plan."""
    for row in rows:
        for planner in PLANNERS:
            if "refused" in row[planner]:
                yield from ("", f"No {planner} plan for {row['label']}: {row[planner]['refused']}.")


def _only(row: Row, planner: str) -> bool:
    return "use" in row[planner] and not any("use" in row[other] for other in PLANNERS if other != planner)


def _use(plan: Row) -> str:
    return f"{plan['use']:.2f} ({plan['worst'].partition(',')[0]})" if "use" in plan else "no plan"


def _count(rows: Sequence[Row], planner: str) -> str:
    plans = [row[planner] for row in rows if "use" in row[planner]]
    runs = [seen for plan in plans for seen in plan["seen"].values()]
    broken = sum(bool(broken_limits(seen)) for seen in runs)
    failed = sum(bool(seen["fails"]) for seen in runs)
    return f"Of {len(runs)} simulations of {planner} plans {failed} fail and {broken} break a limit."


def _broken_text(plan: Row) -> str:
    """Which limits which simulators break, and where the jump fails."""
    if "use" not in plan:
        return ""
    texts = []
    for name, seen in plan["seen"].items():
        words = broken_limits(seen) + (["it fails"] if seen["fails"] else [])
        texts += [f"{name}: {', '.join(words)}"] if words else []
    return "; ".join(texts) or "none"


def broken_limits(seen: Row) -> list[str]:
    """The limits that a simulation breaks, with the figures."""
    return [
        f"{word} {seen[key]:.2f}"
        for key, word in LIMITS.items()
        if key in seen and (seen[key] <= 0.0 if key == "trunk_clearance" else seen[key] > 1.0)
    ]
