"""The C function of a robot's quantities, with its conventions in the header's words."""

from collections.abc import Iterator, Sequence
from inspect import getdoc

from leapcheck_models.spec import JointType, RobotSpec, spec_hash
from leapcheck_models.xml_text import file_stem, provenance
from leapcheck_reference.quantities import quantity
from leapcheck_reference.trace.c99 import CFunction, identifier
from leapcheck_reference.trace.graph import Op
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.record import record
from leapcheck_reference.tree import Tree, build

CONTROLLER = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "contact_bias_accelerations")
"""What a whole-body controller asks at every step."""

COORDINATES = {
    JointType.FREE: "p_WB (m), quaternion w x y z of R_WB | w_WB_B (rad/s), v_WB_B (m/s), both in the body's own axes",
    JointType.BALL: "quaternion w x y z, parent from child | angular velocity in the child's axes (rad/s)",
    JointType.REVOLUTE: "angle (rad) | rate (rad/s)",
    JointType.PRISMATIC: "displacement (m) | rate (m/s)",
}
"""What stands in q | in v for a joint that moves."""

INPUTS = {
    "q": "configuration, as listed below; unit quaternions, angles up to 1e9 rad",
    "v": "velocity, as listed below",
    "vdot": "component-wise rate of v",
    "tau": "generalised force that goes with v (N m, N)",
    "contact_forces": "force on the robot at each contact point in turn, world axes (N)",
}


def robot_function(spec: RobotSpec, quantities: Sequence[str] = CONTROLLER) -> CFunction:
    """One function that computes the quantities together: `<robot>_<quantity>`, or `<robot>_dynamics` for several.

    Quantities are keys of `leapcheck_reference.quantities.QUANTITIES`; ValueError for any other name.
    """
    names = tuple(dict.fromkeys(quantities))
    tree = build(spec)
    graph = lower(record(tree, names))
    roots = "; calls sqrt of <math.h>" if Op.SQRT in graph.counts() else ""
    about = [
        f"{', '.join(names)} of model {spec_hash(spec)}.",
        *provenance(spec, f" --c {' '.join(names)}"),
        f"{graph.operation_count} operations (+ - * / sqrt), sines and cosines included{roots}; no allocation, no state.",
        "Same bits as the kernel of leapcheck_reference.",
    ]
    meaning = {name: INPUTS[name] for name in graph.inputs} | {
        name: (getdoc(quantity(name).function) or "").splitlines()[0] for name in names
    }
    name = identifier(f"{file_stem(spec)}_{names[0] if len(names) == 1 else 'dynamics'}")
    return CFunction(name, graph, about, meaning, tuple(_layout(tree)))


def _layout(tree: Tree) -> Iterator[str]:
    """Where each joint stands in q and v, and the order of the contact points."""
    for link in tree.links:
        if link.type in COORDINATES:
            yield f"q{_places(link.q)} v{_places(link.v)} {link.name}: {COORDINATES[link.type]}"
    yield from (f"point {i}: {point.name}" for i, point in enumerate(tree.points))


def _places(part: slice) -> str:
    return f"[{part.start}]" if part.stop == part.start + 1 else f"[{part.start}..{part.stop - 1}]"
