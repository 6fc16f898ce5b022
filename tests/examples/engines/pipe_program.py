"""An engine as a program over a pipe: needs NumPy, nothing of leapcheck. Its frames are described in PROTOCOL.md.

    leapcheck compare two_link_arm --engine "pipe:python pipe_program.py"

M, gravity and energies of the two-link arm in closed form; with --memory in shared memory. Other arguments make it misbehave.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys

import numpy as np

# Two slender links: masses (kg), lengths of the first and to the centres of mass (m), inertias about these (kg m^2).
M1, M2, L1, C1, C2, I1, I2, G = 2.0, 1.0, 0.5, 0.25, 0.2, 0.04, 0.015, 9.81
NAMES = ["mass_matrix", "gravity_force", "kinetic_energy", "potential_energy"]
FAULTS = ("--segfault", "--hang", "--nan", "--shape", "--print", "--refuse", "--short")


def answer(name, q, v):
    """One quantity at n states."""
    first, both = q[:, 0], q[:, 0] + q[:, 1]
    coupling = M2 * L1 * C2 * np.cos(q[:, 1])
    M = np.empty((len(q), 2, 2))
    M[:, 0, 0] = I1 + I2 + M1 * C1**2 + M2 * (L1**2 + C2**2) + 2.0 * coupling
    M[:, 0, 1] = M[:, 1, 0] = I2 + M2 * C2**2 + coupling
    M[:, 1, 1] = I2 + M2 * C2**2
    if name == "mass_matrix":
        return M
    if name == "gravity_force":
        outer = M2 * G * C2 * np.cos(both)
        return np.stack([(M1 * C1 + M2 * L1) * G * np.cos(first) + outer, outer], axis=1)
    if name == "kinetic_energy":
        return 0.5 * np.einsum("ni,nij,nj->n", v, M, v)
    return G * ((M1 * C1 + M2 * L1) * np.sin(first) + M2 * C2 * np.sin(both))


def read_exactly(count):
    """Bytes of standard input; the end of the input is the end of the program."""
    found = sys.stdin.buffer.read(count)
    if len(found) < count:
        sys.exit(0)
    return found


def read_frame():
    """Header and payload of the next request."""
    magic, header_bytes, payload_bytes = struct.unpack("<4sIQ", read_exactly(16))
    assert magic == b"LEAP"
    return json.loads(read_exactly(header_bytes)), bytearray(read_exactly(payload_bytes))


def write_frame(header, payload=b""):
    """One answer."""
    text = json.dumps(header).encode()
    sys.stdout.buffer.write(struct.pack("<4sIQ", b"LEAP", len(text), len(payload)) + text)
    sys.stdout.buffer.write(payload)
    sys.stdout.buffer.flush()


def array(memory, place):
    """The array at a place of a header."""
    _, dtype, shape, offset = place
    return np.ndarray(shape, dtype, memory, offset)


def misbehave(fault, memory, header):
    """What an engine should not do."""
    if fault == "--segfault":
        os.kill(os.getpid(), 11)
    if fault == "--hang":
        while True:
            pass
    if fault == "--nan":
        array(memory, header["answers"][0])[...] = np.nan
    if fault == "--print":
        sys.stdout.write("state 0 done\n")
        sys.stdout.flush()


def main(arguments):
    """Answers requests until there are no more."""
    shared, memory = "--memory" in arguments, bytearray()
    fault = next((word for word in arguments if word in FAULTS), "")
    path = ""
    while True:
        header, payload = read_frame()
        if header["ask"] == "hello":
            path = header["memory"]
            write_frame({"name": "arm", "version": "1.0", "nq": 2, "nv": 2, "quantities": NAMES, "memory": shared})
            continue
        if shared and len(memory) < header["memory_bytes"]:
            with open(path, "r+b") as file:  # noqa: PTH123
                memory = mmap.mmap(file.fileno(), header["memory_bytes"])
        out = memory if shared else bytearray(header["answer_bytes"])
        given = {place[0]: array(memory if shared else payload, place) for place in header["arrays"]}
        for place in header["answers"]:
            array(out, place)[...] = answer(place[0], given["q"], given["v"])
        reply, is_bad = {}, "gravity_force" in header["quantities"]
        if is_bad:
            misbehave(fault, out, header)
        if is_bad and fault == "--shape":
            reply = {"arrays": [[name, dtype, shape[:-1], offset] for name, dtype, shape, offset in header["answers"]]}
        if is_bad and fault == "--refuse":
            reply = {"error": "no\ngravity here"}
        write_frame(reply, b"" if shared or "error" in reply else out[8:] if is_bad and fault == "--short" else out)


if __name__ == "__main__":
    main(sys.argv[1:])
