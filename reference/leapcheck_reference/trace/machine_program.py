"""A program of one of the machines: words, constants, and where inputs and results stand in the memory of a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.packing import pack, unpack

Places = NDArray[np.int32]

ARRAYS = ("words", "constants", "filled_places", "filled", "entry_places", "entry_signs")


@dataclass(frozen=True, slots=True, eq=False)
class MachineProgram:
    """What a machine needs to evaluate a record; places are byte offsets into the memory of a block.

    A number has one part (a double) or two (a double-double). A constant takes one place for each part, any other number as many
    as the block has lanes.

    Attributes:
        words: The instructions.
        constants: Of each its parts (constants, parts); the memory begins with them.
        filled_places: Places of numbers that are the same in all lanes.
        filled: Their parts (filled, parts).
        first_input: Place of the first input; the others follow.
        size: Bytes of the memory.
        operations: How many + - * / and roots the record has.
        inputs: Shape of each input.
        outputs: Shape of each output.
        entry_places: Place of all entries of all outputs, in their order.
        entry_signs: By what each is multiplied, 1 or -1.
    """

    words: Places
    constants: Floats
    filled_places: Places
    filled: Floats
    first_input: int
    size: int
    operations: int
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    entry_places: Places
    entry_signs: Floats

    def as_bytes(self) -> bytes:
        """The program for the cache."""
        description = {
            **{name: getattr(self, name) for name in ("first_input", "size", "operations")},
            **{name: dict(getattr(self, name)) for name in ("inputs", "outputs")},
        }
        return pack(description, {name: getattr(self, name) for name in ARRAYS})

    @classmethod
    def from_bytes(cls, content: bytes) -> MachineProgram:
        """The program that `as_bytes` gave."""
        description, arrays = unpack(content)
        for name in ("inputs", "outputs"):
            description[name] = {key: tuple(shape) for key, shape in description[name].items()}
        return cls(**description, **arrays)  # type: ignore[arg-type]
