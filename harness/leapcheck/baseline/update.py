"""A baseline made from a run, or an existing one brought up to date by runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from leapcheck.baseline.causes import cause_names, figures_of, is_known
from leapcheck.baseline.files import expiry_date
from leapcheck.baseline.record import TRUTH, AcceptedError, Baseline, KnownDiscrepancy, RobotBaseline
from leapcheck.records import Discrepancy, Run


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Why new discrepancies are accepted, and until when (None: for good); "" accepts none. ValueError for an invalid day."""

    reason: str = ""
    expires: str | None = None

    def __post_init__(self) -> None:
        if self.expires is not None:
            expiry_date(self.expires)


def accept_run(run: Run, old: Baseline, acceptance: Acceptance) -> RobotBaseline:
    """A run's errors, and its discrepancies that the old baseline knows or `acceptance` accepts."""
    robot, model_hash = run.provenance.robot, run.provenance.model_hash
    known = [k for part in old.robots if model_hash == part.model_hash or robot == part.robot for k in part.known]
    return RobotBaseline(
        robot,
        model_hash,
        run.provenance.versions,
        tuple(sorted(accepted_errors(run), key=_error_key)),
        tuple(sorted(known_discrepancies(run, known, acceptance), key=_known_key)),
    )


def update_baseline(old: Baseline, parts: Iterable[RobotBaseline]) -> Baseline:
    """The baseline with new parts in place of what it accepted of the same robots, engines and quantities.

    A known discrepancy that is gone is removed; what no part compared stays, unless the robot's description has changed.
    """
    merged: dict[str, RobotBaseline] = {}
    for part in parts:
        other = merged.get(part.model_hash)
        merged[part.model_hash] = part if other is None else _merge(other, part)
    robots = {part.robot: part for part in old.robots}
    for part in merged.values():
        before = next((other for other in robots.values() if other.model_hash == part.model_hash), None)
        if before is not None:
            del robots[before.robot]
            part = _with_rest(part, before)
        robots[part.robot] = part
    return Baseline(tuple(robots[name] for name in sorted(robots)))


def _merge(first: RobotBaseline, second: RobotBaseline) -> RobotBaseline:
    """Two parts about one robot: the larger of two errors, every known discrepancy once."""
    errors: dict[tuple[str, str, str], AcceptedError] = {}
    for entry in (*first.accepted, *second.accepted):
        errors[_error_key(entry)] = max(errors.get(_error_key(entry), entry), entry, key=lambda a: (a.rounding, a.error))
    known = {_known_key(k): k for k in (*first.known, *second.known)}
    return replace(second, accepted=tuple(errors[k] for k in sorted(errors)), known=tuple(known[k] for k in sorted(known)))


def _with_rest(new: RobotBaseline, old: RobotBaseline) -> RobotBaseline:
    """The new part with the old one's entries about engines and quantities that the new one lacks."""
    covered = coverage(new)
    accepted = [*new.accepted, *(a for a in old.accepted if (a.engine, a.quantity) not in covered)]
    known = [*new.known, *(k for k in old.known if (k.engine, k.quantity) not in covered)]
    return replace(new, accepted=tuple(sorted(accepted, key=_error_key)), known=tuple(sorted(known, key=_known_key)))


def coverage(part: RobotBaseline) -> dict[tuple[str, str], None]:
    """(engine, quantity) of every entry of a part, in its order."""
    entries: tuple[AcceptedError | KnownDiscrepancy, ...] = (*part.accepted, *part.known)
    return dict.fromkeys((entry.engine, entry.quantity) for entry in entries)


def _error_key(entry: AcceptedError) -> tuple[str, str, str]:
    return entry.engine, entry.quantity, entry.against


def _known_key(entry: KnownDiscrepancy) -> tuple[str, str, tuple[str, ...]]:
    return entry.engine, entry.quantity, entry.causes


def accepted_errors(run: Run) -> list[AcceptedError]:
    """The errors of what is no discrepancy: against the truth, and in pairs where one of the two has no such value."""
    wrong = {(discrepancy.engine, discrepancy.quantity) for discrepancy in run.discrepancies}
    judged = {(a.engine, a.quantity) for a in run.accuracies}
    rows = [(a.engine, a.quantity, TRUTH, a.rounding, a.worst, a.states) for a in run.accuracies]
    rows += [
        (c.engine, c.quantity, c.against, c.rounding, c.error, c.states)
        for c in run.comparisons
        if not judged >= {(c.engine, c.quantity), (c.against, c.quantity)}
    ]
    return [
        AcceptedError(engine, quantity, against, _three_digits(rounding), _three_digits(error), states, seed_of(run))
        for engine, quantity, against, rounding, error, states in rows
        if not {(engine, quantity), (against, quantity)} & wrong
    ]


def known_discrepancies(run: Run, old: Iterable[KnownDiscrepancy], acceptance: Acceptance) -> list[KnownDiscrepancy]:
    """The run's discrepancies with their old reasons, else the given one; those without a reason are left out."""
    old, rows = list(old), []
    for discrepancy in run.discrepancies:
        before = next((known for known in old if is_known(run, discrepancy, known)), None)
        reason, expires = (acceptance.reason, acceptance.expires) if before is None else (before.reason, before.expires)
        if before is None and not reason.strip():
            continue
        row = figures_of(run, discrepancy)
        rows.append(
            KnownDiscrepancy(
                engine=discrepancy.engine,
                quantity=discrepancy.quantity,
                cause_class=discrepancy.cause_class,
                causes=cause_names(run, discrepancy),
                words=discrepancy.cause,
                error=row.error,
                tolerance=row.tolerance,
                states=row.states,
                seed=seed_of(run),
                reason=" ".join(reason.split()),
                expires=expires,
            )
        )
    return rows


def unaccepted_discrepancies(run: Run, part: RobotBaseline) -> list[Discrepancy]:
    """The run's discrepancies that a part does not hold."""
    return [row for row in run.discrepancies if not any(is_known(run, row, known) for known in part.known)]


def seed_of(run: Run) -> int | None:
    """The seed of the run's states; None where they are the user's own, or a single one."""
    own = any(option in run.provenance.command.split() for option in ("--states-file", "--only"))
    return None if own else run.provenance.seed


def _three_digits(value: float) -> float:
    """The value to three digits: what is accepted is an order of magnitude, and short numbers are easy to review."""
    return float(f"{value:.3g}")
