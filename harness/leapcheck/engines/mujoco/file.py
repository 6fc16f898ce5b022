"""`mujoco-file`: the user's file as MuJoCo itself loads it, no value corrected."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Place
from leapcheck.engines.constrained import constrained_accelerations
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engine import FileEngine, FilePoint, convention_of, file_points, static_masses
from leapcheck.engines.mujoco import actuators
from leapcheck.engines.mujoco import tree as mujoco_tree
from leapcheck.engines.mujoco.constraint_rows import ConstraintRows
from leapcheck.engines.mujoco.equalities import equality_names
from leapcheck.engines.mujoco.file_storage import FileStorage
from leapcheck.engines.mujoco.silence import mute_compiler, mute_warnings
from leapcheck.engines.projection import OwnStates, sliding_friction
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
        self._storage, self._constraints = storage, rows
        constrained = names_of_group(QuantityGroup.CONSTRAINTS) if rows.count else ()
        more = other_passive_forces(m)
        joints = (*(() if more else ("passive_forces",)), "dry_friction")
        laws = actuators.control_laws(m, mujoco_tree.names_of(m).joints)
        actuated = ("actuator_torques",) if laws else ()
        forces = ("inverse_dynamics", "inverse_dynamics_with_contacts")
        self.quantities = frozenset({*CORE, *forces, *storage.names, *constrained, *joints, *actuated})
        self._commands = actuators.command_dofs(m) if laws else []
        left_out = []
        if more:
            whose = f"MuJoCo's hold {', '.join(more)}, which the robot's description does not"
            left_out.append(f"mujoco-file: passive_forces left out: {whose}")
        if laws is None:
            why = (
                "an actuator's force is no sum of its command, its joint's position and its speed, each within limits of its own"
            )
            left_out.append(f"mujoco-file: actuator_torques left out: {why}")
        self.not_compared = (*storage.not_compared, *left_out)
        self._m, self._d, self._own_gravity = m, mujoco.MjData(m), np.array(m.opt.gravity)
        armature = mujoco_tree.armatures(m, "mujoco-file")
        self._armature = np.array([armature[dof] for dof in range(m.nv)])
        self._gravity = self._own_gravity.copy()
        if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            self._gravity[:] = 0.0
        self._static = -float(sum(mass * (self._gravity @ place) for mass, place in fused))
        self._points = [(_body_number(m, point.body), np.array(point.offset)) for point in points]

    def __call__(self, states: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        with mute_warnings():
            rows = [self._numbers(OwnStates(*state), names) for state in zip(*states, strict=True)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def _numbers(self, state: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        """The numbers of one state."""
        m, d, (q, u, tau, udot, contact_forces) = self._m, self._d, state
        d.qpos[:], d.qvel[:] = q, u
        d.ctrl[: len(self._commands)] = tau[self._commands]
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        height = d.xipos @ self._gravity
        numbers = {
            "M": M,
            "h": d.qfrc_bias.copy(),
            "T_kin": d.energy[1].copy(),
            "V_pot": np.array(self._static - m.body_mass @ height),
        }
        if "actuator_torques" in names:
            mujoco.mj_fwdActuation(m, d)
            numbers["actuator_torques"] = d.qfrc_actuator.copy()
        numbers |= {"passive_forces": d.qfrc_passive.copy(), "dry_friction": sliding_friction(m.dof_frictionloss, u)}
        numbers |= self._storage.numbers(d, names)
        if "inverse_dynamics" in names:
            numbers["inverse_dynamics"] = self._inverse_dynamics(udot)
        if "inverse_dynamics_with_contacts" in names:
            numbers["inverse_dynamics_with_contacts"] = self._inverse_dynamics(udot) - self._applied_force(contact_forces)
        if "udot" in names:
            numbers["udot"] = self._solved((tau - d.qfrc_bias)[None])[0]
        if not names.isdisjoint(("p", "pdot", "J", "a", "MinvJT")):
            numbers |= self._point_numbers(u)
        if not names.isdisjoint(names_of_group(QuantityGroup.CONSTRAINTS)):
            numbers |= self._constraint_numbers(u, tau, numbers)
        if not names.isdisjoint(("c", "g")):
            numbers |= self._forces()
        return numbers

    def _constraint_numbers(self, u: Floats, tau: Floats, numbers: dict[str, Floats]) -> dict[str, Floats]:
        """J by MuJoCo's own rows, Jdot u by its mj_jacDot; the rigid dynamics are solved here: MuJoCo's constraints are soft."""
        J, bias = self._constraints(self._m, self._d, u)
        M, force = numbers["M"], tau - numbers["h"]
        udot = constrained_accelerations(self._constraints.spec, M[None], force[None], J[None], bias[None])[0]
        return {"constraint_jacobian": J, "constraint_bias": bias, "constrained_forward_dynamics": udot}

    def _point_numbers(self, u: Floats) -> dict[str, Floats]:
        """p, pdot, J, a and MinvJT of points carried along by their bodies."""
        m, d, count = self._m, self._d, len(self._points)
        p, a = np.zeros((2, count, 3))
        J, Jdot = np.zeros((2, count, 3, m.nv))
        for k, (body, offset) in enumerate(self._points):
            p[k] = d.xpos[body] + d.xmat[body].reshape(3, 3) @ offset
            mujoco.mj_jac(m, d, J[k], None, p[k], body)
            mujoco.mj_jacDot(m, d, Jdot[k], None, p[k], body)
            a[k] = Jdot[k] @ u
        bodies = [body for body, _ in self._points]
        w, v_com = d.cvel[bodies].reshape(count, 2, 3).swapaxes(0, 1)
        pdot = v_com + np.cross(w, p - d.subtree_com[m.body_rootid[bodies]])
        return {"p": p, "pdot": pdot, "J": J, "a": a, "MinvJT": self._solved(J.reshape(3 * count, m.nv)).T}

    def _solved(self, rows: Floats) -> Floats:
        """M^-1 of each row (n, nv)."""
        solved = np.zeros_like(rows)
        if len(rows):
            mujoco.mj_solveM(self._m, self._d, solved, np.ascontiguousarray(rows))
        return solved

    def _inverse_dynamics(self, udot: Floats) -> Floats:
        """M udot + h (nv,); mj_rne leaves the armature of joints, actuators and tendons out."""
        force: Floats = self._armature * udot
        rigid = np.zeros(self._m.nv)
        self._d.qacc[:] = udot
        mujoco.mj_rne(self._m, self._d, 1, rigid)
        return force + rigid

    def _applied_force(self, contact_forces: Floats) -> Floats:
        """J^T f (nv,) of world forces (3 points,) at the points."""
        m, d, applied, no_moment = self._m, self._d, np.zeros(self._m.nv), np.zeros(3)
        for (body, offset), force in zip(self._points, contact_forces.reshape(-1, 3), strict=True):
            p = d.xpos[body] + d.xmat[body].reshape(3, 3) @ offset
            mujoco.mj_applyFT(m, d, force, no_moment, p, body, applied)
        return applied

    def _forces(self) -> dict[str, Floats]:
        """c and g: the bias force without gravity, and without velocity."""
        m, d = self._m, self._d
        m.opt.gravity[:] = 0.0
        mujoco.mj_fwdVelocity(m, d)
        c = d.qfrc_bias.copy()
        m.opt.gravity[:], d.qvel[:] = self._own_gravity, 0.0
        mujoco.mj_fwdVelocity(m, d)
        return {"c": c, "g": d.qfrc_bias.copy()}


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
