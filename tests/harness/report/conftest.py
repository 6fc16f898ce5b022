"""Runs built by hand, as large as a real one of the Mini Cheetah; no engine is needed."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.records import (
    HISTOGRAM_DECADES,
    Accuracy,
    Comparison,
    Discrepancy,
    EngineRow,
    Failure,
    HeatMap,
    KindRow,
    Run,
    RunProvenance,
    SimplificationCost,
    Verdict,
    WorstState,
)
from tests.harness.report.judged_case import judged, with_hostile_words

ENGINES = (
    ("reference", "0.1.0", "built from the spec, rotors exact"),
    ("mujoco", "4.0.0", "MJCF, exact inertias written, rotors as bodies, projected by the gear matrix from 30 to 18 dof"),
    ("mujoco-urdf", "4.0.0", "URDF, free joint added, exact inertias written, rotors projected"),
    ("pinocchio", "4.1.0", "built through its API, rotors as mimic joints"),
    ("pinocchio-mjcf", "4.1.0", "MJCF, rotors as armature"),
)
KINDS = ("generic", "large", "near-singular", "at rest", "far from the origin", "named pose")
LEGS = ("FR", "FL", "HR", "HL")
DOF_NAMES = (
    *(f"trunk {axis}" for axis in ("w_x", "w_y", "w_z", "v_x", "v_y", "v_z")),
    *(f"{leg}_{joint}_joint" for leg in LEGS for joint in ("abad", "hip", "knee")),
)
HOSTILE = (
    "<script>alert('x')</script>",
    "=cmd|'/c calc'!A0",
    "[bold red]a|b`c`*d*[/] \x1b[31m\n# head",
    "</style>&\u202e$x$" + "_and_long" * 12,
)
ENTRY = "FR_hip_joint, trunk v_z"
WRONG = ("reference", "pinocchio-mjcf", "mass_matrix")


def comparison(rng: np.random.Generator, quantity: str, engine: str, against: str) -> Comparison:
    """A comparison as a run yields it; the one named `WRONG` disagrees, far states of MuJoCo are imprecise."""
    verdict = Verdict.AGREE
    scale = -15.2 + rng.normal(0, 0.2)
    if (engine, against, quantity) == WRONG:
        verdict, scale = Verdict.DISCREPANCY, -2.1
    elif "mujoco" in engine and quantity == "contact_velocities":
        verdict, scale = Verdict.IMPRECISE, -12.4
    edges = np.arange(HISTOGRAM_DECADES[0], HISTOGRAM_DECADES[1] + 1)
    histogram = np.histogram(np.clip(rng.normal(scale, 0.55, 2000), -19.5, 3.9), edges)[0]
    error = 10 ** (scale + 1)
    rounding = error / 3e-15
    shares = rng.permutation(np.geomspace(0.02, 1, len(KINDS))).tolist()
    rows = tuple(
        KindRow(kind, 333, error * share, rounding * share, Verdict.AGREE if error * share < 6.4e-14 else verdict)
        for kind, share in zip(KINDS, shares, strict=True)
    )
    index = int(rng.integers(0, 60)) * 31
    state = np.random.default_rng(index)
    q, v, tau = (tuple(state.normal(0, size, n).tolist()) for size, n in ((1, 19), (10, 18), (20, 18)))
    value = float(state.normal())
    return Comparison(
        quantity=quantity,
        engine=engine,
        against=against,
        states=2000,
        error=error,
        absolute=error * 0.3,
        unit=QUANTITIES[quantity].unit.split(",")[0],
        scale=str(QUANTITIES[quantity].scale),
        rounding=rounding,
        tolerance=6.4e-14,
        margin=6.4e-14 / error,
        verdict=verdict,
        kinds=rows,
        histogram=tuple(int(count) for count in histogram),
        worst=WorstState(
            index, KINDS[index % 6], "FR_hip_joint, trunk v_z", value, value * (1 + error), value, q, v, tau, (7, 5)
        ),
    )


def accuracy(rng: np.random.Generator, quantity: str, engine: str) -> Accuracy:
    """Some roundings off the truth; the engine that is wrong in `WRONG` far off."""
    median = 10 ** rng.normal(-2.5 if (quantity, engine) == (WRONG[2], WRONG[1]) else -15.8, 0.3)
    worst = median * rng.uniform(2, 30)
    return Accuracy(quantity, engine, 2000, 1750, median, worst, worst / 3e-15, int(rng.integers(0, 2000)))


def mini_cheetah_run() -> Run:
    """Five engines, ten pairs, all quantities, all against the truth: one discrepancy, one failure, some imprecise, one exact."""
    rng = np.random.default_rng(2)
    names = [name for name, _, _ in ENGINES]
    comparisons = [
        comparison(rng, quantity.name, engine, against)
        for quantity in map(QUANTITIES.__getitem__, DEFAULT)
        for engine, against in itertools.combinations(names, 2)
        if not quantity.in_mujoco_coordinates or (engine, against) == ("reference", "mujoco")
    ]
    comparisons[-1] = dataclasses.replace(
        comparisons[-1], error=0.0, absolute=0.0, rounding=0.0, margin=math.inf, histogram=(2000, *[0] * 23), worst=None
    )
    pattern = np.zeros((18, 18), dtype=int)
    pattern[:6], pattern[:, :6] = 1, 1
    for leg in range(6, 18, 3):
        pattern[leg : leg + 3, leg : leg + 3] = 1
    return Run(
        provenance=RunProvenance(
            robot="mini_cheetah",
            model_hash="3f9c2ab0d1e4477a",
            seed=0,
            states=2000,
            command="leapcheck compare mini_cheetah --states 2000 --seed 0",
            machine="Linux x86_64, 2 cores, Python 3.11.9",
            versions=(("leapcheck", "0.1.0"), ("mujoco", "4.0.0"), ("pin", "4.1.0"), ("numpy", "2.4.6")),
        ),
        verdict="pinocchio-mjcf disagrees with reference in the mass matrix; every other comparison agrees.",
        exit_status=1,
        engines=tuple(EngineRow(*engine, quantities=DEFAULT[:12]) for engine in ENGINES),
        comparisons=tuple(comparisons),
        accuracies=tuple(
            accuracy(np.random.default_rng([3, i, j]), quantity.name, engine)
            for i, quantity in enumerate(map(QUANTITIES.__getitem__, DEFAULT))
            for j, engine in enumerate(names[: 2 if quantity.in_mujoco_coordinates else None])
        ),
        discrepancies=(
            Discrepancy(
                "mass_matrix",
                "pinocchio-mjcf",  # who is wrong comes first, whatever the order of the comparison
                "reference",
                "convention",
                "armature: the error stands on the joint diagonal only.",
                "12 of 324 entries differ, all on the diagonal of the joints, by the same 0.00227 kg m^2 at every state.",
                "pinocchio-mjcf: the truth agrees with reference to 1.1 units of the expected rounding.",
                "leapcheck compare mini_cheetah --engines reference pinocchio-mjcf --quantities mass_matrix --states 1 --seed 0",
            ),
        ),
        failures=(Failure("pinocchio", "kinetic_energy", "Pinocchio cannot compute energies with mimic joints (state 0)."),),
        not_compared=(
            "kinetic energy: pinocchio with mimic joints has no energies.",
            "Passive forces (damping, friction) are no part of the comparison.",
        ),
        dof_names=DOF_NAMES,
        pattern=tuple(tuple(row) for row in pattern.tolist()),
        heat_maps=tuple(heat_map(rng, pattern, *pair) for pair in itertools.combinations(names, 2)),
        armature_costs=tuple(
            armature_cost(rng, *row)
            for row in (("armature n^2 I on the joint diagonal", 0.02), ("no rotors at all", 0.6), ("rotor masses only", 0.4))
        ),
    )


def heat_map(rng: np.random.Generator, pattern: np.ndarray, engine: str, against: str) -> HeatMap:
    """Round-off wherever M has entries; one pair off on its joint diagonal."""
    values = pattern * 10 ** rng.normal(-15.8, 0.5, pattern.shape)
    if (engine, against) == WRONG[:2]:
        values[np.arange(6, 18), np.arange(6, 18)] = rng.uniform(0.01, 0.3, 12)
    return HeatMap(engine, against, tuple(tuple(row) for row in np.tril(values).tolist()))


def armature_cost(rng: np.random.Generator, simplification: str, size: float) -> SimplificationCost:
    median = rng.uniform(0.2, 1, 12) * size
    worst = median * rng.uniform(3, 30, 12)
    joints = (tuple(median.tolist()), tuple(worst.tolist()))
    return SimplificationCost(simplification, 2000, float(np.median(median)), float(worst.max()), DOF_NAMES[6:], *joints)


def with_hostile_names(run: Run) -> Run:
    """The run with names, entries and messages that try to be markup, a formula, Markdown or terminal codes."""
    script, formula, markdown, style = HOSTILE
    rename = {"reference": script, "mujoco": formula, "pinocchio": markdown, "mujoco-urdf": style}

    def renamed(record, **more):
        return dataclasses.replace(
            record, engine=rename.get(record.engine, record.engine), against=rename.get(record.against, record.against), **more
        )

    return dataclasses.replace(
        with_hostile_words(run, *HOSTILE),
        provenance=dataclasses.replace(run.provenance, robot=script, command=f"leapcheck compare '{style}' {markdown}"),
        verdict=f"{script} disagrees with {style}; {markdown}",
        engines=tuple(dataclasses.replace(e, name=rename.get(e.name, e.name), route=style) for e in run.engines),
        comparisons=tuple(
            renamed(c, worst=c.worst and dataclasses.replace(c.worst, entry=script, kind=formula)) for c in run.comparisons
        ),
        accuracies=tuple(dataclasses.replace(a, engine=rename.get(a.engine, a.engine)) for a in run.accuracies),
        discrepancies=tuple(renamed(d, cause=style, evidence=markdown, command=markdown) for d in run.discrepancies),
        failures=(Failure(formula, script, f"{style}: {markdown}"),),
        not_compared=HOSTILE,
        dof_names=(*HOSTILE, *run.dof_names[4:]),
        heat_maps=tuple(renamed(h) for h in run.heat_maps),
        armature_costs=tuple(
            dataclasses.replace(c, simplification=script, joints=(*HOSTILE, *c.joints[4:])) for c in run.armature_costs
        ),
    )


@pytest.fixture(scope="session")
def run() -> Run:
    """A run of the Mini Cheetah with one discrepancy, one failure and 13 imprecise comparisons."""
    return mini_cheetah_run()


@pytest.fixture(scope="session")
def hostile_run(run: Run) -> Run:
    """The same with hostile names throughout."""
    return with_hostile_names(run)


@pytest.fixture(scope="session")
def judged_run(run: Run) -> Run:
    """The same with verdicts, laws, two diagnoses and two smallest cases."""
    return judged(run)


@pytest.fixture(scope="session")
def hostile_judged_run(judged_run: Run) -> Run:
    """That with hostile names throughout."""
    return with_hostile_names(judged_run)


@pytest.fixture(scope="session")
def agreeing_run(run: Run) -> Run:
    """The same, everything in agreement."""
    comparisons = tuple(
        dataclasses.replace(
            c,
            verdict=Verdict.AGREE,
            error=min(c.error, 1e-14),
            rounding=min(c.rounding, 4.0),
            kinds=tuple(dataclasses.replace(k, verdict=Verdict.AGREE, rounding=min(k.rounding, 4.0)) for k in c.kinds),
        )
        for c in run.comparisons
    )
    return dataclasses.replace(
        run,
        verdict="All 5 engines agree in every quantity.",
        exit_status=0,
        comparisons=comparisons,
        accuracies=tuple(dataclasses.replace(a, median=3e-16, worst=1e-15, rounding=1.0) for a in run.accuracies),
        discrepancies=(),
        failures=(),
    )


@pytest.fixture(scope="session")
def truthless_run(run: Run) -> Run:
    """The same without llvmlite."""
    reason = "the truth on every state: it needs llvmlite (pip install llvmlite); the worst states have it"
    return dataclasses.replace(run, accuracies=(), not_compared=(reason, *run.not_compared))


@pytest.fixture(scope="session")
def small_run(run: Run) -> Run:
    """A run of a few comparisons, quick to write."""
    return dataclasses.replace(run, comparisons=run.comparisons[:5], heat_maps=run.heat_maps[:1])


@pytest.fixture(scope="session")
def empty_run(run: Run) -> Run:
    """A run that could not compare anything."""
    return dataclasses.replace(
        run,
        verdict="No engine could be made.",
        exit_status=2,
        engines=(),
        comparisons=(),
        accuracies=(),
        discrepancies=(),
        dof_names=(),
        pattern=(),
        heat_maps=(),
        armature_costs=(),
        not_compared=(),
    )
