"""All that is timed side by side for one robot: the peers, the kernels, the truth, and what bounds them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from leapcheck.quantities import sizes
from leapcheck.sampling import States
from leapcheck_evidence.bench.arithmetic import Arithmetic, contender
from leapcheck_evidence.bench.measure import Contender
from leapcheck_evidence.bench.own import MakeKernel, NotAvailable, compact_run, make_kernel, make_truth, rows_run
from leapcheck_evidence.bench.states import ALL, PARTS, canonical, generic_states, outputs, own_state
from leapcheck_evidence.peers import generated_peer, mujoco_peers, pinocchio_peer
from leapcheck_evidence.peers.protocol import Outputs, Peer, PeerMissing
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build

ARITHMETIC = "arithmetic bound"
STORES = "storing the outputs"
TRUTH = "double-double truth"
MUJOCO, PINOCCHIO, GENERATED = "MuJoCo", "Pinocchio", "Pinocchio's generated C"
WIDTHS = {8: "AVX-512", 4: "AVX2"}
LAYOUTS = ("NumPy layout", "compact layout")


def own_name(layout: str, lanes: int) -> str:
    """Name of a kernel in the tables."""
    return f"kernel, {layout}, {width_name(lanes)}"


def truth_name(lanes: int) -> str:
    """Name of the truth in the tables."""
    return f"{TRUTH}, {width_name(lanes)}"


def bound_name(lanes: int) -> str:
    """Name of the arithmetic bound in the tables."""
    return f"{ARITHMETIC}, {width_name(lanes)}"


def width_name(lanes: int) -> str:
    """Name of the instruction set by the doubles in a vector."""
    return WIDTHS.get(lanes, f"{lanes} doubles")


class TimingName(NamedTuple):
    """What was timed; `block` states are handed over per call."""

    who: str
    part: str
    block: int

    def __str__(self) -> str:
        return f"{self.who} | {self.part} | {self.block}"

    @classmethod
    def from_text(cls, name: str) -> TimingName:
        """Parses the text of `str`."""
        who, part, block = name.split(" | ")
        return cls(who, part, int(block))


class Answer(NamedTuple):
    """The canonical outputs of `all` of one contender at the states of one block, filled once it has run."""

    who: str
    states: States
    outputs: Callable[[], Outputs]


@dataclass(slots=True)
class Field:
    """The contenders of one robot.

    `forms` says how each is called, `missing` why one is not there, `operations` how many a kernel does per state.
    """

    contenders: list[Contender] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    forms: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)

    def enter(self, who: str, part: str, block: int, run: Callable[[], object]) -> None:
        """Adds a contender that evaluates a part at the states of a block."""
        self.contenders.append(Contender(str(TimingName(who, part, block)), run, block))


def contenders(spec: RobotSpec, blocks: Sequence[int], bounds: Sequence[Arithmetic], make: MakeKernel = make_kernel) -> Field:
    """Everything that can be timed on this machine, with each number of states per call."""
    made = Field()
    states = generic_states(spec, max(blocks))
    samples = [states[:block] for block in blocks]
    _enter_peers(made, spec, samples)
    for lanes in WIDTHS:
        _enter_kernel(made, spec, samples, lanes, make)
        _enter_truth(made, spec, samples, lanes)
    _enter_stores(made, spec, samples)
    for bound in bounds:
        made.contenders.append(contender(bound, bound_name(bound.lanes)))
        made.forms[bound_name(bound.lanes)] = bound.statement
    return made


def _enter_peers(made: Field, spec: RobotSpec, samples: Sequence[States]) -> None:
    ways: dict[str, Callable[[RobotSpec], Sequence[Peer]]] = {
        MUJOCO: mujoco_peers,
        PINOCCHIO: lambda spec: (pinocchio_peer(spec),),
        GENERATED: lambda spec: (generated_peer(spec),),
    }
    for name, peers in ways.items():
        try:
            for peer in peers(spec):
                _enter_peer(made, peer, samples)
        except PeerMissing as reason:
            made.missing[name] = str(reason)


def _enter_peer(made: Field, peer: Peer, samples: Sequence[States]) -> None:
    made.forms[peer.name] = f"{peer.form}, {peer.sizes.nv} dof in its own coordinates"
    for states in samples:
        q_u, v_u = own_state(peer.convention, states)
        out = outputs(len(states), peer.sizes)
        for part, names in PARTS.items():
            made.enter(peer.name, part, len(states), peer.bound(names, q_u, v_u, {name: out[name] for name in names}))
        made.answers.append(Answer(peer.name, states, partial(canonical, peer.convention, states, out)))


def _enter_kernel(made: Field, spec: RobotSpec, samples: Sequence[States], lanes: int, make: MakeKernel) -> None:
    rows, compact = (own_name(layout, lanes) for layout in LAYOUTS)
    try:
        kernels = {part: make(build(spec), names, lanes) for part, names in PARTS.items()}
    except NotAvailable as reason:
        made.missing |= {rows: str(reason), compact: str(reason)}
        return
    made.operations = {part: kernel.operations for part, kernel in kernels.items()}
    for states in samples:
        out = outputs(len(states), sizes(spec))
        for part, kernel in kernels.items():
            own_out = {name: out[name] for name in PARTS[part]}
            made.enter(rows, part, len(states), rows_run(kernel, states.q, states.v, own_out))
            made.enter(compact, part, len(states), compact_run(kernel, states.q, states.v))
        made.answers.append(Answer(rows, states, partial(dict, out)))


def _enter_truth(made: Field, spec: RobotSpec, samples: Sequence[States], lanes: int) -> None:
    name = truth_name(lanes)
    try:
        truth = make_truth(spec, PARTS[ALL], lanes)
    except NotAvailable as reason:
        made.missing[name] = str(reason)
        return
    for states in samples:
        out = outputs(len(states), sizes(spec))
        made.enter(name, ALL, len(states), partial(truth, states.q, states.v, out=out))
        made.answers.append(Answer(name, states, partial(dict, out)))


def _enter_stores(made: Field, spec: RobotSpec, samples: Sequence[States]) -> None:
    made.forms[STORES] = "zeros written over the arrays in NumPy layout, nothing else"
    for states in samples:
        arrays = tuple(outputs(len(states), sizes(spec)).values())
        made.enter(STORES, ALL, len(states), partial(_fill, arrays))


def _fill(arrays: tuple[Floats, ...]) -> None:
    """Stores to every byte of the arrays, by the C library's fastest loop."""
    for array in arrays:
        ctypes.memset(array.ctypes.data, 0, array.nbytes)
