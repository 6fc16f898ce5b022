"""What the command line says of itself: version, completion, what was probably meant, pages on findings."""

from __future__ import annotations

import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from leapcheck.cli import COMMANDS, command_options
from tests.harness.cli.command_line import Leapcheck

pytestmark = pytest.mark.quick


def test_version(leapcheck: Leapcheck) -> None:
    assert leapcheck("--version").out == f"leapcheck {version('leapcheck')}\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("compre",), "compare"),
        (("compare", "box", "--stats", "3"), "--states"),
        (("compare", "mini_cheeta"), "mini_cheetah"),
        (("compare", "box", "--quantities", "mass_matrx"), "mass_matrix"),
        (("compare", "box", "--engines", "reference", "mujco"), "mujoco"),
        (("jump", "mini_cheetah", "--height", "0.2", "--engines", "rigit"), "rigid"),
        (("rule", "realisabilty"), "realisability"),
    ],
)
def test_did_you_mean(leapcheck: Leapcheck, words: tuple[str, ...], meant: str) -> None:
    done = leapcheck(*words)
    assert done.status == 2
    assert f"(did you mean '{meant}'?)" in done.err


def test_the_publishers_errors_are_called_so(leapcheck: Leapcheck) -> None:
    out = leapcheck("lint", "mini_cheetah").out
    assert out.startswith("mini_cheetah has the figures as they were published (MIT Cheetah-Software")
    assert "leapcheck rule NAME" in out
    assert "published" not in leapcheck("lint", "box").out


def test_rules(leapcheck: Leapcheck) -> None:
    assert leapcheck("rule", "realisability").out.startswith("realisability\n\nNo physical body has this inertia")
    assert "quaternion" in leapcheck("rule").out


def completions(script: str, *words: str) -> set[str]:
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _leapcheck; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True, cwd="/")
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(leapcheck: Leapcheck, tmp_path: Path) -> None:
    script = leapcheck("completion", "bash").out
    assert completions(script, "leapcheck", "comp") == {"compare", "completion"}
    assert completions(script, "leapcheck", "compare", "--stat") == {"--states", "--states-file"}
    assert completions(script, "leapcheck", "compare", "mini_") == {"mini_cheetah", "mini_cheetah_armature"}


def test_other_shells(leapcheck: Leapcheck) -> None:
    assert leapcheck("completion", "zsh").out.startswith("autoload -Uz bashcompinit")
    fish = leapcheck("completion", "fish").out
    for name in COMMANDS:
        for option in command_options(name):
            assert f"__fish_seen_subcommand_from {name}' -l {option[2:]}\n" in fish


def test_arguments_are_no_options() -> None:
    assert "--robot" not in command_options("compare")
    assert "--run-folder" not in command_options("explain")
