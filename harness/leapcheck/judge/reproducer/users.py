"""A user's own engine in a reproducer: how a file by itself loads it and asks it, with nothing of leapcheck."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.coordinates.frame_derivatives import JACOBIANS
from leapcheck.coordinates.frame_maps import CANONICAL_FRAMES, VDOT
from leapcheck.coordinates.frames import CONVERTED, OPERATIONAL, Reading, reading
from leapcheck.engines.outside.canonical import coefficients, depends_on_convention, states_in
from leapcheck.engines.outside.engine import OutsideEngine
from leapcheck.engines.outside.framing import PROTOCOL, Header
from leapcheck.engines.outside.launch import greeting
from leapcheck.engines.outside.recording import RecordedEngine
from leapcheck.engines.outside.target import EngineKind, Target
from leapcheck.engines.outside.user import FactoryEngine, UserEngine
from leapcheck.engines.outside.words import words_of_frames
from leapcheck.engines.projection import number_of, takes_rate
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.quantities import DOFS, QUANTITIES, QuantityGroup, answer_shape, sizes
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

FACTORY = re.compile(r"([\w.]+):([\w.]*)")
"""What can be imported, written module:name, or "module:"."""


class OwnEngine(NamedTuple):
    """How the user's engine is loaded: `what` is a path, the words of a command, or (module, factory); () where nothing says it.

    It runs in `folder`, seen from where the comparison ran; `takes_robot` where it can be given another one. `dtype` is that
    of its numbers, `convention` its own where it declares one, `row` that of the state in recorded data; `abi` and `protocol`
    are the versions of the C ABI and of the pipe's protocol by which a library or a program is asked.
    """

    name: str
    kind: EngineKind
    what: tuple[str, ...] = ()
    folder: str = "."
    takes_robot: bool = False
    dtype: str = "<f8"
    convention: Convention | None = None
    row: int = 0
    abi: int = 0
    protocol: int = PROTOCOL

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"{self.kind}.py.j2"


def own_engine(name: str, shrunk: SmallestCase, quantity: str) -> OwnEngine:
    """How the user's engine of that name, which the smallest case holds, is loaded; by its name alone where it holds none."""
    engine = shrunk.engine
    if isinstance(engine, OutsideEngine):
        own = _of_target(name, engine.target)
        return own._replace(takes_robot=engine.holds_any_robot, dtype=engine.dtype, convention=engine.convention)._replace(
            abi=engine.abi, protocol=engine.protocol
        )
    if isinstance(engine, RecordedEngine):
        row = engine.rows(shrunk.state, QUANTITIES[quantity].arguments)[0]
        return _of_target(name, engine.target)._replace(convention=engine.convention, row=row)
    if isinstance(engine, UserEngine):
        what, is_factory = _factory(engine.import_name), isinstance(engine, FactoryEngine)
        return OwnEngine(name, EngineKind.PYTHON, what, takes_robot=is_factory, convention=engine.convention)
    what = _factory(name)
    return OwnEngine(name, EngineKind.PYTHON, what, takes_robot=bool(what))


def own_context(own: OwnEngine, shrunk: SmallestCase, quantity: str) -> dict[str, Any]:
    """What the templates of users' engines read."""
    spec, state, convention = shrunk.spec, shrunk.state, own.convention
    frames = _frames(shrunk, convention, quantity)
    names = _asked(convention, quantity, frames)
    parts = states_in(convention, state)
    declared: dict[str, Any] = {"T": None, "Tdot": None, "rate": False}
    if convention is not None and (depends_on_convention(quantity) or frames):
        declared = {
            "T": conventions.velocity_map(convention, state.q)[0],
            "Tdot_v": conventions.velocity_map_rate(convention, state.q, state.v)[0],
            "Tdot": conventions.velocity_map_rates(convention, state.q, state.v)[0] if QUANTITIES[quantity].is_rate else None,
            "rate": takes_rate(convention, quantity) or convention.has_rate,
        }
    if own.dtype == "<f4":
        declared |= {"single": " in single precision"}
    requirements = "numpy pyarrow" if own.kind is EngineKind.DATA and own.what[0].endswith(".parquet") else "numpy"
    return declared | {
        "requirements": requirements,
        "own": own,
        "total_mass": spec.total_mass,
        "own_q": np.array(parts.q[0]),
        "own_v": np.array(parts.v[0]),
        "own_tau": np.array(parts.tau[0]),
        "own_vdot": np.array(parts.vdot[0]),
        "shapes": {name: answer_shape(name, spec) for name in names},
        "calls": {name: QUANTITIES[name].arguments for name in names},
        "letters": {name: "h" if name.endswith("force") else number_of(name) for name in names},
        "converted": "" if QUANTITIES[quantity].group is QuantityGroup.CORE else _converted(quantity, declared["rate"], frames),
        "frames": frames,
        "frames_words": _frames_words(own),
        "hello": _hello(own.protocol, spec, names),
        "sizes": {"nq": spec.nq, "nv": spec.nv, "points": sizes(spec).points},
    }


def _hello(protocol: int, spec: RobotSpec, names: Sequence[str]) -> Header:
    """What a program is greeted with, but for the robot and the memory; of the shapes those of the quantities asked."""
    hello = greeting(spec, "", protocol)
    if "shapes" in hello:
        hello["shapes"] = {name: hello["shapes"][name] for name in names}
    return {key: value for key, value in hello.items() if key not in ("robot", "memory")}


def _asked(convention: Convention | None, quantity: str, frames: Reading | None) -> tuple[str, ...]:
    """What the file asks the engine for: how frames are read stands there in numbers."""
    if convention is None:
        return (quantity,)
    own = (quantity, *((JACOBIANS,) if frames and frames.Xdot is not None else ()))
    return tuple(dict.fromkeys([*own, *coefficients(convention, own)]))


def _frames(shrunk: SmallestCase, convention: Convention | None, quantity: str) -> Reading | None:
    """How the engine's frames are read at the state, by its own placements and velocities; None where they are canonical."""
    if convention is None or convention.frames == CANONICAL_FRAMES or quantity not in CONVERTED or shrunk.engine is None:
        return None
    engine, state = shrunk.engine, shrunk.state

    def canonical(name: str) -> Floats:
        return state.vdot if name == VDOT else engine.evaluate(state, (name,))[name]

    return reading(convention.frames, shrunk.spec, quantity, canonical)


def _frames_words(own: OwnEngine) -> str:
    """What the engine declares of frames, in one line."""
    said = words_of_frames(own.convention.frames) if own.convention else {}
    declared = ", ".join(f'{key} = "{word}"' for key, word in said.items())
    return f"Its frames are declared: {declared}. X takes a frame's six rows back to world axes at its origin, angular first."


def _converted(quantity: str, rate: bool, frames: Reading | None) -> str:
    """The expression of the canonical answer in the engine's own one, which bears the quantity's name."""
    row = QUANTITIES[quantity]
    axes, text = row.axes or (), quantity
    last = " @ T" if len(axes) > 1 and axes[-1] in DOFS else ""
    if rate and row.is_rate:
        text, last = f"({quantity} @ T + {number_of(row.coefficient)} @ Tdot)", ""
    elif rate and row.coefficient:
        text = f"({quantity} + {row.coefficient} @ Tdot_v)"
    text = f"T.T @ {text}{last}" if axes and axes[0] in DOFS else f"{text}{last}"
    if frames is None:
        return text
    if frames.Xdot is not None:
        return f"X @ ({text} - Xdot @ X @ {JACOBIANS} @ T)"
    if frames.offset is not None:
        text = f"({text} - offset)"
    if len(axes) == 2:
        return f"(X @ {text}[..., None])[..., 0]"
    return f"X @ {text}{' @ np.swapaxes(X, 1, 2)' if quantity == OPERATIONAL else ''}"


def _of_target(name: str, target: Target) -> OwnEngine:
    """The engine that a word of the command line names; paths as they were given."""
    what = _factory(target.what[0]) if target.kind is EngineKind.PYTHON else target.what
    here = Path.cwd()
    folder = target.folder.relative_to(here) if target.folder.is_relative_to(here) else target.folder
    return OwnEngine(name, target.kind, what, folder.as_posix())


def _factory(text: str) -> tuple[str, ...]:
    """(module, factory) of module:factory; () for a text that is none."""
    match = FACTORY.fullmatch(text)
    is_name = match is not None and not any(map(keyword.iskeyword, re.split("[.:]", text)))
    return (match[1], match[2]) if match and is_name else ()
