"""The in-house twin against MuJoCo in whole jumps on boxes, gaps, stairs and slopes, and in drops, each in its own loop."""

import pytest

from leapcheck_evidence.studies import twin_terrain
from leapcheck_evidence.studies.twin import difference
from leapcheck_evidence.studies.twin_terrain import (
    DROPPED_ON,
    DROPS,
    JUMPS,
    PAIRS,
    PARTS,
    STONES,
    drop_logs,
    jump_terrain,
    terrain_jump_logs,
    touched_parts,
)

Q, V = 1e-11, 1e-9  # rad, m to rounding, and rates; largest seen 9e-13 and 6e-11 (MIT's flip on a slope)
EDGE = "up stairs, on their edges"


def assert_close(logs: tuple) -> None:
    found = difference(*logs)
    assert not found.stopped
    assert found.dq <= Q
    assert found.dv <= V


def test_a_jump_onto_edges_goes_the_same_way() -> None:
    logs = terrain_jump_logs(EDGE, PAIRS[0])
    assert_close(logs)
    assert touched_parts(logs[1], jump_terrain(EDGE))["edge"] > 50
    assert (~logs[0].forces.any(axis=(1, 2))).sum() > 100  # it flies


def test_other_ground_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: stairs lower by a nanometre."""
    one = terrain_jump_logs(EDGE, PAIRS[0])[0]
    monkeypatch.setitem(twin_terrain.JUMPS, EDGE, JUMPS[EDGE] | {"stairs": "0.049999999,0.3,0.373"})
    twin_terrain._setup.cache_clear()
    other = terrain_jump_logs(EDGE, PAIRS[0])[1]
    twin_terrain._setup.cache_clear()
    assert difference(one, other).dq > 10.0 * Q


def test_a_drop_onto_stepping_stones_goes_the_same_way_over_edges_and_corners() -> None:
    logs = drop_logs(3, PAIRS[0], STONES)
    assert_close(logs)
    assert all(touched_parts(logs[1], STONES)[part] > 10 for part in PARTS.values())


@pytest.mark.slow
@pytest.mark.parametrize("names", PAIRS, ids=lambda names: names[0])
@pytest.mark.parametrize("what", JUMPS)
def test_every_jump_goes_the_same_way(what: str, names: tuple[str, str]) -> None:
    assert_close(terrain_jump_logs(what, names))


@pytest.mark.slow
@pytest.mark.parametrize("names", PAIRS, ids=lambda names: names[0])
@pytest.mark.parametrize("where", DROPPED_ON)
@pytest.mark.parametrize("seed", range(DROPS))
def test_every_drop_goes_the_same_way(seed: int, where: str, names: tuple[str, str]) -> None:
    assert_close(drop_logs(seed, names, DROPPED_ON[where]))
