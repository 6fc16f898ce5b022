"""An engine in C behind leapcheck_engine.h, out of the function that a robot's quantities were written as."""

import math
from collections.abc import Sequence

from leapcheck_reference.trace.c99 import CFunction, comment

HEADER = "leapcheck_engine.h"


def engine_files(function: CFunction, points: int, quantities: Sequence[str]) -> dict[str, str]:
    """Text of `<name>_engine.c`: the function as a library that answers those of its quantities, for `leapcheck compare`.

    `points`: contact points that the function computes.
    """
    name, inputs, outputs = function.name, function.graph.inputs, function.graph.outputs
    shapes = {quantity: outputs[quantity].shape for quantity in outputs}
    arrays = "\n".join(f"static double {quantity}{_sides(shape)};" for quantity, shape in shapes.items())
    rows = "\n".join(
        f'    {{"{quantity}", (const double *){quantity}, {math.prod(shapes[quantity])}}},' for quantity in quantities
    )
    arguments = ",\n                ".join([*(f"at(states->{part}, {size[0]}, i)" for part, size in inputs.items()), *outputs])
    sizes = "; ".join(f"n{part} = {inputs[part][0]}" for part in ("q", "v") if part in inputs)
    listed = '\n        "'.join(f'{quantity} "' for quantity in quantities)
    about = [
        *(line.replace(" -o DIR", " --engine -o DIR") for line in function.about[1:-2]),
        f"{name}.c behind {HEADER}: build it as a shared library, compare it with `leapcheck compare ROBOT --engine LIBRARY`.",
        f'gcc -std=c99 -ffp-contract=off -shared -fPIC -I"$(python -m leapcheck.engines.outside)" {name}.c {name}_engine.c -lm',
    ]
    return {
        f"{name}_engine.c": f"""\
{comment(about)}
#include "{name}.h"

#include <string.h>

#include "{HEADER}"

#ifdef LEAPCHECK_FLOAT32
#error "{name} computes in doubles: leave LEAPCHECK_FLOAT32 out"
#endif

/* The answers at one state. */
{arrays}

static const struct {{
    const char *quantity;
    const double *numbers;
    size_t count;
}} answers[] = {{
{rows}
}};

int leapcheck_abi(void) {{ return LEAPCHECK_ABI; }}

const char *leapcheck_describe(void)
{{
    return LEAPCHECK_PRECISION
        "name = {name}; version = 1; {sizes}; points = {points}; quantities = "
        "{listed};
}}

const char *leapcheck_error(void) {{ return "there is no such quantity"; }}

/* Row i of n numbers each; zeros for a part of the state that is not handed over. */
static const double *at(const double *rows, size_t n, size_t i)
{{
    static const double zeros[{max(size[0] for size in inputs.values())}];
    return rows ? rows + n * i : zeros;
}}

int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, leapcheck_real *out)
{{
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++) {{
        const size_t count = answers[k].count;
        if (strcmp(quantity, answers[k].quantity) != 0) continue;
        for (size_t i = 0; i < states->n; i++) {{
            {name}(
                {arguments});
            memcpy(out + count * i, answers[k].numbers, count * sizeof *out);
        }}
        return 0;
    }}
    return 1;
}}
"""
    }


def _sides(shape: Sequence[int]) -> str:
    return "".join(f"[{max(side, 1)}]" for side in shape) or "[1]"
