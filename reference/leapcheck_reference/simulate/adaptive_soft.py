"""MuJoCo's contact in pieces: between two events the same points touch, stick, slide or give way, and all is smooth.

The formulas are those of `soft_rows` and `soft_newton` (elliptic cones), written again for a piece that is held: a piece can
then be followed smoothly a little beyond its end, and its end found exactly.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.adaptive_cones import FREE, HELD, SLIDING, SoftPiece, piece_minimiser, zone_margins, zone_of
from leapcheck_reference.simulate.plant import Equations, Plant
from leapcheck_reference.simulate.soft import SoftContact, weights
from leapcheck_reference.simulate.soft_newton import minimiser
from leapcheck_reference.simulate.soft_rows import SMALLEST_REGULARISATION, Cone, SoftRows, gains, impedance
from leapcheck_reference.simulate.terrain import Touch

TOUCH = 1e-12
"""Spheres (m) and stops (rad) this close that move in touch at the same moment: so four feet land at once."""

UP = np.array([0.0, 0.0, 1.0])

TIP = 1e-9
"""A cone whose j is this small beside its aref is at its tip: the slide from there to the air would last some 1e-12 s."""


@dataclass(frozen=True, slots=True, eq=False)
class SoftMotion:
    """What a law gives at a state, whose equations are `at`.

    udot (nv,); `forces` (points, 3) N; for each contact that the piece has, the number of its point in `points` (n,), its force
    in `pushes` (n, 3) N and where it acts relative to the sphere's centre in `levers` (n, 3) m, world axes; `stops` (nv,) N m of
    the joint stops; `margins`, negative outside the piece.
    """

    equations: Equations
    udot: Floats
    forces: Floats
    points: NDArray[np.intp]
    pushes: Floats
    levers: Floats
    stops: Floats
    margins: Floats


class SoftLaw:
    """MuJoCo's contact without a time step on one plant; elliptic cones, no dry friction in the joints."""

    def __init__(self, plant: Plant, contact: SoftContact) -> None:
        """ValueError for pyramidal cones or joints with dry friction: they are not written in pieces."""
        if contact.cone != "elliptic" or plant.joints.friction.any():
            raise ValueError("the adaptive reference has elliptic cones and no dry friction in joints: give it such a model")
        self.plant, self.contact, self._weights = plant, contact, weights(plant)
        self._gains = gains(contact.solref, contact.solimp, 0.0)
        self._stop_gains = gains(contact.solreflimit, contact.solimplimit, 0.0)
        self._warm: Floats | None = None

    def forget(self) -> None:
        """Leaves nothing of earlier motions behind: a motion has the same bits whatever was followed before it."""
        self._warm = None

    def piece(self, q: Floats, u: Floats, force: Floats) -> SoftPiece:
        """The piece that holds at a state and a generalised force."""
        equations = self.plant.at(q, u)
        touch = self.plant.touch(equations)
        distances = touch.gaps
        falling = np.einsum("ni,ni->n", _normals(touch, np.arange(len(distances))), (equations.J @ u)[touch.points]) <= 0.0
        points = np.flatnonzero((distances < -TOUCH) | ((distances < TOUCH) & falling))
        stops = [(i, sign) for sign in (1.0, -1.0) for i in np.flatnonzero(self._beyond(q, u, sign)).tolist()]
        return self._piece_of_contacts(q, u, force, tuple(points.tolist()), tuple(sorted(stops)))

    def next_piece(self, piece: SoftPiece, which: int, q: Floats, u: Floats, force: Floats) -> SoftPiece:
        """The piece behind margin number `which`, at a state where that margin is zero."""
        points, joints, touching = len(self.plant.pair_points), len(self.plant.joints.names), len(piece.points)
        if which < points + 2 * joints:
            return self._piece_after_touch(piece, which, q, u, force)
        which -= points + 2 * joints
        if which < 2 * touching:
            zones = list(piece.zones)
            zones[which // 2] = self._next_zone(piece, which // 2, which % 2, q, u, force)
            return replace(piece, zones=tuple(zones))
        pushing = list(piece.pushing)
        pushing[which - 2 * touching] = not pushing[which - 2 * touching]
        return replace(piece, pushing=tuple(pushing))

    def _next_zone(self, piece: SoftPiece, cone: int, side: int, q: Floats, u: Floats, force: Floats) -> int:
        """The zone behind a side of a cone; what is let go without any tangential pull, at the cone's tip, does not slide."""
        if piece.zones[cone] == SLIDING:
            return (FREE, HELD)[side]
        if piece.zones[cone] == FREE:
            return SLIDING
        equations = self.plant.at(q, u)
        rows = self._rows(equations, self.plant.touch(equations), piece, q, u)
        j = self._solve(equations, rows, piece, force)[2]
        mine = slice(len(piece.stops) + 3 * cone, len(piece.stops) + 3 * cone + 3)
        return FREE if np.abs(j[mine]).max() <= TIP * np.abs(rows.aref[mine]).max() else SLIDING

    def motion(self, piece: SoftPiece, q: Floats, u: Floats, force: Floats) -> SoftMotion:
        """What the robot does at a state while the piece holds, or as if it did."""
        equations = self.plant.at(q, u)
        touch, touching, stopped = self.plant.touch(equations), np.array(piece.points, dtype=np.intp), len(piece.stops)
        rows = self._rows(equations, touch, piece, q, u)
        x, pushes, j = self._solve(equations, rows, piece, force)
        points, forces = touch.points[touching], np.zeros((len(self.plant.radii), 3))
        contacts = touch.in_world(pushes[stopped:].reshape(-1, 3)[:, [1, 2, 0]], touching)
        np.add.at(forces, points, contacts)
        levers = -_normals(touch, touching) * (self.plant.radii[points] + touch.gaps[touching] / 2.0)[:, None]
        stops = np.zeros(len(u))
        for (joint, sign), push in zip(piece.stops, pushes[:stopped].tolist(), strict=True):
            stops[self.plant.joints.u[joint]] = sign * push
        return SoftMotion(equations, x, forces, points, contacts, levers, stops, self._margins(touch, piece, q, rows, j))

    def _solve(self, equations: Equations, rows: SoftRows, piece: SoftPiece, force: Floats) -> tuple[Floats, Floats, Floats]:
        """Of `piece_minimiser`, from the last acceleration; where that leads nowhere, from the convex problem's answer."""
        smooth = force - equations.h
        _, free, failed = dposv(equations.M, smooth)
        if failed or not np.isfinite(free).all():
            raise ArithmeticError("no finite acceleration: the state or the torque has run away")
        if not len(rows.J):
            return free, np.empty(0), np.empty(0)
        try:
            answer = piece_minimiser(equations.M, smooth, rows, piece, free if self._warm is None else self._warm, free)
        except ArithmeticError:
            answer = piece_minimiser(equations.M, smooth, rows, piece, minimiser(equations.M, free, rows)[0], free)
        self._warm = answer[0]
        return answer

    def _beyond(self, q: Floats, u: Floats, sign: float) -> NDArray[np.bool_]:
        """Which joints are beyond their lower (sign 1) or upper (-1) stop, or at it and on their way."""
        distance = self._stop_distances(q, sign)
        beyond: NDArray[np.bool_] = (distance < -TOUCH) | ((distance < TOUCH) & (sign * u[self.plant.joints.u] < 0.0))
        return beyond

    def _stop_distances(self, q: Floats, sign: float) -> Floats:
        joints = self.plant.joints
        return q[joints.q] - joints.lower if sign > 0.0 else joints.upper - q[joints.q]

    def _piece_after_touch(self, piece: SoftPiece, which: int, q: Floats, u: Floats, force: Floats) -> SoftPiece:
        """The piece when a point or a stop (by its margin) has come into touch or out of it; what comes along comes too."""
        now = self.piece(q, u, force)
        points, joints = len(self.plant.pair_points), len(self.plant.joints.names)
        touching, stops = set(now.points), set(now.stops)
        if which < points:
            touching = touching - {which} if which in piece.points else touching | {which}
        else:
            stop = ((which - points) % joints, 1.0 if which - points < joints else -1.0)
            stops = stops - {stop} if stop in piece.stops else stops | {stop}
        return self._piece_of_contacts(q, u, force, tuple(sorted(touching)), tuple(sorted(stops)))

    def _piece_of_contacts(
        self, q: Floats, u: Floats, force: Floats, points: tuple[int, ...], stops: tuple[tuple[int, float], ...]
    ) -> SoftPiece:
        """The piece of given contacts: zones by MuJoCo's convex problem."""
        equations = self.plant.at(q, u)
        touching = SoftPiece(points, (HELD,) * len(points), stops, (True,) * len(stops))
        if not (points or stops):
            return touching
        rows = self._rows(equations, self.plant.touch(equations), touching, q, u)
        _, free, _ = dposv(equations.M, force - equations.h)
        x, _ = minimiser(equations.M, free, rows)
        j = rows.J @ x - rows.aref
        stopped = len(stops)
        zones = tuple(zone_of(cone, j_cone) for cone, j_cone in zip(rows.cones, j[stopped:].reshape(-1, 3).tolist(), strict=True))
        return replace(touching, zones=zones, pushing=tuple((j[:stopped] < 0.0).tolist()))

    def _rows(self, equations: Equations, touch: Touch, piece: SoftPiece, q: Floats, u: Floats) -> SoftRows:
        """Rows of a piece: its stops, then its points, each as (normal, x, y) at the point halfway between sphere and ground."""
        pairs, contact = np.array(piece.points, dtype=np.intp), self.contact
        points, distances = touch.points[pairs], touch.gaps[pairs]
        J_stops, aref_stops, D_stops = self._stop_rows(piece, q, u)
        levers = (self.plant.radii[points] + distances / 2.0)[:, None]
        centre, turning = touch.in_axes(equations.J[points], pairs), touch.in_axes(equations.J_w[points], pairs)
        J = np.stack(
            [centre[:, 2], centre[:, 0] - levers * turning[:, 1], centre[:, 1] + levers * turning[:, 0]], axis=1
        ).reshape(-1, len(u))
        K, B = self._gains
        aref, cones = -B * (J @ u), []
        for i, (point, distance) in enumerate(zip(points.tolist(), distances.tolist(), strict=True)):
            d = impedance(contact.solimp, distance)
            aref[3 * i] -= K * d * distance
            D = _strength(d, self._weights.points[point])
            cones.append(Cone(point, D, D * contact.impratio, contact.friction / math.sqrt(contact.impratio), contact.friction))
        pushless = np.zeros(len(D_stops))
        return SoftRows(
            J=np.concatenate([J_stops, J]),
            aref=np.concatenate([aref_stops, aref]),
            D=D_stops,
            lower=pushless,
            upper=pushless + np.inf,
            cones=cones,
            edged=[],
            stopped=np.array([self.plant.joints.u[joint] for joint, _ in piece.stops], dtype=np.intp),
        )

    def _stop_rows(self, piece: SoftPiece, q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        """(J, aref, D) of the joint stops of a piece."""
        J, (K, B) = np.zeros((len(piece.stops), len(u))), self._stop_gains
        aref, D = np.empty(len(J)), np.empty(len(J))
        for i, (joint, sign) in enumerate(piece.stops):
            dof, distance = self.plant.joints.u[joint], float(self._stop_distances(q, sign)[joint])
            d = impedance(self.contact.solimplimit, distance)
            J[i, dof] = sign
            aref[i] = -B * sign * u[dof] - K * d * distance
            D[i] = _strength(d, self._weights.joints[joint])
        return J, aref, D

    def _margins(self, touch: Touch, piece: SoftPiece, q: Floats, rows: SoftRows, j: Floats) -> Floats:
        """Distances of all points, of the lower and of the upper stops, signed by touch; two of each cone; one of each stop."""
        distances = touch.gaps.copy()
        distances[list(piece.points)] *= -1.0
        lower, upper = self._stop_distances(q, 1.0), self._stop_distances(q, -1.0)
        for joint, sign in piece.stops:
            (lower if sign > 0.0 else upper)[joint] *= -1.0
        stopped = len(piece.stops)
        zones = [
            margin
            for cone, zone, j_cone in zip(rows.cones, piece.zones, j[stopped:].reshape(-1, 3).tolist(), strict=True)
            for margin in zone_margins(cone, zone, j_cone)
        ]
        pushing = np.where(np.array(piece.pushing, dtype=bool), -j[:stopped], j[:stopped])
        return np.concatenate([distances, lower, upper, zones, pushing])


def _strength(d: float, weight: float) -> float:
    """D = 1 / R of a row with impedance d; a link whose com does not move (a wheel on a stand) has no weight, and R a floor."""
    return d / max((1.0 - d) * weight, SMALLEST_REGULARISATION * d)


def _normals(touch: Touch, pairs: NDArray[np.intp]) -> Floats:
    """Normals (n, 3) of these pairs in world axes, on level ground too."""
    return np.tile(UP, (len(pairs), 1)) if touch.axes is None else touch.axes[pairs, 2]
