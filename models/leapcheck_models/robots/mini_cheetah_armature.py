"""MIT Mini Cheetah as an 18-dof engine sees it: the rotors lumped into the links, their spin as armature."""

from __future__ import annotations

import dataclasses

from leapcheck_models.robots.mini_cheetah import LEGS, mini_cheetah, mirrored_entries
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec

# The nearest realisable inertia (Frobenius norm, rounded to 1e-8 kg m^2) of a left hip link with the
# knee's rotor rigid on it: the sum of the published figures misses the triangle inequality by 5.535e-5 kg m^2.
LUMPED_HIP_NEAREST = (2.05417e-3, 2.2723e-4, 1.274e-5, 2.18128e-3, 1.736e-5, 4.7240e-4)


def mini_cheetah_armature() -> RobotSpec:
    """The armature approximation of `mini_cheetah()`: 13 links, 18 dof, armature gear_ratio^2 x 63e-6 kg m^2."""
    spec = with_lumped_rotors(mini_cheetah(), "mini_cheetah_armature")
    nearest = {f"{leg}_hip": LUMPED_HIP_NEAREST if left > 0 else mirrored_entries(LUMPED_HIP_NEAREST) for leg, _, left in LEGS}
    bodies = tuple(
        dataclasses.replace(b, inertia=dataclasses.replace(b.inertia, nearest=nearest[b.name])) if b.name in nearest else b
        for b in spec.bodies
    )
    description = "MIT Mini Cheetah, rotors lumped into the links and their spin as armature"
    return dataclasses.replace(spec, bodies=bodies, description=description)
