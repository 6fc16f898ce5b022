"""The recording for rerun's viewer, read back by rerun's own reader."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from leapcheck.report.jump.rerun_file import NEWTON, write_rerun
from leapcheck_reference import com_position
from leapcheck_reference.tree import build
from tests.harness.report.jump_case import jump_log, robot

SINGLE = 1e-6  # m, N: single precision; measured 3e-8


@pytest.mark.skipif(find_spec("rerun") is None, reason="rerun is not here: pip install 'leapcheck[rerun]'")
def test_the_recording_holds_the_log(tmp_path: Path) -> None:
    from rerun.chunk import RrdReader

    log, spec, path = jump_log(), robot(), tmp_path / "jump.rrd"
    write_rerun(spec, {"a b": log}, path)
    moving = [chunk for chunk in RrdReader(path).stream().to_chunks() if not chunk.is_static]
    chunks = {str(chunk.entity_path): chunk.to_record_batch() for chunk in moving}
    com = chunks["/a\\ b/com"]
    k = log.steps // 2
    place = com.column("Points3D:positions")[k].as_py()[0]
    row = round(com.column("time")[k].value / 1e9 / log.dt)
    np.testing.assert_allclose(place, com_position(build(spec), log.q[row]), atol=SINGLE)
    i = log.points.index("FR_foot")
    arrow = chunks["/a\\ b/forces/FR_foot"].column("Arrows3D:vectors")[k].as_py()[0]
    np.testing.assert_allclose(np.array(arrow) / NEWTON, log.forces[row, i], rtol=1e-6, atol=1e-4)
    assert {f"/a\\ b/robot/{body.name}" for body in spec.bodies} <= set(chunks)


def test_without_the_package_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(ImportError, match=r"pip install 'leapcheck\[rerun\]'"):
        write_rerun(robot(), {"rigid": jump_log()}, tmp_path / "jump.rrd")
    assert not list(tmp_path.iterdir())
