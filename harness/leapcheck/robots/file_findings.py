"""What MuJoCo and Pinocchio make of a user's file, measured by loading it: differences from the tree become findings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engines import DEFAULTS
from leapcheck.engines.mujoco.file import largest_change, mujoco_model
from leapcheck.engines.pinocchio.file import pinocchio_model
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.entries import dof_names
from leapcheck.robots.size import excess_size
from leapcheck.sampling import generated_states
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.importing.urdf_findings import CHANGING
from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import JointType

STATES = 8
DIFFERENT = 1e-9
"""Difference of M from the tree's, of sqrt(M_ii M_jj), that is no rounding; loads agree to 1e-13."""
CHANGED = 1e-9
"""Relative change of the total mass that is worth a finding."""

PACKAGE = {"mujoco-file": "MuJoCo", "pinocchio-file": "Pinocchio"}


def findings_on_file(imported: ImportedRobot) -> tuple[Finding, ...]:
    """The findings of reading the file, and those of loading it in both engines where it is not too large for a comparison."""
    if excess := excess_size(imported.spec):
        message = f"{excess}: what MuJoCo and Pinocchio make of it is not looked at"
        return (
            *imported.findings,
            Finding("load", "note", f"file {imported.path.name}", message, "give a limb as a robot of its own"),
        )
    return (*imported.findings, *_loads(imported), *_as_it_stands(imported), *_order(imported), *_options(imported))


def _loads(imported: ImportedRobot) -> Iterator[Finding]:
    """Each engine's load of the file compared with the tree, at a few random states."""
    states = generated_states(imported.spec, STATES, 0, 0)
    true = ReferenceEngine(imported.spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    for name, make in DEFAULTS.items():
        place = f"{imported.path.name} in {PACKAGE[name]}"
        try:
            engine = make(imported)
        except (NotApplicable, EngineError) as reason:
            yield Finding("load", "warning", place, str(reason), "correct the file, or load what `leapcheck generate` writes")
            continue
        loaded = engine.evaluate(states, ("mass_matrix",))["mass_matrix"]
        diagonal = np.sqrt(np.maximum(np.einsum("nii->ni", true), np.finfo(float).tiny))
        errors = np.abs(loaded - true) / (diagonal[:, :, None] * diagonal[:, None, :])
        errors = errors[np.array(states.kind) != "far"]  # there engines lose digits
        if errors.max(initial=0.0) > DIFFERENT:
            _, i, j = np.unravel_index(int(errors.argmax()), errors.shape)
            names = dof_names(imported.spec)
            message = (
                f"M differs from the tree's by up to {errors.max():.2g} of sqrt(M_ii M_jj), most in [{names[i]}, {names[j]}]"
            )
            yield Finding("load", "warning", place, message, f"ask `leapcheck compare {imported.path.name}` why")


def _as_it_stands(imported: ImportedRobot) -> Iterator[Finding]:
    """What of a URDF is left when MuJoCo loads it without any help."""
    if imported.format != "URDF":
        return
    try:
        m = mujoco_model(imported, as_it_stands=True)
    except NotApplicable:
        return  # `_loads` reports it
    mass, links = float(m.body_subtreemass[0]), m.nbody - 1
    true = math.fsum(b.inertia.mass + (b.rotor.inertia.mass if b.rotor else 0.0) for b in imported.spec.bodies)
    if abs(mass - true) > CHANGED * true:
        message = f"loaded as it stands it has {mass:.6g} of {true:.6g} kg, {m.nv} dof and {links} links"
        remedy = "use MjSpec with add_freejoint() on a floating base, and fusestatic=false"
        yield Finding("total mass", "warning", f"{imported.path.name} in MuJoCo", message, remedy)
    if m.neq:
        message = f"{m.neq} mimics became soft equality constraints: M and h take these joints as free"
        yield Finding("mimic", "note", f"{imported.path.name} in MuJoCo", message, "project with the constant gear matrix")


def _order(imported: ImportedRobot) -> Iterator[Finding]:
    """Joints that Pinocchio holds in another order than the file."""
    try:
        model = pinocchio_model(imported)
    except NotApplicable:
        return
    known = [body.joint.name for body in imported.spec.bodies if body.joint.type not in (JointType.FIXED, JointType.FREE)]
    there = list(dict.fromkeys(name for name in model.names if name in known))  # it may hold bodies of one name twice
    here = [name for name in known if name in there]
    if there != here:
        first = next(i for i, (a, b) in enumerate(zip(here, there, strict=True)) if a != b)
        message = f"its joints are in another order: '{there[first]}' where the file has '{here[first]}'"
        yield Finding("order", "warning", f"{imported.path.name} in Pinocchio", message, "map coordinates by joint name")


def _options(imported: ImportedRobot) -> Iterator[Finding]:
    """By how much options of MuJoCo's compiler change masses and inertias."""
    for key in CHANGING:
        bare = re.sub(rf'\s{key}="[^"]*"', "", imported.text)
        if bare == imported.text:
            continue
        place = f'<compiler {key}="...">'
        try:
            with_it, without = mujoco_model(imported), mujoco_model(replace(imported, text=bare))
        except NotApplicable as reason:
            yield Finding(
                "compiler options", "warning", place, f"with or without it: {reason}", "correct the inertias in the file"
            )
            continue
        if message := largest_change(with_it, without):
            yield Finding("compiler options", "warning", place, message, "correct the inertias in the file instead")
