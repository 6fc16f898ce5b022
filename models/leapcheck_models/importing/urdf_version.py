"""What a URDF's version adds: quaternions of origins with 1.1; capsules and limits of acceleration and jerk with 1.2."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from leapcheck_models.lint.finding import Finding

QUATERNION = "quat_xyzw"
"""The attribute of an <origin> that stands for `rpy`."""

WITH_QUATERNIONS = ("1.1", "1.2")
RATES = ("acceleration", "deceleration", "jerk")
"""Attributes of a <limit> that bound how a joint is driven; dynamics does not depend on them."""


def version_findings(root: ET.Element) -> Iterator[Finding]:
    """Findings on what only newer readers know; takes quaternions out of a file whose version has none, as urdfdom does."""
    turned = [origin for origin in root.iter("origin") if origin.get(QUATERNION) is not None]
    if turned and root.get("version", "1.0") in WITH_QUATERNIONS:
        message = f"{len(turned)} origins are turned by {QUATERNION}, which MuJoCo passes over: there they are not turned"
        yield Finding("quaternions", "warning", "<origin>", message, "write rpy")
    elif turned:
        for origin in turned:
            del origin.attrib[QUATERNION]
        message = f"{len(turned)} origins have a {QUATERNION}, which no reader takes from a file of a version before 1.1"
        yield Finding("quaternions", "warning", "<origin>", message, 'write rpy, or version="1.1" in <robot>')
    if count := sum(any(limit.get(rate) for rate in RATES) for limit in root.iter("limit")):
        message = f"limits of acceleration, deceleration or jerk ({count}): no part of the dynamics, so they are not compared"
        yield Finding("not read", "note", "<limit>", message, "nothing")
