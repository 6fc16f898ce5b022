"""Kinds of defects in what whole-body controllers, planners and identification ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from leapcheck_evidence.score.planting import (
    whole_contacts,
    whole_derivatives,
    whole_frame_derivatives,
    whole_frames,
    whole_matrices,
    whole_momentum,
    whole_regressors,
)
from leapcheck_evidence.score.planting.kind import Kind

ENGINES = ("whole", "whole", "pinocchio", "reference")
"""A user's engine of its own, and others with altered answers."""


def _kinds() -> Iterator[Kind]:
    for name, table, quantities in (
        ("frames", whole_frames.kinds(), whole_frames.FRAMES),
        ("centre of mass, momentum", whole_momentum.kinds(), whole_momentum.CENTROIDAL),
        ("matrices", whole_matrices.kinds(), whole_matrices.MATRICES),
        ("derivatives", whole_derivatives.kinds(), whole_derivatives.DERIVATIVES),
        ("regressors", whole_regressors.kinds(), whole_regressors.ASKED),
        ("frame derivatives", whole_frame_derivatives.kinds(), whole_frame_derivatives.FRAME_DERIVATIVES),
        ("contact forces", whole_contacts.kinds(), whole_contacts.ASKED),
    ):
        seen = Counter[str]()
        for label, drawer, count in table:
            seen[label] += 1
            yield Kind(name, f"{label} {seen[label]}", (drawer,), count, ENGINES, quantities=quantities)


WHOLE_BODY: tuple[Kind, ...] = tuple(_kinds())
