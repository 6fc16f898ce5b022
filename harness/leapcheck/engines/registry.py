"""The engines by name; a foreign package is imported only when its engine is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from leapcheck.coordinates.conventions import has_rotors
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.protocol import Engine, Rebuildable
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_models.urdf import urdf_obstacles
from leapcheck_models.words import did_you_mean

EngineFactory = Callable[[RobotSpec], Engine]

PACKAGES = {
    "mujoco": "mujoco",
    "pinocchio": "pin",
    "pydrake": "'leapcheck[drake]'",
    "jax": "'leapcheck[mjx]'",
    "mujoco.mjx": "'leapcheck[mjx]'",
}
"""Import name of a foreign package and the name under which pip installs it."""


def make_engine(name: str, spec: RobotSpec) -> Engine:
    """The engine of that name holding the robot.

    Raises ValueError for an unknown name, NotApplicable where the engine's file format cannot hold the robot, and
    EngineError (naming the engine and the remedy) where its package is missing or it refuses the robot.
    """
    if name not in FACTORIES:
        raise ValueError(f"unknown engine '{name}'{did_you_mean(name, FACTORIES)}: use one of {', '.join(FACTORIES)}")
    try:
        return FACTORIES[name](spec)
    except (EngineError, NotApplicable):
        raise
    except ModuleNotFoundError as error:
        missing = str(error.name)
        missing = missing if missing in PACKAGES else missing.partition(".")[0]
        raise EngineError(
            f"{name}: the package '{missing}' is not installed: pip install {PACKAGES.get(missing, missing)}"
        ) from error
    except Exception as error:
        reason = " ".join(str(error).split())
        raise EngineError(f"{name}: cannot hold robot '{spec.name}': {type(error).__name__}: {reason}") from error


def factory_of(engine: Engine) -> EngineFactory | None:
    """What makes the same engine of another robot; None for an engine that was handed over ready-made."""
    if isinstance(engine, Rebuildable):
        return engine.rebuild
    return partial(make_engine, engine.name) if engine.name in FACTORIES else None


def _reference(spec: RobotSpec) -> Engine:
    from leapcheck.engines.reference import ReferenceEngine

    return ReferenceEngine(spec)


def _mujoco(spec: RobotSpec) -> Engine:
    from leapcheck.engines.mujoco import build as mujoco_build
    from leapcheck.engines.mujoco.engine import MujocoEngine

    full, rotors = _with_rotor_bodies(spec)
    m = mujoco_build.model_from_mjcf(spec, full)
    return MujocoEngine("mujoco", spec, full, m, f"MJCF, exact values written{rotors}", storage=True)


def _mujoco_differences(spec: RobotSpec) -> Engine:
    from leapcheck.engines.mujoco import build as mujoco_build
    from leapcheck.engines.mujoco.differences import DifferencesEngine

    full, _ = _with_rotor_bodies(spec)
    return DifferencesEngine(spec, full, mujoco_build.model_from_mjcf(spec, full))


def _mujoco_urdf(spec: RobotSpec) -> Engine:
    from leapcheck.engines.mujoco import build as mujoco_build
    from leapcheck.engines.mujoco.engine import MujocoEngine

    if obstacles := urdf_obstacles(spec):
        raise NotApplicable(f"mujoco-urdf: URDF cannot hold '{spec.name}': {'; '.join(obstacles)}")
    full, rotors = _with_rotor_bodies(spec)
    m = mujoco_build.model_from_urdf(spec, full)
    return MujocoEngine("mujoco-urdf", spec, full, m, f"URDF through MjSpec, exact values written{rotors}", storage=False)


def _pinocchio(spec: RobotSpec) -> Engine:
    from leapcheck.engines.pinocchio import build as pinocchio_build
    from leapcheck.engines.pinocchio.engine import PinocchioEngine

    full, rotors = _with_rotor_bodies(spec)
    obstacles = urdf_obstacles(spec)
    if obstacles:
        model, source = pinocchio_build.model_by_api(full), f"its own API ({'; '.join(obstacles)})"
    else:
        model, source = pinocchio_build.model_from_urdf(spec), "URDF, exact values written"
    pinocchio_build.write_exact_values(full, model)
    frames = pinocchio_build.contact_frames(full, model, links=not obstacles)
    return PinocchioEngine("pinocchio", spec, full, model, frames, source + rotors, of_file=not obstacles)


def _pinocchio_mjcf(spec: RobotSpec) -> Engine:
    from leapcheck.engines.pinocchio import build as pinocchio_build
    from leapcheck.engines.pinocchio.engine import PinocchioEngine

    full, rotors = _with_rotor_bodies(spec)
    model = pinocchio_build.model_from_mjcf(spec)
    pinocchio_build.write_exact_values(full, model)
    frames = pinocchio_build.contact_frames(full, model, links=False)
    route = f"MJCF, exact values written, contact points placed on its links{rotors}"
    return PinocchioEngine("pinocchio-mjcf", spec, full, model, frames, route, of_file=True)


def _drake(spec: RobotSpec) -> Engine:
    from leapcheck.engines.drake import build as drake_build
    from leapcheck.engines.drake.engine import DrakeEngine

    full, rotors = _with_rotor_bodies(spec)
    balls = any(body.joint.type is JointType.BALL for body in spec.bodies)
    note = "; ball joints as floating joints that stay in place" if balls else ""
    return DrakeEngine(spec, full, drake_build.plant_by_api(full), f"MultibodyPlant by its own API{note}{rotors}")


def _mjx(spec: RobotSpec) -> Engine:
    from leapcheck.engines.mjx.engine import MjxEngine
    from leapcheck.engines.mujoco import build as mujoco_build

    full, rotors = _with_rotor_bodies(spec)
    m = mujoco_build.model_from_mjcf(spec, full)
    return MjxEngine(spec, full, m, f"MJCF, exact values written{rotors}")


def _with_rotor_bodies(spec: RobotSpec) -> tuple[RobotSpec, str]:
    """The robot with its rotors as bodies, and the words for it."""
    if not has_rotors(spec):
        return spec, ""
    full = with_rotor_bodies(spec).spec
    return full, f"; rotors as bodies, {full.nv} dof projected onto {spec.nv} with the gear matrix"


DEFAULTS: dict[str, EngineFactory] = {
    "reference": _reference,
    "mujoco": _mujoco,
    "mujoco-urdf": _mujoco_urdf,
    "pinocchio": _pinocchio,
    "pinocchio-mjcf": _pinocchio_mjcf,
}

FACTORIES = DEFAULTS | {"mujoco-fd": _mujoco_differences, "drake": _drake, "mjx": _mjx}
"""Every engine that has a name; those beyond DEFAULTS take part where they are named. Packages of the last two are extras."""

ENGINE_NAMES = tuple(DEFAULTS)
"""The engines of a comparison that names none."""
