"""Frames that the user names: `--frames tool camera`, sites of an MJCF, as links without mass that are fixed to their bodies."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from leapcheck_models.importing.marks import Mark
from leapcheck_models.spec import WORLD, Body, Inertia, Joint, JointType, Placement, RobotSpec
from leapcheck_models.xml_text import free_name


def with_frames(spec: RobotSpec, names: Iterable[str], marks: Sequence[Mark], where: str) -> RobotSpec:
    """The robot with a link of the name, place and axes of each named site; where another link has the name, it ends in _.

    `marks` are those of its file, which `where` names. Raises ValueError that names the word and the sites that there are.
    """
    sites = {mark.name: mark for mark in marks if mark.kind == "site"}
    for name in dict.fromkeys(names):
        if name not in sites:
            raise ValueError(f"{where}: no site '{name:.60}' on a body: {_remedy(name, spec, list(sites))}")
        spec = _with_frame(spec, sites[name])
    return spec


def _with_frame(spec: RobotSpec, site: Mark) -> RobotSpec:
    """The robot with the link of one site, right behind its body."""
    taken = {WORLD, *(body.name for body in spec.bodies), *(body.rotor.name for body in spec.bodies if body.rotor)}
    name = free_name(site.name, taken)
    joint = Joint(free_name(f"{name}_fixed", {body.joint.name for body in spec.bodies}), JointType.FIXED)
    link = Body(name, joint, Inertia(0.0), site.body, Placement(site.spots[0].position, site.quaternion))
    place = spec.body_index(site.body) + 1
    return replace(spec, bodies=(*spec.bodies[:place], link, *spec.bodies[place:]))


def _remedy(name: str, spec: RobotSpec, sites: list[str]) -> str:
    """What to name instead."""
    if name in {body.name for body in spec.bodies}:
        return "it is a link, and every link is a frame already"
    if not sites:
        return "there is none; every link is a frame already, fixed links of a URDF too"
    near = get_close_matches(name, sites, 1)
    listed = ", ".join(sites[:8]) + (", ..." if len(sites) > 8 else "")
    return f"did you mean '{near[0]}'? Its sites: {listed}" if near else f"name one of {listed}"
