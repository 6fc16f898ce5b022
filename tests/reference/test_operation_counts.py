"""The readable algorithms cost few operations: what the generated kernels' speed rests on."""

from __future__ import annotations

import pytest

from leapcheck_reference.trace.record import record
from tests.reference.generic_states import case

ALL = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "contact_bias_accelerations")


@pytest.mark.parametrize(
    ("quantities", "most"),  # measured; the trace of an algorithm that loses a shortcut costs more
    [
        (("mass_matrix",), 538),
        (("bias_force",), 1052),
        (("inverse_dynamics",), 1165),
        (("contact_positions",), 338),
        (("contact_jacobians",), 659),
        (("contact_bias_accelerations",), 924),
        (ALL, 2933),
        (("forward_dynamics",), 2875),
        (("contact_inertia",), 14623),
    ],
)
def test_without_rotors(quantities: tuple[str, ...], most: int) -> None:
    assert record(case("mini_cheetah_armature").tree, quantities).operation_count <= most


def test_exact_rotors_cost_a_twentieth_more() -> None:
    assert record(case("mini_cheetah").tree, ALL).operation_count <= 3081
