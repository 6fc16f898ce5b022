"""Sines and cosines of a record as plain arithmetic, so that every target computes the very same bits; or as inputs.

No operation is fused and no mathematics library is called: + - * and a rounding, in one order, are the same in SIMD code,
in NumPy and in C99.
"""

from collections.abc import Sequence

import numpy as np

from leapcheck_reference.trace.graph import Graph, Node, Op, prune

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

HALF_PI = tuple(map(float.fromhex, ("0x1.921fb60000000p+0", "-0x1.777a5c0000000p-25", "-0x1.ee59d80000000p-50")))
"""Leading parts of pi/2. Each is a whole number of at most 1.4e7 times a power of two: its product with a whole number is
exact as long as that is at most 6.366e8, the quadrants in 1e9 rad, the largest angle the library takes."""

HALF_PI_REST = float.fromhex("-0x1.cceba3f91f197p-74")
"""pi/2 less its leading parts, to 4e-39."""

SINE = tuple(
    float.fromhex(number)
    for number in (
        *("-0x1.5555555555548p-3", "0x1.111111110f730p-7", "-0x1.a01a019be9210p-13"),
        *("0x1.71de35552a6a6p-19", "-0x1.ae5e4b82bf5b2p-26", "0x1.5d8b552101523p-33"),
    )
)
"""S with sin r = r + r z S(z), z = r^2, relative error below 3.8e-18 (2^-57.9) for |r| <= pi/4.

Found in 300-bit arithmetic by Remez exchange on (0, (pi/4 + 1e-6)^2], weighted to the relative error of sin r. Coefficients
were rounded to doubles one by one from the first, each time with a new exchange for those that were left."""

COSINE = tuple(
    float.fromhex(number)
    for number in (
        *("0x1.555555555554bp-5", "-0x1.6c16c16c15015p-10", "0x1.a01a019c8f253p-16"),
        *("-0x1.27e4f7f191244p-22", "0x1.1ee9dbcecc105p-29", "-0x1.8fa68460bc68fp-37"),
    )
)
"""C with cos r = 1 - z/2 + z^2 C(z), relative error below 5.7e-20 (2^-63.9), found in the same way."""

PIVOT = 0.1875
"""cos r is summed as (1 - PIVOT) - ((z/2 - PIVOT) - z^2 C): of z/2 in [0, 0.31] less than this, the rounding is half as large."""


def lower(graph: Graph) -> Graph:
    """The graph with the sine and cosine of an angle x as 45 arithmetic operations, one rounding and four choices together.

    Error below 1 ulp for |x| <= 1e5 rad (measured 0.91), beyond below 2e-14 up to 1e9 rad. sin(-x) is -sin x, sin 0 is 0, cos 0
    is 1, exactly.
    """
    builder = _Builder()
    number: list[int] = []
    for op, arguments, value in graph.nodes:
        if op is Op.SIN or op is Op.COS:
            number.append(builder.turn(op, number[arguments[0]]))
        elif op is Op.CONSTANT:
            number.append(builder.constant(float(value)))  # type: ignore[arg-type]
        else:
            number.append(builder.append(Node(op, tuple([number[a] for a in arguments]), value)))
    numbers = np.array(number, dtype=np.int64)
    outputs = {name: numbers[places] for name, places in graph.outputs.items()}
    return Graph(tuple(builder.nodes), graph.inputs, outputs)


def with_given_sines(graph: Graph) -> Graph:
    """The graph with the sines and the cosines of its angles as two more inputs, "sin" and "cos", in the order of `angles`."""
    place = {angle: i for i, angle in enumerate(_angle_nodes(graph))}
    first = {Op.SIN: graph.input_count, Op.COS: graph.input_count + len(place)}
    nodes = tuple(
        Node(Op.INPUT, (), first[node.op] + place[node.arguments[0]]) if node.op in first else node for node in graph.nodes
    )
    inputs = {**graph.inputs, "sin": (len(place),), "cos": (len(place),)}
    return prune(Graph(nodes, inputs, graph.outputs))


def angles(graph: Graph) -> Graph:
    """The graph whose only output "angles" is each different angle that the graph takes a sine or a cosine of, once."""
    return prune(Graph(graph.nodes, graph.inputs, {"angles": np.array(_angle_nodes(graph), dtype=np.int64)}))


def _angle_nodes(graph: Graph) -> list[int]:
    return sorted({node.arguments[0] for node in graph.nodes if node.op in (Op.SIN, Op.COS)})


class _Builder:
    """Nodes made so far; constants and what an angle needs are made once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._constants: dict[float, int] = {}
        self._parts: dict[int, tuple[int, int, int]] = {}

    def append(self, node: Node) -> int:
        """Number of a new node."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def node(self, op: Op, *arguments: int) -> int:
        """Number of a new operation."""
        return self.append(Node(op, arguments))

    def constant(self, value: float) -> int:
        number = self._constants.get(value)
        if number is None:
            number = self._constants[value] = self.append(Node(Op.CONSTANT, (), value))
        return number

    def add(self, a: int, b: int) -> int:
        return self.node(Op.ADD, a, b)

    def sub(self, a: int, b: int) -> int:
        return self.node(Op.SUB, a, b)

    def mul(self, a: int, b: int) -> int:
        return self.node(Op.MUL, a, b)

    def scale(self, factor: float, a: int) -> int:
        return self.mul(self.constant(factor), a)

    def polynomial(self, coefficients: Sequence[float], z: int) -> int:
        """Horner's rule."""
        total = self.constant(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            total = self.add(self.mul(total, z), self.constant(coefficient))
        return total

    def quadrant(self, x: int) -> tuple[int, int, int]:
        """Whole number k, r and its rounding error: x = k pi/2 + r + rest with |r| <= pi/4 (Cody and Waite)."""
        k = self.node(Op.ROUND, self.scale(TWO_OVER_PI, x))
        for part in HALF_PI[:-1]:
            x = self.sub(x, self.scale(part, k))  # exact
        last = self.scale(HALF_PI[-1], k)
        r = self.sub(x, last)
        return k, r, self.sub(self.sub(self.sub(x, r), last), self.scale(HALF_PI_REST, k))

    def turn(self, op: Op, x: int) -> int:
        """sin x or cos x."""
        k, sine, cosine = self._parts[x] if x in self._parts else self._parts.setdefault(x, self.first_quadrant(x))
        if op is Op.SIN:
            return self.node(Op.FLIP, k, self.node(Op.ODD, k, sine, cosine))
        return self.node(Op.FLIP, self.add(k, self.constant(1.0)), self.node(Op.ODD, k, cosine, sine))

    def first_quadrant(self, x: int) -> tuple[int, int, int]:
        """The number k of x's quadrant, and the sine and cosine of x - k pi/2."""
        k, r, rest = self.quadrant(x)
        z = self.mul(r, r)
        cubic = self.mul(self.mul(z, r), self.polynomial(SINE, z))
        sine = self.add(r, self.add(cubic, rest))
        quartic = self.sub(self.mul(self.mul(z, z), self.polynomial(COSINE, z)), self.mul(r, rest))
        below = self.sub(self.sub(self.scale(0.5, z), self.constant(PIVOT)), quartic)
        return k, sine, self.sub(self.constant(1.0 - PIVOT), below)
