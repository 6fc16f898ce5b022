"""Pictures of the documentation, drawn from the program's own figures: `figures()` gives the text of each SVG by its name."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

import leapcheck_reference as reference
from leapcheck.api.robots import load, states
from leapcheck.report.svg import drawing, element, line, markup, text
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.compliant import HuntCrossley, SpringDamper

RUN, JUMP = Path("reports/mini_cheetah/results.json"), Path("reports/jump/results.json")
STYLE = (
    "text{font-family:system-ui,sans-serif;fill:#222}.thin{stroke:#bbb;stroke-width:1}.axis{stroke:#333;stroke-width:1.2}"
    ".a{stroke:#1a56b0;fill:none;stroke-width:2}.b{stroke:#b0521a;fill:none;stroke-width:2}.c{stroke:#2a7a3b;fill:none;"
    "stroke-width:2}.fa{fill:#1a56b0}.fb{fill:#b0521a}.fc{fill:#2a7a3b}.limit{stroke:#b01a2c;stroke-width:1.5;"
    "stroke-dasharray:5 4}.box{fill:#eef3fb;stroke:#1a56b0;stroke-width:1.2}.judge{fill:#fdf1e7;stroke:#b0521a;"
    "stroke-width:1.2}"
)
WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 18.0, 30.0, 44.0
COLOURS = ("a", "b", "c")


def figures() -> dict[str, str]:
    """The pictures that cost nothing to draw; a test draws them again."""
    return {
        "flow.svg": flow(),
        "frames.svg": frames(),
        "tdot.svg": tdot(),
        "rounding.svg": rounding(),
        "contact.svg": contact(),
        "error-bars.svg": error_bars(),
        "rotors.svg": rotors(),
    }


def picture(label: str, children: Sequence[Element], height: float = HEIGHT) -> str:
    """An SVG file with its own style."""
    style = element("style", STYLE)
    background = element("rect", x=0.0, y=0.0, width=WIDTH, height=height, fill="#fff")
    node = drawing(WIDTH, height, label, [style, background, *children])
    node.set("xmlns", "http://www.w3.org/2000/svg")
    return markup(node) + "\n"


def flow() -> str:
    """One robot and its states through engines and truth to the judge and the report."""
    boxes = [
        (20.0, 120.0, "one robot", "states of a seed", "box"),
        (180.0, 40.0, "your engine", "Python, C++, a log", "box"),
        (180.0, 110.0, "MuJoCo, Pinocchio", "each its own convention", "box"),
        (180.0, 180.0, "in-house", "double-double, balls", "box"),
        (350.0, 110.0, "comparison", "units of rounding", "box"),
        (500.0, 70.0, "judge", "who, where, why", "judge"),
        (500.0, 160.0, "report", "page, JSON, JUnit", "box"),
    ]
    arrows = [(140, 142, 180, 62), (140, 142, 180, 132), (140, 142, 180, 202), (320, 62, 350, 128), (320, 132, 350, 132)]
    arrows += [(320, 202, 350, 136), (470, 130, 500, 92), (560, 114, 560, 160)]
    parts = [line(x1, y1, x2, y2, "axis") for x1, y1, x2, y2 in arrows]
    for x, y, title, below, style in boxes:
        width = 140.0 if x == 180.0 else 120.0
        parts.append(element("rect", x=x, y=y, width=width, height=44.0, rx=6.0, class_=style))
        parts.append(text(x + width / 2, y + 19, title, "t", "middle", 13))
        parts.append(text(x + width / 2, y + 35, below, "t", "middle", 10.5))
    return picture(
        "One robot and its states go to every engine; answers are compared and judged, and a report is written", parts, 250.0
    )


def frames() -> str:
    """The base's velocity in three conventions: axes in which each part is expressed."""
    rows = [
        ("leapcheck", "w", "base", "v", "base"),
        ("MuJoCo", "v", "world", "w", "base"),
        ("Pinocchio", "v", "base", "w", "base"),
    ]
    parts = [*_triad(90.0, 210.0, 0.0, "a", "world"), *_triad(190.0, 130.0, -0.5, "b", "base")]
    parts.append(line(90.0, 210.0, 190.0, 130.0, "thin"))
    parts.append(text(152.0, 190.0, "p_WB", "t", "start", 13))
    for i, (name, first, axes, second, other) in enumerate(rows):
        y = 75.0 + 62.0 * i
        parts.append(text(310.0, y + 5, name, "t", "start", 14))
        for x, part, where in ((405.0, first, axes), (505.0, second, other)):
            parts.append(
                element("rect", x=x, y=y - 20.0, width=92.0, height=40.0, rx=5.0, class_="judge" if where == "base" else "box")
            )
            parts.append(text(x + 46.0, y - 2, part, "t", "middle", 14))
            parts.append(text(x + 46.0, y + 14, f"in {where} axes", "t", "middle", 10.5))
    parts.append(text(405.0, 40.0, "v = [ first part; second part; joints ]", "t", "start", 12))
    return picture(
        "World and base frames; the parts of the base's velocity and their axes in leapcheck, MuJoCo and Pinocchio", parts, 260.0
    )


def tdot() -> str:
    """Error of the bias force of MuJoCo's convention without M Tdot v, over the base's speed, at three rates of turning."""
    spec = load("mini_cheetah")
    tree = reference.build(spec)
    q = states(spec, 1).q[0]
    M = np.asarray(reference.mass_matrix(tree, q), dtype=float)
    speeds = np.linspace(0.0, 3.0, 31)
    curves = []
    for rate in (0.5, 2.0, 5.0):
        cross = np.cross([0.0, 0.0, rate], [1.0, 0.0, 0.0])
        curves.append((f"turning at {rate:g} rad/s", speeds, speeds * float(np.abs(M[:, 3:6] @ cross).max())))
    return chart("Error of h without M Tdot v, N", "speed of the base, m/s", curves)


def rounding() -> str:
    """The largest error of each engine and quantity in units of expected rounding, on a logarithmic axis to 256."""
    rows = json.loads(RUN.read_text(encoding="utf-8"))["accuracies"]
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    low, high = math.log10(0.1), math.log10(600.0)

    def x_of(value: float) -> float:
        return 130.0 + (math.log10(max(value, 0.1)) - low) / (high - low) * (WIDTH - 150.0)

    parts = [text(130.0, 20.0, "largest error of each quantity, in units of expected rounding (Mini Cheetah)", "t", "start", 12)]
    for tick in (0.1, 1.0, 10.0, 100.0):
        parts += [line(x_of(tick), 32.0, x_of(tick), 225.0, "thin"), text(x_of(tick), 242.0, f"{tick:g}", "t", "middle", 11)]
    parts += [line(x_of(256.0), 32.0, x_of(256.0), 225.0, "limit"), text(x_of(256.0), 242.0, "256 allowed", "t", "middle", 11)]
    for i, engine in enumerate(engines):
        y = 55.0 + 36.0 * i
        parts.append(text(120.0, y + 4, engine, "t", "end", 12))
        parts += [
            element("circle", cx=x_of(row["rounding"]), cy=y, r=4.0, class_="fa", fill_opacity=0.55)
            for row in rows
            if row["engine"] == engine
        ]
    return picture("Largest errors by engine: all below 30 units of expected rounding, 256 are allowed", parts, 255.0)


def contact() -> str:
    """Normal force of the two springy laws against depth, at rest and while the foot comes down."""
    depth = np.linspace(1e-6, 4e-3, 60)
    curves = []
    for name, law in (("spring-damper", SpringDamper()), ("Hunt-Crossley", HuntCrossley())):
        for rate in (0.0, 0.3):
            a, b = law.normal(depth, depth, 0.0)
            curves.append((f"{name}, {rate:g} m/s down", depth * 1e3, np.maximum(0.0, a + b * rate)))
    return chart("normal force, N", "depth, mm", [curves[0], curves[1], curves[3]])


def rotors() -> str:
    """Median error of each joint's acceleration by armature alone."""
    (row, *_) = json.loads(RUN.read_text(encoding="utf-8"))["armature_costs"]
    values, names = row["joint_median"], [name.removesuffix("_joint") for name in row["joints"]]
    largest = max(values) * 1.15
    parts = [
        text(LEFT, 18.0, "median error of the joint's acceleration by armature alone, relative to exact rotors", "t", "start", 12)
    ]
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        x, height = LEFT + 46.0 * i, value / largest * 180.0
        parts.append(element("rect", x=x, y=220.0 - height, width=32.0, height=height, class_="fa"))
        parts.append(text(x + 16.0, 214.0 - height, f"{value:.1%}", "t", "middle", 10))
        parts.append(text(x + 16.0, 235.0, name.partition("_")[0], "t", "middle", 10))
        parts.append(text(x + 16.0, 248.0, name.partition("_")[2], "t", "middle", 10))
    return picture("Median error of joint accelerations by armature alone, joint by joint", parts, 258.0)


def error_bars() -> str:
    """Take-off speed against the time step in three simulators, from the record of a jump."""
    estimates = json.loads(JUMP.read_text(encoding="utf-8"))["estimates"]
    (row,) = [row for row in estimates if row["name"] == "take_off_speed"]
    curves = []
    for name in ("mujoco", "rigid", "spring-damper"):
        steps = np.array(row["by_simulator"][name]["by_step"])
        curves.append((name, steps[:, 0] * 1e3, steps[:, 1]))
    return chart("take-off speed, m/s", "time step, ms", curves, from_zero=False)


Curve = tuple[str, Floats, Floats]


def chart(y_title: str, x_title: str, curves: Sequence[Curve], from_zero: bool = True) -> str:
    """Up to three curves over common axes; the upright one begins at zero, or a little below the curves."""
    x_most = max(float(x.max()) for _, x, _ in curves)
    values = np.concatenate([y for _, _, y in curves])
    margin = 0.08 * float(np.ptp(values))
    y_least, y_most = (0.0 if from_zero else float(values.min()) - margin), float(values.max()) + 4.0 * margin

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + x / x_most * (WIDTH - LEFT - RIGHT)
        return across, HEIGHT - BOTTOM - (y - y_least) / (y_most - y_least) * (HEIGHT - TOP - BOTTOM)

    parts = list(_axes(place, x_most, (y_least, y_most), x_title, y_title))
    for (name, xs, ys), colour, i in zip(curves, COLOURS, range(3), strict=False):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, xs.tolist(), ys.tolist()))
        parts.append(element("polyline", points=points, class_=colour))
        parts.append(line(LEFT + 14.0, TOP + 14.0 + 18.0 * i, LEFT + 40.0, TOP + 14.0 + 18.0 * i, colour))
        parts.append(text(LEFT + 47.0, TOP + 18.0 + 18.0 * i, name, "t", "start", 12))
    return picture(f"{y_title} against {x_title}: {'; '.join(name for name, _, _ in curves)}", parts)


def _axes(
    place: Callable[[float, float], tuple[float, float]], x_most: float, y_range: tuple[float, float], x: str, y: str
) -> Iterator[Element]:
    for value in _ticks(0.0, x_most):
        px, py = place(value, y_range[0])
        yield line(px, TOP, px, py, "thin")
        yield text(px, py + 16, f"{value:g}", "t", "middle", 11)
    for value in _ticks(*y_range):
        px, py = place(0.0, value)
        yield line(px, py, WIDTH - RIGHT, py, "thin")
        yield text(px - 6, py + 4, f"{value:g}", "t", "end", 11)
    yield text(WIDTH - RIGHT, HEIGHT - 8, x, "t", "end", 12)
    yield text(8.0, 18.0, y, "t", "start", 12)


def _ticks(least: float, most: float) -> list[float]:
    """About five round values."""
    rough = (most - least) / 5
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [round(step * i, 12) for i in range(math.ceil(least / step), int(most / step) + 1)]


def _triad(x: float, y: float, angle: float, colour: str, name: str) -> Iterator[Element]:
    """Two axes of a frame, x and z, and its name."""
    for turn, letter in ((0.0, "x"), (math.pi / 2, "z")):
        dx, dy = 60.0 * math.cos(angle + turn), -60.0 * math.sin(angle + turn)
        yield line(x, y, x + dx, y + dy, colour)
        yield text(x + 1.15 * dx, y + 1.15 * dy + 4, letter, "t", "middle", 13)
    yield text(x - 12, y + 20, name, "t", "start", 13)
