"""A baseline out of a run, or an older one brought up to date by a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from leapcheck.baseline.causes import causes, is_known, row_of
from leapcheck.baseline.files import expiry
from leapcheck.baseline.record import TRUTH, AcceptedError, Baseline, KnownDiscrepancy, RobotBaseline
from leapcheck.compare.records import Discrepancy, Run


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Why discrepancies that are not known yet are accepted, and until when (None: for good); "" accepts none.

    Raises ValueError where `expires` is no day.
    """

    reason: str = ""
    expires: str | None = None

    def __post_init__(self) -> None:
        if self.expires is not None:
            expiry(self.expires)


def part_of(run: Run, old: Baseline, given: Acceptance) -> RobotBaseline:
    """What is accepted of a run: its errors, and those of its discrepancies that an old baseline knows or `given` accepts."""
    made = run.provenance
    known = [k for part in old.robots if made.model_hash == part.model_hash or made.robot == part.robot for k in part.known]
    return RobotBaseline(
        made.robot,
        made.model_hash,
        made.versions,
        tuple(sorted(accepted_errors(run), key=_row)),
        tuple(sorted(known_discrepancies(run, known, given), key=_fault)),
    )


def updated(old: Baseline, parts: Iterable[RobotBaseline]) -> Baseline:
    """The baseline with new parts in place of what it accepted of the same robots, engines and quantities.

    A known discrepancy that is gone goes; what no part compared stays, unless the robot's description is another now.
    """
    robots = {part.robot: part for part in old.robots}
    for new in _joined(parts):
        before = next((part for part in robots.values() if part.model_hash == new.model_hash), None)
        if before is not None:
            del robots[before.robot]
            new = _with_unseen(new, before)
        robots[new.robot] = new
    return Baseline(tuple(robots[name] for name in sorted(robots)))


def _joined(parts: Iterable[RobotBaseline]) -> list[RobotBaseline]:
    """The parts, those of one robot as one: of each row the larger error, every known discrepancy once."""
    found: dict[str, RobotBaseline] = {}
    for part in parts:
        first = found.get(part.model_hash)
        found[part.model_hash] = part if first is None else _both(first, part)
    return list(found.values())


def _both(first: RobotBaseline, second: RobotBaseline) -> RobotBaseline:
    rows: dict[tuple[str, str, str], AcceptedError] = {}
    for entry in (*first.accepted, *second.accepted):
        rows[_row(entry)] = max(rows.get(_row(entry), entry), entry, key=lambda a: (a.rounding, a.error))
    known = {_fault(k): k for k in (*first.known, *second.known)}
    return replace(second, accepted=tuple(rows[k] for k in sorted(rows)), known=tuple(known[k] for k in sorted(known)))


def _with_unseen(new: RobotBaseline, old: RobotBaseline) -> RobotBaseline:
    """The new part with those entries of the old one that are about engines and quantities that the new one has not."""
    seen = compared_in(new)
    accepted = [*new.accepted, *(a for a in old.accepted if (a.engine, a.quantity) not in seen)]
    known = [*new.known, *(k for k in old.known if (k.engine, k.quantity) not in seen)]
    return replace(new, accepted=tuple(sorted(accepted, key=_row)), known=tuple(sorted(known, key=_fault)))


def compared_in(part: RobotBaseline) -> dict[tuple[str, str], None]:
    """(engine, quantity) of everything that a part is about, in its order."""
    return dict.fromkeys([*((a.engine, a.quantity) for a in part.accepted), *((k.engine, k.quantity) for k in part.known)])


def _row(entry: AcceptedError) -> tuple[str, str, str]:
    return entry.engine, entry.quantity, entry.against


def _fault(entry: KnownDiscrepancy) -> tuple[str, str, tuple[str, ...]]:
    return entry.engine, entry.quantity, entry.causes


def accepted_errors(run: Run) -> list[AcceptedError]:
    """The errors of what is no discrepancy: against the truth, and in pairs where one of the two has no such value."""
    bad = {(found.engine, found.quantity) for found in run.discrepancies}
    judged = {(a.engine, a.quantity) for a in run.accuracies}
    rows = [(a.engine, a.quantity, TRUTH, a.rounding, a.worst, a.states) for a in run.accuracies]
    rows += [
        (c.engine, c.quantity, c.against, c.rounding, c.error, c.states)
        for c in run.comparisons
        if not judged >= {(c.engine, c.quantity), (c.against, c.quantity)}
    ]
    return [
        AcceptedError(engine, quantity, against, _short(rounding), _short(error), states, seed_of(run))
        for engine, quantity, against, rounding, error, states in rows
        if not {(engine, quantity), (against, quantity)} & bad
    ]


def known_discrepancies(run: Run, old: Iterable[KnownDiscrepancy], given: Acceptance) -> list[KnownDiscrepancy]:
    """The run's discrepancies, with the reasons that they had or the given one; those without a reason are left out."""
    old = list(old)
    found = []
    for discrepancy in run.discrepancies:
        before = next((known for known in old if is_known(run, discrepancy, known)), None)
        if before is not None:
            found.append(_known(run, discrepancy, Acceptance(before.reason, before.expires)))
        elif given.reason.strip():
            found.append(_known(run, discrepancy, given))
    return found


def unknown(run: Run, part: RobotBaseline) -> list[Discrepancy]:
    """The run's discrepancies that a part does not hold."""
    return [found for found in run.discrepancies if not any(is_known(run, found, known) for known in part.known)]


def seed_of(run: Run) -> int | None:
    """The seed of the run's states; None where they are the user's own, or a single one."""
    own = any(option in run.provenance.command.split() for option in ("--states-file", "--only"))
    return None if own else run.provenance.seed


def _known(run: Run, found: Discrepancy, given: Acceptance) -> KnownDiscrepancy:
    row = row_of(run, found)
    return KnownDiscrepancy(
        engine=found.engine,
        quantity=found.quantity,
        cause_class=found.cause_class,
        causes=causes(run, found),
        words=found.cause,
        error=row.error,
        tolerance=row.tolerance,
        states=row.states,
        seed=seed_of(run),
        reason=" ".join(given.reason.split()),
        expires=given.expires,
    )


def _short(value: float) -> float:
    """The value to three digits: what is accepted is an order of magnitude, and a file of short numbers is read."""
    return float(f"{value:.3g}")
