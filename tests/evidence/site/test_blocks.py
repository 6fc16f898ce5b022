from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck_evidence.site.blocks import code_blocks, commands, excerpt, with_bodies
from leapcheck_evidence.site.run_pages import run_page
from leapcheck_evidence.site.same import is_same

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]

TIMES = "\N{MULTIPLICATION SIGN}"
PAGE = """# A page

```python title="my.py"
number = 3
```

```python
import my

print(my.number)
```

```text
{text}
```

<!-- run: head 2 -->
```console
$ echo one; echo two; echo three
{console}
$ cat my.py | \\
  head -1
number = 3
```

<!-- run: skip -->
```console
$ false
never
```
"""
RIGHT = PAGE.format(text="3", console="one\ntwo\n...")


def test_blocks_of_a_page() -> None:
    blocks = list(code_blocks(RIGHT))
    assert [(b.language, b.title, b.head, b.is_skipped) for b in blocks] == [
        ("python", "my.py", 0, False),
        ("python", "", 0, False),
        ("text", "", 0, False),
        ("console", "", 2, False),
        ("console", "", 0, True),
    ]
    assert commands(blocks[3]) == ["echo one; echo two; echo three", "cat my.py | \\\n  head -1"]
    assert with_bodies(RIGHT, blocks) == RIGHT


def test_a_page_that_shows_what_is_printed_stays() -> None:
    result = run_page(RIGHT, ROOT)
    assert result.differences == ()
    assert result.text == RIGHT


def test_a_page_that_shows_anything_else_is_mended() -> None:
    result = run_page(PAGE.format(text="4", console="one\n2\n..."), ROOT)
    assert len(result.differences) == 2
    assert result.text == RIGHT


def test_an_error_is_a_difference() -> None:
    result = run_page("```python\n1 / 0\n```\n", ROOT)
    assert "ZeroDivisionError" in result.differences[0]


def test_outputs_are_cut() -> None:
    assert excerpt("a  \nb\nc\n", 2) == "a\nb\n...\n"
    assert excerpt("a\nb\n", 2) == "a\nb\n"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (f"error 1.3e-15, 12{TIMES}", f"error 4.0e-16, 0.5{TIMES}", True),
        ("2 passed in 2.90s", "2 passed in 11.55s", True),
        ("0.1981 m", "0.1979 m", True),
        ("0.1981 m", "0.25 m", False),
        ("3 errors", "4 errors", False),
        ("FR_hip: mass", "FL_hip: mass", False),
        ("a ─── b", "a ─ b", True),
    ],
)
def test_same_but_for_rounding(one: str, other: str, same: bool) -> None:
    assert is_same(one, other) is same
