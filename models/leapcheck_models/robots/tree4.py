"""All nine rooted trees with four joints, from four separate branches to one chain (S4).

The figure of the text, with five topologies, is lost; the nine contain them whichever they were. Links, placements and
axes are synthetic: the same four seeded, generic links in every tree, so that only the topology differs.
"""

import itertools

from leapcheck_models.robots.draws import direction, generator, inertia, placement
from leapcheck_models.spec import WORLD, Joint, JointType, RobotSpec, add_body, add_contact_point

JOINTS = 4
SEED = 4
SOURCE = "synthetic: PCG64 draws of this project, seed 4"

Depths = tuple[int, ...]


def rooted_trees(size: int = JOINTS) -> tuple[Depths, ...]:
    """Every rooted tree with `size` nodes below its root, each once, as the depths of its nodes in depth-first order.

    Of the orders of siblings the lexicographically largest stands for the tree (Beyer and Hedetniemi 1980); sorted, the
    trees go from (1, 1, 1, 1), separate branches, to (1, 2, 3, 4), one chain.
    """
    sequences = itertools.product(*(range(1, place + 2) for place in range(size)))
    valid = (d for d in sequences if all(after <= before + 1 for before, after in itertools.pairwise(d)))
    return tuple(sorted({_canonical(d) for d in valid}))


def _canonical(depths: Depths) -> Depths:
    """The largest depth sequence among the orders of siblings."""
    starts = [i for i, depth in enumerate(depths) if depth == min(depths)]
    branches = [depths[a:b] for a, b in itertools.pairwise([*starts, len(depths)])]
    ordered = sorted(((b[0], *(_canonical(b[1:]) if b[1:] else ())) for b in branches), reverse=True)
    return tuple(itertools.chain.from_iterable(ordered))


def tree4(number: int) -> RobotSpec:
    """The spec of tree `number`, 1 to 9: four revolute joints on the world, a contact point on every leaf."""
    depths = rooted_trees()[number - 1]
    rng = generator(SEED)
    description = f"rooted tree with four joints, depths {' '.join(map(str, depths))}"
    spec = RobotSpec(f"tree4_{number}", source=SOURCE, description=description)
    chain = [WORLD]
    for i, depth in enumerate(depths):
        del chain[depth:]
        name = f"link_{i + 1}"
        spec = add_body(
            spec,
            name,
            parent=chain[-1],
            joint=Joint(f"joint_{i + 1}", JointType.REVOLUTE, direction(rng)),
            placement=placement(rng, 0.4),
            inertia=inertia(rng, (0.5, 3.0), (0.08, 0.2), 0.1),
            source=SOURCE,
        )
        chain.append(name)
    parents = {body.parent for body in spec.bodies}
    for leaf in (body.name for body in spec.bodies if body.name not in parents):
        spec = add_contact_point(spec, f"{leaf}_tip", leaf, (0.1, 0.05, -0.2))
    return spec
