"""The page of the published jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leapcheck_evidence.anchors.catalogue import Anchor


def anchors_page(anchors: Mapping[str, Anchor], rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each published jump: source, what was published, what leapcheck says, what differs."""
    lines = [
        "# Published jumps",
        "",
        "Written by `make anchors` (`python -m leapcheck_evidence.anchors`). Jumps that real robots have done, beside what",
        "leapcheck says of the nearest request that it knows, in five simulators at 1 ms alone. These are other motions",
        "than the published ones, so that a NO-GO or UNDECIDED here says what leapcheck cannot do, not that the robot cannot.",
        "In brackets: the range over the simulators. Published figures marked * were not found in the source itself.",
        "",
        "| jump | source | published | verdict | leapcheck | first reason | what differs |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        anchor = anchors[row["label"]]
        published = anchor.published if anchor.checked else f"{anchor.published} *"
        cells = (row["label"], anchor.source, published, row["verdict"], row["ours"], row["why"], anchor.differs)
        lines.append(f"| {' | '.join(_cell(text) for text in cells)} |")
    lines += ["", "Requests:", ""]
    lines += [f"- {row['label']}: `{row['command']}`" for row in rows if row["command"]]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
