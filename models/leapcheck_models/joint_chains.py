"""Links without mass that stand between several joints of one link, as readers of model files make them."""

from leapcheck_models.elements import Body, Inertia, JointType


def between_joints(bodies: tuple[Body, ...]) -> dict[str, str]:
    """For each such link the one that has its joints, by name: it moves, holds nothing, and is called `<that>_...`."""
    below: dict[str, list[Body]] = {}
    for body in bodies:
        below.setdefault(body.parent, []).append(body)
    owners: dict[str, str] = {}
    for body in reversed(bodies):  # children first
        if len(children := below.get(body.name, [])) == 1 and _is_empty(body):
            owner = owners.get(children[0].name, children[0].name)
            if body.name.startswith(f"{owner}_"):
                owners[body.name] = owner
    return owners


def _is_empty(body: Body) -> bool:
    moves = body.joint.type not in (JointType.FIXED, JointType.FREE)
    return moves and body.inertia == Inertia(0.0) and not body.shapes and body.rotor is None
