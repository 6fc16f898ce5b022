"""A shared library with the C ABI of leapcheck_engine.h, in the process that hosts it; needs the standard library alone."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping

from leapcheck.engines.outside.framing import Header, MappedFile, read_array_places

ABI = 2
"""The newest version of the ABI; all before it are taken too."""

NEEDED = ("leapcheck_abi", "leapcheck_describe")
BY_STATES, BY_ARRAYS = "leapcheck_evaluate_states", "leapcheck_evaluate"
"""What answers a quantity: in version 2, and in version 1, which hands over no vdot and no contact forces."""

CONVENTIONS = (
    *("quaternion", "base_velocity", "order", "joints"),
    *("reference_frame", "frame_point", "frame_order", "frame_acceleration"),
)
KEYS = ("name", "version", "precision", "nq", "nv", "points", "quantities", *CONVENTIONS)
HEADER = "leapcheck_engine.h"


PARTS = ("q", "v", "tau", "vdot", "contact_forces")
"""Parts of a state, in the order of the struct's pointers."""


class LibraryStates(ctypes.Structure):
    """`leapcheck_states` of the header."""

    _fields_ = (("n", ctypes.c_size_t), *((part, ctypes.c_void_p) for part in PARTS))


class LibraryServer:
    """Calls the library with addresses in shared memory: nothing is copied."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._library: ctypes.CDLL | None = None
        self._abi = ABI
        self._memory = MappedFile()

    def hello(self, header: Header) -> Header:
        """Loads the library, and hands it the robot where it takes any; ValueError in one line where it cannot be used."""
        self._memory.path = header["memory"]
        self._library = library = self._library or load_library(self._path)
        self._abi = abi_of(library)
        takes_robots = hasattr(library, "leapcheck_robot")
        if takes_robots:
            self._check(library.leapcheck_robot(json.dumps(header["robot"]).encode()), "leapcheck_robot")
        description = _parse_description((library.leapcheck_describe() or b"").decode("utf-8", "replace"))
        return {**description, "memory": True, "robots": "any" if takes_robots else "one", "abi": self._abi}

    def evaluate(self, header: Header) -> None:
        """Fills the answers; ValueError with the library's own words where it says that it failed."""
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory.grow(header["memory_bytes"])))
        addresses = {place.name: start + place.offset for place in read_array_places(header["arrays"])}
        for number, place in enumerate(read_array_places(header["answers"])):
            self._memory.mark(number)
            self.call(place.name, header["states"], addresses, start + place.offset)

    def call(self, quantity: str, states: int, addresses: Mapping[str, int], out: int) -> None:
        """One quantity at that many states, by the addresses of the parts of a state and of the answer."""
        library, name = self._library, quantity.encode()
        assert library is not None
        if self._abi == ABI:
            block = LibraryStates(states, *map(addresses.get, PARTS))
            status = library.leapcheck_evaluate_states(name, ctypes.byref(block), out)
        else:
            status = library.leapcheck_evaluate(name, states, addresses["q"], addresses["v"], addresses["tau"], out)
        self._check(status, quantity)

    def _check(self, status: int, what: str) -> None:
        if status:
            message = self._library.leapcheck_error() if hasattr(self._library, "leapcheck_error") else None  # type: ignore[union-attr]
            words = message.decode("utf-8", "replace") if message else f"status {status}"
            raise ValueError(f"{what} failed: {words}: correct it, or leave the quantity out")


def load_library(path: str) -> ctypes.CDLL:
    """The library with the types of its functions; ValueError names what is missing."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ValueError(
            f"library '{path}' cannot be loaded: {error}: build it for this machine, with all that it needs"
        ) from None
    if missing := [name for name in NEEDED if not hasattr(library, name)]:
        raise ValueError(f"library '{path}' has no function {missing[0]}: define it as {HEADER} says, with C linkage")
    library.leapcheck_abi.argtypes, library.leapcheck_abi.restype = [], ctypes.c_int
    if not 1 <= (version := library.leapcheck_abi()) <= ABI:
        raise ValueError(
            f"library '{path}' has version {version} of the ABI, this leapcheck has 1 to {ABI}: build it with its {HEADER}"
        )
    if not any(hasattr(library, name) for name in (BY_ARRAYS, *((BY_STATES,) if version == ABI else ()))):
        missing_name = BY_STATES if version == ABI else BY_ARRAYS
        raise ValueError(f"library '{path}' has no function {missing_name}: define it as {HEADER} says, with C linkage")
    pointer = ctypes.c_void_p
    library.leapcheck_describe.argtypes, library.leapcheck_describe.restype = [], ctypes.c_char_p
    if abi_of(library) == ABI:
        library.leapcheck_evaluate_states.argtypes = [ctypes.c_char_p, ctypes.POINTER(LibraryStates), pointer]
        library.leapcheck_evaluate_states.restype = ctypes.c_int
    if hasattr(library, BY_ARRAYS):
        library.leapcheck_evaluate.argtypes = [ctypes.c_char_p, ctypes.c_size_t, pointer, pointer, pointer, pointer]
        library.leapcheck_evaluate.restype = ctypes.c_int
    if hasattr(library, "leapcheck_error"):
        library.leapcheck_error.argtypes, library.leapcheck_error.restype = [], ctypes.c_char_p
    if hasattr(library, "leapcheck_robot"):
        library.leapcheck_robot.argtypes, library.leapcheck_robot.restype = [ctypes.c_char_p], ctypes.c_int
    return library


def abi_of(library: ctypes.CDLL) -> int:
    """The version by which it is called: source of version 1 that was built with the header of version 2 says 2, and is of 1."""
    return ABI if library.leapcheck_abi() == ABI and hasattr(library, BY_STATES) else 1


def _parse_description(text: str) -> Header:
    """The description, "key = value; key = value", as the protocol has it; ValueError names the key that is wrong."""
    entries: Header = {}
    for part in text.replace("\n", ";").split(";"):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not key and not value:
            continue
        if not equals or key not in KEYS:
            raise ValueError(
                f"leapcheck_describe: '{part.strip():.60}' is no entry: write key = value; the keys are {', '.join(KEYS)}"
            )
        entries[key] = _number(key, value) if key in ("nq", "nv", "points") else value
    if "precision" not in entries:
        raise ValueError("leapcheck_describe: the key 'precision' is missing: add precision = float64 or float32")
    conventions = {key: entries.pop(key) for key in CONVENTIONS if key in entries}
    return {**entries, "conventions": conventions} if conventions else entries


def _number(key: str, value: str) -> int:
    if not value.isdigit():
        raise ValueError(f"leapcheck_describe: {key} is '{value:.40}': give a whole number")
    return int(value)
