"""Fixtures of the tree dynamics' tests: every robot of `ROBOTS` in a generic state."""

from __future__ import annotations

import pytest

from tests.reference import generic_states


@pytest.fixture(params=generic_states.ROBOTS)
def case(request: pytest.FixtureRequest) -> generic_states.Case:
    """A robot in a generic state."""
    return generic_states.case(request.param)
