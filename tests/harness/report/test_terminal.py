"""The terminal: the summary of a run and the sparsity pattern, and the pattern's pictures."""

from __future__ import annotations

import dataclasses
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from leapcheck.report.comparison import view
from leapcheck.report.comparison.console import console_summary
from leapcheck.report.comparison.sparsity import sparsity_svg, sparsity_text, write_sparsity_picture
from leapcheck.report.words import factor, margin, number, percent, short, unit
from leapcheck.system.text import printable

pytestmark = pytest.mark.quick

RUNS = ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]


def printed(run, *, width=80, encoding="utf-8", terminal=False):
    """What a console of that kind receives."""
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding=encoding, newline="\n")
    Console(file=file, width=width, force_terminal=terminal, color_system="standard" if terminal else None).print(
        console_summary(run)
    )
    file.flush()
    return buffer.getvalue().decode(encoding)


@pytest.mark.parametrize(
    "which", ["run", "hostile_run", "judged_run", "hostile_judged_run", "agreeing_run", "empty_run", "truthless_run"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_it_fits_80_columns_without_colour(which, encoding, request):
    text = printed(request.getfixturevalue(which), encoding=encoding)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_each_quantity_has_a_line_with_its_worst_pair(run):
    text = printed(run)
    for group in view.groups(run):
        c = group.worst
        line = (
            rf"{re.escape(group.label)} +{number(c.error)} +{factor(c.rounding)} +{margin(c.margin)} {c.engine} / {c.against} *$"
        )
        assert re.search(line, text, re.M), group.label


def test_one_line_tells_each_engines_largest_error_against_the_truth(run, truthless_run):
    largest = {e.name: max(a.rounding for a in run.accuracies if a.engine == e.name) for e in run.engines}
    line = "largest error against the truth /rounding: " + ", ".join(f"{name} {factor(x)}" for name, x in largest.items())
    assert printed(run, width=200).count(line) == 1
    assert "against the truth" not in printed(truthless_run, width=200)


def test_the_verdict_comes_first_and_the_discrepancy_is_told(run):
    text = " ".join(printed(run).split())
    d = run.discrepancies[0]
    assert text.startswith(f"✗ Discrepancy: {run.verdict}")
    for words in (d.cause_class, d.cause, d.evidence, d.who_is_wrong, d.command, run.failures[0].message):
        assert words in text


def test_a_long_name_of_a_quantity_of_the_user_does_not_push_the_figures_away(run):
    odd = dataclasses.replace(run, comparisons=(dataclasses.replace(run.comparisons[0], quantity="my_own_" + "quantity" * 9),))
    assert re.search(r"my_own_.* 6.9e-15 ", printed(odd))


@pytest.mark.parametrize("width", [30, 45])
def test_a_narrow_terminal_cuts_no_name(run, width):
    text = printed(run, width=width)
    assert max(len(line) for line in text.splitlines()) <= width
    text = "".join(text.split())
    for row in view.summary_rows(run):
        c = row.worst
        figures = f"error {number(c.error)}, /rounding {factor(c.rounding)}, margin {margin(c.margin)}"
        assert "".join(f"{row.label} {figures}, worst pair {row.pair}".split()) in text


def test_colour_only_where_the_console_has_it(run):
    assert "\x1b[1;31m" in printed(run, terminal=True)


def test_hostile_names_are_neither_markup_nor_terminal_codes(hostile_run):
    text = printed(hostile_run, terminal=True, width=200)
    assert "[bold red]a|b`c`*d*[/]" in text
    assert "\x1b[31m\n# head" not in text
    assert "# head" in text


PATTERN = ((1, 1, 0), (1, 1, 0), (0, 0, 1))


def test_sparsity_text():
    assert sparsity_text(PATTERN, ("base", "hip", "a_name_much_too_long_for_a_label")) == (
        "                           0 1 2\n"
        "base                     0 ████··\n"
        "hip                      1 ████··\n"
        "a_name_much_too_long_fo… 2 ····██\n"
        "5 of 9 entries are not zero by structure (56 %)"
    )


def test_sparsity_text_in_ascii():
    text = sparsity_text(PATTERN, ("base", "knöchel", "a_name_much_too_long_for_a_label"), unicode=False)
    assert text.isascii()
    assert "kn?chel                  1 ####..\n" in text
    assert "a_name_much_too_long_fo~ 2 ....##\n" in text


@pytest.mark.parametrize("n", [0, 1, 10, 18, 34, 35, 40, 60])
@pytest.mark.parametrize("unicode", [True, False])
def test_sparsity_text_shows_every_entry_within_80_columns(n, unicode):
    pattern = tuple(tuple(int((i * j) % 3 == 0) for j in range(n)) for i in range(n))
    lines = sparsity_text(pattern, [f"joint_number_{i}" for i in range(n)], unicode=unicode).split("\n")
    assert max(map(len, lines)) <= 80
    full, empty = ("█", "·") if unicode else ("#", ".")
    rows = [re.sub(rf".* \d+ (?=[{full}{empty}]+$)", "", line) for line in lines[len(str(max(n - 1, 0))) if n else 0 : -1]]
    cell = len(rows[0]) // n if n else 1
    assert [tuple(int(row[j] == full) for j in range(0, cell * n, cell)) for row in rows] == list(pattern)


def test_the_picture_as_svg(run, hostile_run, tmp_path):
    path = write_sparsity_picture(run.pattern, run.dof_names, tmp_path / "m.svg")
    root = ET.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    cells = next(e.get("d") for e in root.iter(f"{space}path") if e.get("class") == "cell")
    assert cells.count("M") == sum(map(sum, run.pattern))
    assert [e.text for e in root.iter(f"{space}text") if e.get("class") == "name"] == list(run.dof_names)
    assert sparsity_svg(run.pattern, run.dof_names) == path.read_text(encoding="utf-8")
    assert "<script" not in sparsity_svg(run.pattern, hostile_run.dof_names)


def test_the_picture_as_png_has_a_dark_pixel_for_each_entry_and_is_stable(hostile_run, tmp_path):
    from PIL import Image

    first, second = (
        write_sparsity_picture(PATTERN, hostile_run.dof_names[:3], tmp_path / name).read_bytes() for name in ("a.png", "b.PNG")
    )
    assert first == second
    blue = np.array(Image.open(tmp_path / "a.png")).astype(int) @ (65536, 256, 1) == 0x1F5FA8
    rows, columns = (np.flatnonzero(blue.any(axis=axis)) for axis in (1, 0))
    found = [
        [int(blue[int(y), int(x)]) for x in columns[0] + (np.arange(3) + 0.5) * np.ptp(columns) / 3]
        for y in rows[0] + (np.arange(3) + 0.5) * np.ptp(rows) / 3
    ]
    assert found == [list(row) for row in PATTERN]


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"cannot draw '.*m.jpg': give it the suffix .svg or .png"):
        write_sparsity_picture(PATTERN, (), tmp_path / "m.jpg")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.24, "3.2"),
        (6.0, "6.0"),
        (9.96, "10"),
        (0.68, "0.68"),
        (0.00996, "0.010"),
        (1327.4, "1327"),
        (9999.7, "1.0e4"),
        (2.14e-14, "2.1e-14"),
        (-2.6e13, "-2.6e13"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
    ],
)
def test_numbers(value, expected):
    assert number(value) == expected


def test_words():
    assert unit("kg m^2, J M^-1 J^T") == "kg m², J M⁻¹ Jᵀ"
    assert percent(0.0153) == "1.5 %"
    assert margin(float("inf")) == "exact"
    assert short("abcdef", 4) == "abc…"
    assert printable("a\nb\x1b\u202e\udc80ü") == "a b\ufffd\ufffd\ufffdü"
