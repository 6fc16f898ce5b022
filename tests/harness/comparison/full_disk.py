"""A comparison on a disk that is full at one write after the other; run by `unshare -rm`, which lets it mount small disks.

`full_disk.py FOLDER SIZE ...`: for each size of the disk in KiB a JSON line with the exit status and standard error of the
run, what it left, and the status and digest of the report of a run that resumes once there is room.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

from leapcheck.cli import main
from leapcheck.comparison import plan

WORDS = ("compare", "two_link_arm", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", "9000")


def run(folder: Path) -> tuple[int, str]:
    """Exit status and standard error."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main([*WORDS, "--workers", "1", "--out", str(folder / "out"), "--resume"])
    return status, said.getvalue()


def row(folder: Path, size: int) -> dict[str, object]:
    """What became of a run on a disk of `size` KiB, and of its resumption on a larger one."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", folder], check=True)
    try:
        status, said = run(folder)
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        resumed, also_said = run(folder)
        digest = hashlib.sha256((folder / "out" / "results.json").read_bytes()).hexdigest()
    finally:
        subprocess.run(["umount", folder], check=True)
    return {"size": size, "status": status, "said": said, "left": left, "resumed": resumed, "told": also_said, "digest": digest}


if __name__ == "__main__":
    plan.LONG_FROM, plan.JOB = 1, 1
    place = Path(sys.argv[1])
    for kib in map(int, sys.argv[2:]):
        print(json.dumps(row(place, kib)), flush=True)
