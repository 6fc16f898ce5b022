"""Reference tables of quantities and engines, from the registries that the program uses."""

from __future__ import annotations

from leapcheck.engines.errors import EngineError
from leapcheck.engines.registry import DEFAULTS, FACTORIES, make_engine
from leapcheck.quantities import QUANTITIES, Axis, QuantityGroup
from leapcheck_evidence.site.markdown import cell, table
from leapcheck_models.robots import ROBOTS
from leapcheck_models.spec import RobotSpec

GROUPS = {
    QuantityGroup.CORE: "Equations of motion, contact points, energies. Compared by default.",
    QuantityGroup.MUJOCO: "MuJoCo's own storage, compared in MuJoCo's coordinates, with rotors as bodies. Compared by default.",
    QuantityGroup.DYNAMICS: "What follows from the equations of motion. `inverse_dynamics` is compared by default. "
    "`inverse_dynamics_with_contacts` is M vdot + h - sum J^T f of forces f on the robot at its contact points, N, world axes.",
    QuantityGroup.KINEMATICS: "Frames of links and contact points: world axes, at the frame's origin, angular first.",
    QuantityGroup.CENTROIDAL: "Centre of mass and momentum about it, rotors included.",
    QuantityGroup.DERIVATIVES: "By q (along v), v and tau of the dynamics, and of frames' velocities and accelerations.",
    QuantityGroup.REGRESSORS: "What is linear in the inertial parameters, armature left out.",
    QuantityGroup.JOINTS: "Forces in the joints that M and h leave out: springs, dampers, dry friction, actuators.",
    QuantityGroup.CONSTRAINTS: "Closed loops and coupled joints. Compared by default where a robot has some.",
}

SIZES = """Shapes are of one state, in letters: `nv` degrees of freedom, `p` contact points, `3p` their axes, `n` links and then
contact points, `c` rows of constraints, `b` links and then rotors. "Scale" is what an error is divided by to make it
[scale-free](../explanation/rounding.md). The same name is a function of `leapcheck_reference`, of your own engine, and a word for
`--quantities`."""

LETTERS = {
    Axis.FORCE: "nv", Axis.MOTION: "nv", Axis.POINT: "p", Axis.POINT_ROW: "3p", Axis.SPACE: "3", Axis.WRENCH: "6",
    Axis.CONSTRAINT: "c", Axis.FRAME: "n", Axis.TWIST: "6", Axis.POSE: "4", Axis.PARAMETER: "10b",
}  # fmt: skip


def quantities_page() -> str:
    """Every quantity by group: shape, unit, scale, and what it depends on."""
    sections = []
    for group in QuantityGroup:
        rows = [
            (f"`{q.name}`", cell(q.label), cell(q.unit), _shape(q.axes), ", ".join(q.arguments), cell(q.scale))
            for q in QUANTITIES.values()
            if q.group is group
        ]
        titles = ("name", "what", "unit", "shape", "of", "scale")
        sections.append(f"## {group}\n\n{GROUPS[group]}\n\n{table(titles, rows)}")
    return f"# Quantities\n\n{SIZES}\n\n" + "\n".join(sections)


def engines_page() -> str:
    """Every engine that has a name: its package and how it gets the Mini Cheetah."""
    spec = ROBOTS["mini_cheetah"]()
    rows = [(f"`{name}`", "yes" if name in DEFAULTS else "", _route(name, spec)) for name in FACTORIES]
    intro = (
        "Engines that `--engines` takes by name. A `.urdf` or `.xml` adds `mujoco-file` and `pinocchio-file`: the file as each\n"
        "package loads it. Your own engines are given with `--engine`: see [Add an engine](../how-to/add-an-engine.md)."
    )
    return f"# Engines\n\n{intro}\n\n{table(('name', 'by default', 'how it gets the robot (Mini Cheetah)'), rows)}"


def _route(name: str, spec: RobotSpec) -> str:
    try:
        return cell(make_engine(name, spec).route)
    except EngineError as missing:
        return f"an extra, `pip install {str(missing).partition('pip install ')[2]}`"


def _shape(axes: tuple[Axis, ...] | None) -> str:
    if axes is None:
        return "MuJoCo's"
    return f"({', '.join(LETTERS[axis] for axis in axes)})" if axes else "1"
