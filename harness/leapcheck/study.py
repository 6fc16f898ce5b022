"""A whole comparison: units of states through all engines, reduced in order to one record."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence

from leapcheck.comparison.engine_set import EngineSet, engine_set_of
from leapcheck.comparison.execution import Progress, Resources, Stage, no_stage, whole_result
from leapcheck.comparison.identifiability import identifiability
from leapcheck.comparison.identity import PACKAGES
from leapcheck.comparison.parts import Parts
from leapcheck.comparison.plan import Plan
from leapcheck.comparison.results import is_repeated
from leapcheck.comparison.simplifications import simplification_costs
from leapcheck.engines.registry import FACTORIES
from leapcheck.entries import dof_names
from leapcheck.judge.figures import run_figures
from leapcheck.judge.outcome import exit_status, strict_discrepancies, verdict_sentence
from leapcheck.quantities import QUANTITIES
from leapcheck.records import Comparison, Run, RunProvenance
from leapcheck.system.installed import versions
from leapcheck_models.spec import spec_hash
from leapcheck_reference import build, sparsity_pattern

SOFT_CONSTRAINTS = (
    "closed loops and coupled joints: their rows are compared, and accelerations under rigid constraints; MuJoCo's own solver, "
    "whose constraints are soft (solref, solimp), is not"
)


def run_comparison(
    plan: Plan,
    resources: Resources = Resources(),
    progress: Progress | None = None,
    parts: Parts | None = None,
    stage: Stage = no_stage,
) -> Run:
    """The record of a comparison; the same for any resources and any size of blocks. `stage` is told what is done after it.

    With `parts` in a folder, one that is interrupted is the record of the states that are done, and says so; its exit status is
    2 unless they show a discrepancy. Raises ValueError where no engine could be made.
    """
    engine_set = engine_set_of(plan)
    if not engine_set.engines:
        reasons = [*(failure.message for failure in engine_set.failures), *engine_set.not_compared]
        raise ValueError(f"no engine could be made: {'; '.join(reasons)}")
    result = whole_result(plan, engine_set, resources, progress, parts)
    figures = run_figures(engine_set, result)
    # Here, not above: a worker needs no judge, and SciPy behind it doubles the time of the import.
    from leapcheck.judge.discrepancies import add_truth, findings
    from leapcheck.judge.identities import identities
    from leapcheck.judge.identities.contradictions import contradictions
    from leapcheck.judge.verdicts import with_diagnoses

    rows = add_truth(plan.spec, figures.comparisons)
    judged = findings(plan, engine_set.engines, rows, figures.verdicts, stage)
    stage("checking laws")
    laws = identities(engine_set, plan.block(range(1)), with_own_differences=plan.own_differences)
    verdicts = with_diagnoses(figures.verdicts, judged.diagnoses)
    discrepancies = judged.discrepancies
    discrepancies += contradictions(laws.identities, verdicts, discrepancies, plan.command)
    if plan.strict:
        discrepancies += strict_discrepancies(rows, engine_set.engines, plan.command)
    failures = list(result.failures)
    for failure in (*figures.failures, *judged.failures, *laws.failures):
        if not is_repeated(failure, failures):
            failures.append(failure)
    own = {e if isinstance(e, str) else e.name for e in (*engine_set.engines, *plan.engines)} - set(FACTORIES)
    interruption = _interruption(plan, result.states)
    return Run(
        provenance=_provenance(plan),
        verdict=interruption + verdict_sentence(plan, engine_set, rows, discrepancies, failures, result.states),
        exit_status=exit_status(rows, discrepancies, failures, own) or 2 * bool(interruption),
        engines=engine_set.rows,
        comparisons=rows,
        accuracies=figures.accuracies,
        discrepancies=discrepancies,
        failures=tuple(failures),
        not_compared=(
            *plan.limits,
            *engine_set.not_compared,
            *_gaps(plan, engine_set, rows),
            *judged.gaps,
            *_base_parameters(plan),
        ),
        dof_names=dof_names(plan.spec),
        pattern=tuple(tuple(int(x) for x in row) for row in sparsity_pattern(build(plan.spec))),
        heat_maps=figures.heat_maps,
        armature_costs=simplification_costs(plan.spec, plan.seed),
        verdicts=verdicts,
        identities=laws.identities,
        diagnoses=judged.diagnoses,
        reproducers=judged.reproducers,
        largest=judged.largest,
    )


def _base_parameters(plan: Plan) -> tuple[str, ...]:
    """What a torque regressor tells of the robot's parameters, where it is compared."""
    torque = "joint_torque_regressor"
    return (f"{QUANTITIES[torque].label}: {identifiability(plan.spec)}",) if torque in plan.quantities else ()


def _interruption(plan: Plan, states: int) -> str:
    """How many states are left; empty where none are."""
    left = plan.state_count - states
    return f"Interrupted: {left:,} of {plan.state_count:,} states are left (--resume). ".replace(",", " ") if left else ""


def _gaps(plan: Plan, engine_set: EngineSet, rows: Sequence[Comparison]) -> Iterator[str]:
    """What was asked for and could not be compared, with the reason."""
    if plan.spec.loops or plan.spec.couplings:
        yield SOFT_CONSTRAINTS
    for name in plan.quantities:
        able = [engine.name for engine in engine_set.engines if name in engine.quantities]
        unable = [engine.name for engine in engine_set.engines if name not in engine.quantities]
        label = QUANTITIES[name].label
        if name not in {row.quantity for row in rows}:
            reason = "the robot has no computed contact points" if len(able) > 1 else f"only {able or 'no engine'} can answer it"
            yield f"{label}: {reason}"
        elif unable:
            yield f"{label}: not answered by {', '.join(unable)}"


def _provenance(plan: Plan) -> RunProvenance:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return RunProvenance(plan.robot.name, spec_hash(plan.spec), plan.seed, plan.total, plan.command, machine, versions(PACKAGES))
