"""The jumps that verdicts are tried on: known plans varied one thing at a time, and random requests."""

from __future__ import annotations

from typing import Any

import numpy as np

from leapcheck_evidence.verdicts.trials import VerdictTrial

PLANS: tuple[dict[str, Any], ...] = (
    {"plan": "mit-flip"},
    {"height": 0.2},
    {"height": 0.48, "distance": 0.55, "landing_height": 0.3, "box": ("0.3,0.53",)},
    {"plan": "mit-front-jump", "box": ("0.40,0.45",)},
    {"plan": "mit-front-jump-pitchup", "box": ("0.40,0.55",)},
    {"plan": "mit-front-jump-pitchup-v2", "box": ("0.45,0.55",)},
)
"""MIT's plans, the first of which is known to work on the robot, and two of leapcheck's."""

STRENGTHS, FRICTIONS, VOLTAGES, PAYLOADS = (0.5, 0.7, 0.85, 1.3), (0.2, 0.5), (8.0, 16.0), (1.0, 3.0)

LOADS = (0.0, 0.5, 1.0, 2.0)
"""Payloads (kg) of random requests: few, since each makes another robot, whose kernels are compiled once."""


def known_plans() -> list[VerdictTrial]:
    """Each plan as it is, and with one thing varied; the plan is that of the robot as described."""
    trials = []
    for plan in PLANS:
        changes: list[dict[str, Any]] = [{}, *({"strength": x} for x in STRENGTHS), *({"payload": x} for x in PAYLOADS)]
        changes += [{"options": {"friction": x}} for x in FRICTIONS] + [{"options": {"battery_voltage": x}} for x in VOLTAGES]
        for change in changes:
            strength, payload, met = change.get("strength", 1.0), change.get("payload", 0.0), change.get("options", {})
            trials.append(VerdictTrial("mini_cheetah", plan, strength, payload, strong_plan=True, met=met))
    return trials


def random_requests(count: int, seed: int = 0) -> list[VerdictTrial]:
    """Requests of random kind, size, friction, robot, strength and payload; number k is the same for every count."""
    return [_random_request(np.random.default_rng([seed, k])) for k in range(count)]


def _random_request(rng: np.random.Generator) -> VerdictTrial:
    kind = rng.choice(["up", "far", "turn", "box", "slope", "flip"], p=[0.25, 0.25, 0.15, 0.15, 0.1, 0.1])
    friction = round(float(rng.uniform(0.15, 0.9)), 2)
    strength, payload = round(float(rng.uniform(0.6, 1.2)), 2), float(rng.choice(LOADS))
    height = round(float(rng.uniform(0.08, 0.45)), 2)
    options: dict[str, Any] = {"plan": "mit-flip"} if kind == "flip" else {"height": height}
    options["friction"] = friction
    if kind in ("far", "box"):
        options["distance"] = round(float(rng.uniform(0.1, 0.6)), 2)
    if kind == "turn":
        options["pitch"] = round(float(rng.uniform(-40.0, 40.0)))
    if kind == "slope":
        options["slope"] = round(float(rng.uniform(-15.0, 15.0)))
    if kind == "box":
        box = round(float(rng.uniform(0.05, 0.25)), 2)
        options |= {"landing_height": box, "box": (f"{box},{rng.uniform(0.35, 0.65):.2f}",)}
    robot = str(rng.choice(["mini_cheetah", "mini_cheetah_armature"]))
    return VerdictTrial(robot, options, strength, payload, strong_plan=bool(rng.random() < 0.5))
