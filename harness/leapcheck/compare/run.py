"""A whole comparison: units of states through all engines, reduced in order to one record."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence

from leapcheck.compare.armature_cost import armature_costs
from leapcheck.compare.bench import Bench, Outcome
from leapcheck.compare.entries import dof_names
from leapcheck.compare.execution import Means, Progress, bench_of, whole_outcome
from leapcheck.compare.figures import finished
from leapcheck.compare.identity import PACKAGES
from leapcheck.compare.parts import Parts
from leapcheck.compare.plan import Plan
from leapcheck.compare.records import Comparison, Discrepancy, Failure, Provenance, Run, Verdict
from leapcheck.engines.registry import FACTORIES
from leapcheck.installed import versions
from leapcheck.quantities import QUANTITIES
from leapcheck_models.spec import spec_hash
from leapcheck_reference import build, sparsity_pattern


def compared(plan: Plan, means: Means = Means(), progress: Progress | None = None, parts: Parts | None = None) -> Run:
    """The record of a comparison; the same for any means and any size of blocks.

    With `parts` in a folder, one that is interrupted is the record of the states that are done, and says so; its exit status is
    2 unless they show a discrepancy. Raises ValueError where no engine could be made.
    """
    at = bench_of(plan)
    if not at.engines:
        raise ValueError("no engine could be made: " + "; ".join([*(f.message for f in at.failures), *at.not_compared]))
    total = whole_outcome(plan, at, means, progress, parts)
    figures = finished(at, total)
    # Here, not above: a worker needs no judge, and SciPy behind it doubles the time of the import.
    from leapcheck.compare.discrepancies import Question, judged, with_truth
    from leapcheck.judge.identities import identities
    from leapcheck.judge.verdicts import with_diagnoses

    rows = with_truth(plan.spec, figures.comparisons)
    question = Question(plan.spec, plan.robot, plan.quantities, plan.states_arguments, plan.seed)
    found = judged(question, at.engines, rows)
    user = {e if isinstance(e, str) else e.name for e in (*at.engines, *plan.engines)} - set(FACTORIES)
    return Run(
        provenance=_provenance(plan),
        verdict=_interrupted(plan, total.states) + _verdict(plan, at, rows, found.discrepancies, total),
        exit_status=_exit_status(rows, total.failures, user) or 2 * bool(_interrupted(plan, total.states)),
        engines=at.rows,
        comparisons=rows,
        accuracies=figures.accuracies,
        discrepancies=found.discrepancies,
        failures=tuple(total.failures),
        not_compared=(*plan.limits, *at.not_compared, *_gaps(plan, at, rows), *found.gaps),
        dof_names=dof_names(plan.spec),
        pattern=tuple(tuple(int(x) for x in row) for row in sparsity_pattern(build(plan.spec))),
        heat_maps=figures.heat_maps,
        armature_costs=armature_costs(plan.spec, plan.seed),
        verdicts=with_diagnoses(figures.verdicts, found.diagnoses),
        identities=identities(plan.spec, at.engines, plan.block(range(1))),
        diagnoses=found.diagnoses,
        reproducers=found.reproducers,
        largest=found.largest,
    )


def _exit_status(rows: Sequence[Comparison], failures: Sequence[Failure], user: set[str]) -> int:
    """0 agree; 1 a discrepancy or a failure of the user's own engine; 2 where an engine of ours, or all, could not run."""
    if any(failure.engine not in user for failure in failures) or not (rows or failures):
        return 2
    return int(bool(failures) or any(row.verdict is Verdict.DISCREPANCY for row in rows))


def _interrupted(plan: Plan, states: int) -> str:
    """That states are left to be done; empty where all are."""
    left = plan.asked - states
    return f"Interrupted: {left:,} of {plan.asked:,} states are left (--resume). ".replace(",", " ") if left else ""


def _verdict(plan: Plan, at: Bench, rows: Sequence[Comparison], found: Sequence[Discrepancy], total: Outcome) -> str:
    """The run in one sentence."""
    failures = total.failures
    over = f"over {total.states:,} state{'s' * (total.states > 1)} of {plan.spec.name}".replace(",", " ")
    bad = [row for row in rows if row.verdict is Verdict.DISCREPANCY]
    failed = (
        f" {len(failures)} failure{'s' if len(failures) > 1 else ''} of {', '.join(dict.fromkeys(f.engine for f in failures))}."
    )
    if bad:
        what = ", ".join(dict.fromkeys(QUANTITIES[row.quantity].label for row in bad))
        who = list(dict.fromkeys(discrepancy.engine for discrepancy in found))
        return f"{' and '.join(who)} differ{'s' * (len(who) == 1)} in {what} {over}." + (failed if failures else "")
    if failures:
        return f"Not every engine ran as it should {over}:{failed}"
    if not rows:
        return f"Nothing could be compared {over}."
    quantities = len({row.quantity for row in rows})
    imprecise = dict.fromkeys(row.engine for row in rows if row.verdict is Verdict.IMPRECISE)
    tail = "; far from the world's origin some are right but imprecise" if imprecise else ""
    return f"{len(at.engines)} engines agree on {quantities} quantities {over}{tail}."


def _gaps(plan: Plan, at: Bench, rows: Sequence[Comparison]) -> Iterator[str]:
    """What was asked for and could not be compared, with the reason."""
    compared_names = {row.quantity for row in rows}
    for name in plan.quantities:
        able = [engine.name for engine in at.engines if name in engine.quantities]
        if name not in compared_names:
            reason = "the robot has no computed contact points" if len(able) > 1 else f"only {able or 'no engine'} can answer it"
            yield f"{QUANTITIES[name].label}: {reason}"
        else:
            unable = [engine.name for engine in at.engines if name not in engine.quantities]
            if unable:
                yield f"{QUANTITIES[name].label}: not answered by {', '.join(unable)}"


def _provenance(plan: Plan) -> Provenance:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return Provenance(plan.robot, spec_hash(plan.spec), plan.seed, plan.total, plan.command, machine, versions(PACKAGES))
