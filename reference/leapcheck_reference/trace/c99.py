"""A record as C99: one function of straight-line code without allocation, and its header; the same bits as the SIMD kernel."""

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck_reference.trace.graph import Graph, Node, Op

FORMS: Mapping[Op, str] = {
    Op.ADD: "{} + {}",
    Op.SUB: "{} - {}",
    Op.MUL: "{} * {}",
    Op.DIV: "{} / {}",
    Op.NEG: "(-{})",
    Op.SQRT: "sqrt({})",
    Op.ABS: "fabs({})",
    Op.MAX: "larger({}, {})",
    Op.ROUND: "nearest({})",
    Op.ODD: "odd({}, {}, {})",
    Op.FLIP: "flip({}, {})",
}
"""Each operation in C. NEG is written where it is used, any other has a variable of its own."""

HELPERS: Mapping[Op, str] = {
    Op.ROUND: """\
/* The nearest whole number, ties to even; |x| < 2^51. */
static inline double nearest(double x) { return (x + 0x1.8p+52) - 0x1.8p+52; }
""",
    Op.ODD: """\
/* b where the whole number k is odd, else a. */
static inline double odd(double k, double a, double b) { return (integer(k) & 1) != 0 ? b : a; }
""",
    Op.FLIP: """\
/* -a where floor(k / 2) is odd, else a. */
static inline double flip(double k, double a) { return (integer(k) & 2) != 0 ? -a : a; }
""",
    Op.MAX: """\
/* The larger number, NaN where one of them is. */
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }
""",
}
"""What C99 has no operator for."""

INTEGER = """\
/* k as an integer; 0 for NaN and what is too large, where C leaves the result open. */
static inline int64_t integer(double k) { return k > -0x1p+52 && k < 0x1p+52 ? (int64_t)k : 0; }
"""

ARITHMETIC = """\
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "needs plain IEEE doubles: no -ffast-math, no x87"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif /* gcc has no such pragma: compile with -std=c99 or -ffp-contract=off, or the last bits may differ */
"""


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function to be written: its name, what it computes, a text about it, one for each input and output, and remarks."""

    name: str
    graph: Graph
    about: Sequence[str]
    meaning: Mapping[str, str]
    remarks: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuses sines and cosines: see `lowering`."""
        if unknown := {node.op for node in self.graph.nodes} - FORMS.keys() - {Op.INPUT, Op.CONSTANT}:
            raise ValueError(f"a C function has no {', '.join(sorted(unknown))}: give lowered(graph)")


def c_files(function: CFunction) -> dict[str, str]:
    """Text of `<name>.h` and `<name>.c`."""
    return {f"{function.name}.h": header_text(function), f"{function.name}.c": source_text(function)}


def header_text(function: CFunction) -> str:
    """The declaration and what a caller must know."""
    macro = function.name.upper()
    shapes = {**function.graph.inputs, **{name: places.shape for name, places in function.graph.outputs.items()}}
    parameters = [f"{name}{''.join(f'[{n}]' for n in shape)}: {function.meaning[name]}" for name, shape in shapes.items()]
    footer = "Inputs are not checked. Outputs may not overlap one another or an input. Nothing else is read or written."
    return f"""\
{comment([*function.about, "", *parameters, "", *function.remarks, "", footer])}
#ifndef {macro}_H
#define {macro}_H

#ifdef __cplusplus
#define {macro}_RESTRICT __restrict
extern "C" {{
#else
#define {macro}_RESTRICT restrict
#endif

{signature(function)};

#ifdef __cplusplus
}}
#endif

#endif
"""


def source_text(function: CFunction) -> str:
    """The definition. Constants are hexadecimal, so exact, with their decimals beside them."""
    used = function.graph.counts()
    includes = ["float.h", *["math.h"] * bool(used[Op.SQRT] + used[Op.ABS]), *["stdint.h"] * bool(used[Op.ODD] + used[Op.FLIP])]
    helpers = [INTEGER] * bool(used[Op.ODD] + used[Op.FLIP]) + [text for op, text in HELPERS.items() if used[op]]
    return "\n".join(
        [
            comment(function.about),
            "\n".join([f'#include "{function.name}.h"', "", *(f"#include <{name}>" for name in includes), ""]),
            ARITHMETIC,
            *helpers,
            f"{signature(function)}\n{{",
            *_unused_parameters(function.graph),
            *_statements(function.graph),
            "}\n",
        ]
    )


def signature(function: CFunction) -> str:
    """The declaration without a semicolon: inputs, then outputs as arrays of their shapes."""
    restrict = f"{function.name.upper()}_RESTRICT"
    inputs = [f"const double *{restrict} {name}" for name in function.graph.inputs]
    outputs = [_pointer(f"*{restrict} {name}", places.shape) for name, places in function.graph.outputs.items()]
    return f"void {function.name}(\n    " + ",\n    ".join(inputs + outputs) + ")"


def identifier(text: str) -> str:
    """The text with whatever may not stand in a C identifier made an underscore."""
    return re.sub(r"^(?=\d)", "_", re.sub(r"\W", "_", text, flags=re.ASCII))


def comment(lines: Iterable[str]) -> str:
    """The lines as one comment, folded; harmless whatever they hold."""
    folded = (part for line in lines for part in textwrap.wrap(_harmless(line), 110, subsequent_indent="  ") or [""])
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in folded), " */"])


def _harmless(text: str) -> str:
    """No control characters, no end or begin of a comment, no trigraphs."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return re.sub(r"\*(?=/)|/(?=\*)|\?(?=\?)", r"\g<0> ", printable)


def _pointer(name: str, shape: tuple[int, ...]) -> str:
    """Declaration of a pointer to the first row of an array; one that is empty still has a type."""
    return f"double ({name}){''.join(f'[{max(n, 1)}]' for n in shape[1:])}" if len(shape) > 1 else f"double {name}"


def _unused_parameters(graph: Graph) -> Iterator[str]:
    """Statements that name the parameters that nothing else does."""
    needed = {node.value for node in graph.nodes if node.op is Op.INPUT}
    first = 0
    for name, shape in graph.inputs.items():
        size = math.prod(shape)
        if needed.isdisjoint(range(first, first + size)):
            yield f"    (void){name};"
        first += size
    yield from (f"    (void){name};" for name, places in graph.outputs.items() if not places.size)


def _statements(graph: Graph) -> Iterator[str]:
    """The body: constants, then each operation, then at once the outputs that it is, so that few numbers wait on the stack."""
    name: list[str] = []
    places = _output_places(graph)
    inputs = [f"{name}[{i}]" for name, shape in graph.inputs.items() for i in range(math.prod(shape))]
    for i, node in enumerate(graph.nodes):
        name.append(_operand(i, node, name, inputs))
        if node.op is Op.CONSTANT:
            value = float(node.value or 0)
            yield f"    const double {name[i]} = {value.hex()}; /* {value!r} */"
        elif node.op not in (Op.INPUT, Op.NEG):
            yield f"    const double {name[i]} = {FORMS[node.op].format(*(name[a] for a in node.arguments))};"
        yield from (f"    {place} = {name[i]};" for place in places.get(i, ()))


def _operand(number: int, node: Node, name: Sequence[str], inputs: Sequence[str]) -> str:
    """How the number of a node is written where it is used."""
    if node.op is Op.INPUT and node.value is not None:
        return inputs[int(node.value)]
    if node.op is Op.NEG:
        return FORMS[Op.NEG].format(name[node.arguments[0]])
    return f"{'c' if node.op is Op.CONSTANT else 't'}{number}"


def _output_places(graph: Graph) -> dict[int, list[str]]:
    """The output entries that each node is."""
    places: dict[int, list[str]] = {}
    for name, nodes in graph.outputs.items():
        for index in np.ndindex(nodes.shape):
            entry = name + "".join(f"[{i}]" for i in index) if index else f"*{name}"
            places.setdefault(int(nodes[index]), []).append(entry)
    return places
