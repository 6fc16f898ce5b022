"""`mujoco-file`: the user's file as MuJoCo itself loads it, no value corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Place
from leapcheck.engines.constrained import constrained_accelerations
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engine import FileEngine, FilePoint, convention_of, file_points, static_masses
from leapcheck.engines.mujoco import actuators
from leapcheck.engines.mujoco import calls as mujoco_calls
from leapcheck.engines.mujoco import tree as mujoco_tree
from leapcheck.engines.mujoco.constraint_rows import ConstraintRows
from leapcheck.engines.mujoco.engine import inverse_dynamics
from leapcheck.engines.mujoco.equalities import equality_names
from leapcheck.engines.mujoco.file_storage import FileStorage
from leapcheck.engines.mujoco.silence import mute_compiler, mute_warnings
from leapcheck.engines.mujoco.state_calls import StateCalls
from leapcheck.engines.projection import Assembly, OwnStates, assembled_numbers, sliding_friction
from leapcheck.quantities import CORE, QuantityGroup, names_of_group
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import WORLD, JointType, Vector3


def mujoco_file(imported: ImportedRobot) -> FileEngine:
    """MuJoCo on the file."""
    m, route = mujoco_model(imported), "the MJCF as MuJoCo compiles it"
    if imported.format == "URDF":
        base = ", a free joint added to the base" if imported.floating else ""
        route = f"the URDF as MuJoCo compiles it{base}"
    spec = imported.spec
    places = mujoco_places(imported, m)
    convention = convention_of("mujoco-file", conventions.mujoco_convention, spec, places, m.nv)
    bodies = mujoco_tree.names_of(m).bodies
    rows = ConstraintRows(m, spec, _equality_numbers(imported, m))
    points = file_points(imported, bodies.__contains__)
    fused = [(mass, com) for link, mass, com in static_masses(spec) if link not in bodies]
    numbers = _MujocoNumbers(m, points, FileStorage(spec, m, places), rows, fused)
    return FileEngine("mujoco-file", str(mujoco.__version__), f"{route}, no value changed", convention, numbers)


def mujoco_model(imported: ImportedRobot, *, as_it_stands: bool = False) -> mujoco.MjModel:
    """What MuJoCo compiles; a floating URDF gets its free joint unless it is taken `as_it_stands`. NotApplicable if refused."""
    try:
        with mute_compiler():
            return _compile(imported, as_it_stands)
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise NotApplicable(f"MuJoCo refuses {imported.path.name}: {reason:.300}") from error


def other_passive_forces(m: mujoco.MjModel) -> tuple[str, ...]:
    """What a model's passive forces hold besides springs and dampers of hinges and slides that are linear."""
    several_dofs = m.jnt_type < int(mujoco.mjtJoint.mjJNT_SLIDE)
    ones = [m.jnt_dofadr[j] for j in np.flatnonzero(~several_dofs)]
    polynomials = [getattr(m, f"{field}poly", np.zeros(0)) for field in ("dof_damping", "jnt_stiffness")]
    there = {
        "springs of balls or free joints": np.any(m.jnt_stiffness[several_dofs]),
        "dampers of balls or free joints": np.any(np.delete(m.dof_damping, ones, axis=0)),
        "springs or dampers that are not linear": any(np.any(values) for values in polynomials),
        "springs or dampers of tendons": np.any(m.tendon_stiffness) or np.any(m.tendon_damping),
        "dampers of actuators": any(np.any(getattr(m, f"actuator_damping{kind}", 0.0)) for kind in ("", "poly")),
        "gravity compensation": np.any(m.body_gravcomp),
        "forces of a fluid": bool(m.opt.density or m.opt.viscosity),
        "soft bodies": m.nflex > 0,
    }
    return tuple(words for words, is_there in there.items() if is_there)


CHANGED = 1e-9
"""Relative change of a mass or an inertia that is reported."""


def _compile(imported: ImportedRobot, as_it_stands: bool) -> mujoco.MjModel:
    if imported.format == "MJCF":
        return mujoco.MjModel.from_xml_string(imported.text, dict(imported.assets))
    description = mujoco.MjSpec.from_string(imported.text)
    if imported.floating and not as_it_stands:
        root = imported.spec.bodies[0]
        description.body(root.name).add_freejoint(name=root.joint.name)
    return description.compile()


def mujoco_places(imported: ImportedRobot, m: mujoco.MjModel) -> dict[str, Place]:
    """Where the compiled model keeps each joint of the tree, by name; in a URDF by the link behind it, which rotors share."""
    numbers = _urdf_joints(imported, m) if imported.format == "URDF" else mujoco_tree.joint_places(m)
    return {name: Place(int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])) for name, j in numbers.items()}


def _urdf_joints(imported: ImportedRobot, m: mujoco.MjModel) -> dict[str, int]:
    """Numbers of the joints by name; links that MuJoCo lacks are those between the several joints of the next one."""
    numbers: dict[str, int] = {}
    between: list[str] = []
    for body in (b for b in with_rotor_bodies(imported.spec).spec.bodies if b.joint.type is not JointType.FIXED):
        between.append(body.joint.name)
        number = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, body.name)
        if number < 0 and body.inertia.mass == 0.0:
            continue
        if number < 0 or m.body_jntnum[number] != len(between):
            raise EngineError(f"mujoco-file: MuJoCo lacks the joint '{between[0]}' of link '{body.name}': rename its links")
        numbers |= {name: int(m.body_jntadr[number]) + k for k, name in enumerate(between)}
        between = []
    return numbers


def _equality_numbers(imported: ImportedRobot, m: mujoco.MjModel) -> dict[str, int]:
    """Numbers of the equality constraints behind the spec's loops and couplings, by name."""
    if imported.format == "MJCF":
        return equality_names(m)
    joints = _urdf_joints(imported, m)
    pairs = {(int(m.eq_obj1id[i]), int(m.eq_obj2id[i])): i for i in range(m.neq)}
    ties = {c.name: (joints[c.joint], joints[c.leader]) for c in imported.spec.couplings}
    return {name: pairs[pair] for name, pair in ties.items() if pair in pairs}


class _MujocoNumbers:
    """The numbers by MuJoCo's own functions."""

    def __init__(
        self,
        m: mujoco.MjModel,
        points: Sequence[FilePoint],
        storage: FileStorage,
        rows: ConstraintRows,
        fused: Sequence[tuple[float, Vector3]],
    ) -> None:
        """`fused`: masses (kg) and their places of links that MuJoCo fused into the world, which has no mass."""
        self._constraints = rows
        constrained = names_of_group(QuantityGroup.CONSTRAINTS) if rows.count else ()
        more = other_passive_forces(m)
        joints = (*(() if more else ("passive_forces",)), "dry_friction")
        laws = actuators.control_laws(m, mujoco_tree.names_of(m).joints)
        actuated = ("actuator_torques",) if laws else ()
        forces = ("inverse_dynamics", "inverse_dynamics_with_contacts")
        self.quantities = frozenset({*CORE, *forces, *storage.names, *constrained, *joints, *actuated})
        self.not_compared = (*storage.not_compared, *_left_out(more, laws is not None))
        self._m, self._d = m, mujoco.MjData(m)
        gravity = np.array(m.opt.gravity)
        if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            gravity[:] = 0.0
        static = -float(sum(mass * (gravity @ place) for mass, place in fused))
        armature = mujoco_tree.armatures(m, "mujoco-file")
        self.assembly = {
            **storage.assembly,
            **inverse_dynamics(np.array([armature[dof] for dof in range(m.nv)])),
            "V_pot": Assembly(("coms",), partial(_potential_energy, static, m.body_mass.copy(), gravity)),
            "dry_friction": Assembly(("own_v",), partial(sliding_friction, m.dof_frictionloss.copy())),
        }
        carried, to_points = mujoco_calls.body_points([_body_number(m, point.body) for point in points])
        numbers = mujoco_calls.raw_numbers(m, carried, range(m.nbody))
        if laws:
            numbers["actuator_torques"] = mujoco_calls.actuator_torques(m)
        self.raw_shapes = {name: number.shape for name, number in numbers.items()}
        offsets = np.array([point.offset for point in points])
        arrays = mujoco_calls.fixed_arrays(m, len(points)) | {"offsets": offsets, "points": np.zeros_like(offsets)}
        self._calls = StateCalls(m, (*mujoco_calls.moves(m), *to_points), numbers, arrays)

    def __call__(self, states: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        constrained = names & set(names_of_group(QuantityGroup.CONSTRAINTS))
        with mute_warnings():
            numbers = assembled_numbers(self, states, sorted(names - constrained))
            if constrained:
                numbers |= self._constraint_numbers(states)
        if "constrained_forward_dynamics" in names:
            numbers["constrained_forward_dynamics"] = self._constrained_accelerations(states, numbers)
        return numbers

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`."""
        self._calls.write(tuple(out), {**states._asdict(), **out})

    def _constraint_numbers(self, states: OwnStates) -> dict[str, Floats]:
        """J by MuJoCo's own rows, Jdot u by its mj_jacDot."""
        rows = [self._constraint_rows(q, u) for q, u in zip(states.q, states.v, strict=True)]
        J, bias = (np.array(parts) for parts in zip(*rows, strict=True))
        return {"constraint_jacobian": J, "constraint_bias": bias}

    def _constrained_accelerations(self, states: OwnStates, numbers: Mapping[str, Floats]) -> Floats:
        """The rigid dynamics solved here: MuJoCo's constraints are soft."""
        J, bias = numbers["constraint_jacobian"], numbers["constraint_bias"]
        return constrained_accelerations(self._constraints.spec, numbers["M"], states.tau - numbers["h"], J, bias)

    def _constraint_rows(self, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """J and Jdot u of one state."""
        m, d = self._m, self._d
        d.qpos[:], d.qvel[:] = q, u
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        return self._constraints(m, d, u)


def _left_out(other_forces: Sequence[str], has_laws: bool) -> Iterator[str]:
    """Which quantities of joints the model does not answer, and why."""
    if other_forces:
        whose = f"MuJoCo's hold {', '.join(other_forces)}, which the robot's description does not"
        yield f"mujoco-file: passive_forces left out: {whose}"
    if not has_laws:
        why = "an actuator's force is no sum of its command, its joint's position and its speed, each within limits of its own"
        yield f"mujoco-file: actuator_torques left out: {why}"


def _potential_energy(static: float, masses: Floats, gravity: Floats, coms: Floats) -> Floats:
    """V_pot (n,) of gravity alone: MuJoCo's counts springs in."""
    energy: Floats = static - np.vecdot(coms @ gravity, masses)
    return energy


def _body_number(m: mujoco.MjModel, body: str) -> int:
    return 0 if body == WORLD else mujoco_tree.names_of(m).bodies.index(body)


def largest_change(with_it: mujoco.MjModel, without: mujoco.MjModel) -> str:
    """The largest relative change of a body's mass or moments, in words; "" where there is none."""
    numbers = [np.column_stack((m.body_mass, m.body_inertia)) for m in (with_it, without)]
    size = np.maximum(np.abs(numbers[1]), np.finfo(float).tiny)
    change = np.abs(numbers[0] - numbers[1]) / size
    if change.max() <= CHANGED:
        return ""
    b, k = np.unravel_index(int(change.argmax()), change.shape)
    what = "mass" if k == 0 else "inertia"
    body = with_it.body(int(b)).name
    return f"it changes inertias, most the {what} of '{body}': {numbers[1][b, k]:.6g} becomes {numbers[0][b, k]:.6g}"
