from __future__ import annotations

import pytest

from leapcheck_models.words import did_you_mean, plural

pytestmark = pytest.mark.quick


def test_one_rule_of_plurals() -> None:
    words = [plural(n, noun) for n, noun in ((1, "state"), (2048, "state"), (0, "entry"), (3, "joint"), (2, "box"), (2, "way"))]
    assert words == ["1 state", "2 048 states", "0 entries", "3 joints", "2 boxes", "2 ways"]
    assert plural(2, "dof", "dof") == "2 dof"


def test_the_nearest_name() -> None:
    assert did_you_mean("mass_matrx", ("mass_matrix", "bias_force")) == " (did you mean 'mass_matrix'?)"
    assert did_you_mean("zebra", ("mass_matrix", "bias_force")) == ""
    assert did_you_mean("x" * 100000, ("mass_matrix",)) == ""
