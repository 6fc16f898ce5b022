"""All kinds of defects: their classes, what draws them, how many of each, and the engines that can have them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from leapcheck_evidence.score.planting import answers, parameters, readings, structures, whole_models
from leapcheck_evidence.score.planting.base_velocities import COORDINATES, about_com, coordinates, tdot
from leapcheck_evidence.score.planting.fault import Drawer
from leapcheck_evidence.score.planting.kind import FILES, Kind

ENDS = ("mujoco", "pinocchio", "reference", "own", "own", "user")
"""Engines whose file is edited, and those whose ends are altered; one that is named twice is drawn twice as often."""


def _numbers() -> Iterator[Kind]:
    inertial = (
        ("mass", parameters.mass_fault, 4),
        ("com", parameters.com_fault, 4),
        ("inertia", parameters.inertia_fault, 4),
        ("armature", parameters.armature_fault, 3),
        ("gear", parameters.gear_fault, 1),
    )
    geometric = (
        ("place", parameters.place_fault, 3),
        ("turn", parameters.turn_fault, 3),
        ("axis", parameters.axis_fault, 3),
        ("point", parameters.point_fault, 2),
    )
    for name, table in (("parameters", inertial), ("geometry", geometric)):
        for label, drawer, count in table:
            for share in parameters.SHARES:
                yield Kind(name, f"{label} {share:g}", (drawer(share),), count)
    yield Kind("parameters", "turned inertia", (parameters.turned_inertia,), 5)
    yield Kind("parameters", "scaled", (parameters.scaled_inertia,), 4)


def _conventions() -> Iterator[Kind]:
    for kind in readings.QUATERNIONS:
        yield Kind("quaternion", kind, (readings.quaternion(kind),), 3, ENDS)
    for coords in COORDINATES:
        for ends in ("inputs", "answers", "both"):
            yield Kind("base velocity", f"{ends} {coords}", (coordinates(ends, coords),), 1, ENDS)
    for kind in ("missing", "sign", "twice"):
        yield Kind("base velocity", f"tdot {kind}", (tdot(kind),), 3 if kind == "missing" else 1, ENDS)
    for ends in ("inputs", "answers", "both"):
        yield Kind("com or origin", ends, (about_com(ends),), 2, ENDS)
    for ends, count in (("read", 4), ("rows", 4), ("state-and-answers", 4)):
        yield Kind("order", ends, (readings.joint_order(ends),), count, ENDS)
    yield Kind("order", "linear first", (answers.linear_first,), 3, ENDS)
    yield Kind("order", "points", (answers.points_in_another_order,), 3, ENDS)
    yield Kind("sign and offset", "sign", (readings.sign_of_joint,), 6, ENDS)
    yield Kind("sign and offset", "all signs", (readings.sign_of_all,), 2, ENDS)
    yield Kind("sign and offset", "offset", (readings.offset_of_joint,), 8, ENDS)
    for axes in ("link", "base", "transposed-rotation"):
        yield Kind("points", f"{axes} axes", (answers.point_axes(axes),), 3, ENDS)
    yield Kind("points", "from base", (answers.positions_from_base,), 2, ENDS)
    yield Kind("points", "spatial", (answers.spatial_acceleration,), 4, ENDS)
    yield Kind("points", "gravity", (answers.gravity_in_acceleration,), 3, ENDS)
    for what in answers.SWAPPED:
        yield Kind("forces", what, (answers.force(what),), 2, ENDS)
    yield Kind("forces", "damping", (answers.damping,), 5, ENDS)
    yield Kind("forces", "factor", (answers.factor,), 4, ENDS)
    yield Kind("forces", "energy zero", (answers.energy_from_elsewhere,), 2, ENDS)


def _models() -> Iterator[Kind]:
    for label, drawer, count in (
        ("left out", whole_models.no_gravity, 3),
        ("sign", whole_models.reversed_gravity, 3),
        ("size", whole_models.gravity_of_another_size, 4),
        ("direction", whole_models.gravity_in_another_direction, 3),
    ):
        yield Kind("gravity", label, (drawer,), count)
    yield Kind("armature", "left out", (whole_models.armature_times(0.0, "left-out"),), 4)
    yield Kind("armature", "doubled", (whole_models.armature_times(2.0, "doubled"),), 4)
    for kind in whole_models.OF_ALL:
        yield Kind("rotors", f"all {kind}", (whole_models.rotors(kind),), 3 if kind == "coupling-missing" else 2)
    for kind in whole_models.ROTOR_EDITS:
        yield Kind("rotors", f"one {kind}", (whole_models.one_rotor(kind),), 2)
    yield Kind("units", "degrees read", (readings.angles_in_degrees(math.pi / 180.0, "degrees-read"),), 3, ENDS)
    yield Kind("units", "degrees given", (readings.angles_in_degrees(180.0 / math.pi, "degrees-given"),), 2, ENDS)
    for factor, name in ((1e3, "mm"), (1e-3, "m"), (1e2, "cm"), (1.0 / 0.0254, "inch")):
        yield Kind("units", f"length {name}", (whole_models.lengths_times(factor, name),), 2 if name in ("mm", "m") else 1)
    for factor, name in ((1e3, "g"), (1e-3, "kg"), (1.0 / 0.45359237, "lb")):
        yield Kind("units", f"mass {name}", (whole_models.masses_times(factor, name),), 2 if name == "g" else 1)
    yield Kind("units", "N mm", (answers.torques_in_n_mm,), 2, ENDS)
    yield Kind("units", "position", (readings.base_position_in_mm,), 2, ENDS)


def _structures() -> Iterator[Kind]:
    for label, drawer, count in (
        ("missing body", structures.missing_body, 5),
        ("missing subtree", structures.missing_subtree, 4),
        ("twice", structures.doubled_body, 3),
        ("extra body", structures.extra_body, 5),
        ("wrong parent", structures.wrong_parent, 6),
        ("wrong type", structures.wrong_type, 5),
        ("locked", structures.locked_joint, 4),
        ("inertias exchanged", structures.exchanged_inertias, 4),
        ("axes exchanged", structures.exchanged_joints, 4),
        ("places exchanged", structures.exchanged_places, 4),
        ("mirrored", structures.mirrored_branch, 4),
        ("point for point", structures.wrong_point, 2),
        ("rotor on link", structures.rotor_on_link, 3),
        ("placements transposed", whole_models.transposed_placements, 2),
        ("placement transposed", whole_models.one_transposed_placement, 3),
    ):
        yield Kind("structure", label, (drawer,), count)


def _precision() -> Iterator[Kind]:
    yield Kind("not finite", "not finite", (answers.not_finite,), 3, ENDS)
    yield Kind("noise", "noise", (answers.noise,), 10, ("reference", "own", "mujoco", "pinocchio"), "right")
    yield Kind("single precision", "single precision", (), 8, ("single",), "imprecise")


def _any_of(*drawers: Drawer) -> Drawer:
    return lambda rng, setting: drawers[int(rng.integers(len(drawers)))](rng, setting)


def _pairs() -> Iterator[Kind]:
    """Pairs of faults: of one kind, and of two."""
    number = _any_of(
        *(d(s) for d in (parameters.mass_fault, parameters.com_fault, parameters.inertia_fault) for s in parameters.SHARES)
    )
    place = _any_of(
        *(d(s) for d in (parameters.place_fault, parameters.turn_fault, parameters.axis_fault) for s in parameters.SHARES)
    )
    point = _any_of(*(parameters.point_fault(s) for s in parameters.SHARES))
    armature = _any_of(*(parameters.armature_fault(s) for s in parameters.SHARES))
    gravity = _any_of(whole_models.reversed_gravity, whole_models.gravity_of_another_size, whole_models.no_gravity)
    read = _any_of(
        *(readings.quaternion(kind) for kind in readings.QUATERNIONS),
        *(coordinates("inputs", name) for name in COORDINATES),
        readings.offset_of_joint,
        readings.joint_order("read"),
    )
    left = _any_of(tdot("missing"), *(coordinates("answers", name) for name in COORDINATES), answers.force("coriolis-only"))
    sign = _any_of(readings.sign_of_joint, readings.joint_order("state-and-answers"))
    at_points = _any_of(answers.point_axes("link"), answers.spatial_acceleration, answers.gravity_in_acceleration)
    structure = _any_of(structures.missing_body, structures.wrong_type, structures.extra_body, structures.wrong_parent)
    rotor = _any_of(*(whole_models.one_rotor(kind) for kind in whole_models.ROTOR_EDITS))
    for label, first, second, count, bases in (
        ("number + number", number, number, 16, FILES),
        ("place + place", place, place, 8, FILES),
        ("number + place", number, place, 8, FILES),
        ("point + number", point, number, 4, FILES),
        ("armature + number", armature, number, 4, FILES),
        ("gravity + number", gravity, number, 5, FILES),
        ("rotor + number", rotor, number, 4, FILES),
        ("reading + number", read, number, 8, FILES),
        ("answer + number", left, number, 8, FILES),
        ("reading + answer", read, left, 6, ENDS),
        ("sign + points", sign, at_points, 4, ENDS),
        ("sign + reading", sign, read, 3, ENDS),
        ("structure + number", structure, number, 4, FILES),
        ("points + gravity", at_points, gravity, 2, FILES),
    ):
        yield Kind("pairs", label, (first, second), count, bases)


KINDS: tuple[Kind, ...] = (*_conventions(), *_models(), *_numbers(), *_structures(), *_precision(), *_pairs())

WHOLE = sum(kind.count for kind in KINDS)
"""How many defects there are in all."""
