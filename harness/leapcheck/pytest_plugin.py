"""pytest plugin: the marker `leapcheck` and the fixture `leapcheck_compare` compare a user's dynamics with the truth.

    @pytest.mark.leapcheck("my_dynamics:MyDynamics", robot="mini_cheetah", states=200)
    def test_my_dynamics(leapcheck_quantity):
        '''Each quantity that the engine answers is a test of its own.'''

Every pytest in its environment loads it, so nothing heavy is imported before a test asks for a comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from leapcheck.system.text import terminal_text

if TYPE_CHECKING:
    from leapcheck.pytest_support.request import ComparisonRequest
    from leapcheck.pytest_support.session import ComparisonOutcome, Session
    from leapcheck.records import Run

Compare = Callable[..., "Run"]

MARKER = (
    'leapcheck(engine, robot="mini_cheetah", *, against=("reference",), states=256, seed=0, quantities=(), strict=False): '
    "the test fails where the engine, module:factory, a class or an object, disagrees with the truth; "
    "with an argument leapcheck_quantity it is one test per quantity, leapcheck_run is the run's record"
)
UNMARKED = "{} is for tests with the marker: write @pytest.mark.leapcheck(engine) above the test"
SESSION: pytest.StashKey[Session] = pytest.StashKey()
FROM_WORKERS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()
INTERRUPTED = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("leapcheck", "leapcheck: a robot's dynamics compared with MuJoCo, Pinocchio and the truth")
    group.addoption("--leapcheck-states", type=int, metavar="N", help="states of every comparison, whatever the tests say")
    group.addoption("--leapcheck-seed", type=int, metavar="N", help="seed of those states")
    group.addoption("--leapcheck-report", type=Path, metavar="DIR", help="folder of the reports of runs that fail")
    group.addoption("--leapcheck-baseline", type=Path, metavar="FILE", help="accepted discrepancies (see `leapcheck baseline`)")
    group.addoption("--leapcheck-update-baseline", action="store_true", help="update that file with this session")
    group.addoption("--leapcheck-sandbox", action="store_true", help="run engines under bubblewrap (see `leapcheck compare`)")
    parser.addini("leapcheck_sandbox", "run engines under bubblewrap, as --leapcheck-sandbox does", type="bool", default=False)
    group.addoption("--leapcheck-reason", default="", metavar="TEXT", help="why that update accepts new discrepancies")
    group.addoption("--leapcheck-expires", metavar="DAY", help="last day, YYYY-MM-DD, on which it accepts those")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker and rejects invalid options before any test is run."""
    config.addinivalue_line("markers", MARKER)
    config.stash[FROM_WORKERS] = []
    chosen = [value for name, value in vars(config.option).items() if name.startswith("leapcheck")]
    if all(value is None or value is False or value == "" for value in chosen):
        return  # nothing more is imported in the sessions of others
    for name, least in (("states", 1), ("seed", 0)):
        if (value := config.getoption(f"leapcheck_{name}")) is not None and value < least:
            raise pytest.UsageError(f"--leapcheck-{name} is {value}: give a whole number from {least}")
    if config.getoption("leapcheck_update_baseline") and not config.getoption("leapcheck_baseline"):
        raise pytest.UsageError("--leapcheck-update-baseline: name the file too, --leapcheck-baseline FILE")
    try:
        _session(config).options.check()
    except (ValueError, OSError) as error:
        raise pytest.UsageError(terminal_text(str(error))) from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes one test per quantity of a marked test that takes `leapcheck_quantity`."""
    marker = metafunc.definition.get_closest_marker("leapcheck")
    if marker is None or "leapcheck_quantity" not in metafunc.fixturenames:
        return
    try:
        names = _session(metafunc.config).quantities(_request(marker))
    except TypeError:  # wrong arguments of the marker: the test says so
        names = ()
    metafunc.parametrize("leapcheck_quantity", names or [""], ids=names or ["engine"])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fails a marked test before its body is run where the engine disagrees; skips what could not be compared."""
    marker = item.get_closest_marker("leapcheck")
    if marker is None:
        return
    quantity = item.callspec.params.get("leapcheck_quantity", "") if hasattr(item, "callspec") else ""
    outcome = _outcome(item.config, marker)
    if text := outcome.failure_text(quantity):
        pytest.fail(text, pytrace=False)
    if text := outcome.skip_reason(quantity):
        pytest.skip(text)


@pytest.fixture
def leapcheck_quantity() -> str:
    """The name of the quantity that this test is about, e.g. mass_matrix; for tests with the marker `leapcheck`."""
    pytest.fail(UNMARKED.format("leapcheck_quantity"), pytrace=False)


@pytest.fixture
def leapcheck_run(request: pytest.FixtureRequest) -> Run | None:
    """The record of the comparison that the test's marker asks for; run once for all tests that ask for the same."""
    marker = request.node.get_closest_marker("leapcheck")
    if marker is None:
        pytest.fail(UNMARKED.format("leapcheck_run"), pytrace=False)
    try:
        run = _session(request.config).outcome(_request(marker)).run
    except (TypeError, ValueError, OSError):
        return None  # the test fails with the reason before its body is run
    return None if run is None else run.record


@pytest.fixture
def leapcheck_compare(pytestconfig: pytest.Config) -> Compare:
    """A function that fails the test where an engine of the user's disagrees, and returns the run's record where all agree.

    `leapcheck_compare(engine, robot="mini_cheetah", *, against=("reference",), states=256, seed=0, quantities=(), strict=False)`:
    `engine` is "module:factory", a class or an object with functions such as `mass_matrix(q)` (see `leapcheck.compare`).

        def test_my_dynamics(leapcheck_compare):
            leapcheck_compare(MyDynamics(), "mini_cheetah", states=200)
    """

    def compare(*arguments: Any, **options: Any) -> Run:
        from leapcheck.pytest_support.request import comparison_request

        outcome = _session(pytestconfig).outcome(comparison_request(*arguments, **options))
        if text := outcome.failure_text():
            pytest.fail(text, pytrace=False)
        assert outcome.run is not None
        return outcome.run.record

    return compare


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes the output of an xdist worker."""
    if output := getattr(node, "workeroutput", {}).get("leapcheck"):
        node.config.stash[FROM_WORKERS].append(output)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hands a worker's output to the controller, which alone writes the baseline."""
    config = session.config
    comparisons = config.stash.get(SESSION, None)
    if comparisons is None:
        return
    if hasattr(config, "workeroutput"):
        from leapcheck.baseline.files import baseline_text
        from leapcheck.baseline.record import Baseline

        parts = [baseline_text(Baseline((part,))) for part in comparisons.parts]
        config.workeroutput["leapcheck"] = {"parts": parts, "notes": comparisons.notes}
    elif comparisons.options.update and exitstatus not in INTERRUPTED:
        _write_baseline(comparisons, config.stash[FROM_WORKERS])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints which known discrepancies are gone, and which baseline was written."""
    session = config.stash.get(SESSION, None)
    notes = [*(session.notes if session else ()), *(note for worker in config.stash[FROM_WORKERS] for note in worker["notes"])]
    if notes:
        terminalreporter.section("leapcheck")
        for note in dict.fromkeys(notes):
            terminalreporter.line(note)


def _write_baseline(session: Session, workers: list[dict[str, Any]]) -> None:
    """Updates the file with the comparisons of this process and the workers."""
    from leapcheck.baseline.files import parse_baseline, write_baseline
    from leapcheck.baseline.update import update_baseline

    file = session.options.baseline
    assert file is not None
    texts = [text for worker in workers for text in worker["parts"]]
    parts = [*session.parts, *(part for text in texts for part in parse_baseline(text, "a worker").robots)]
    if parts:
        from leapcheck_models.words import plural

        write_baseline(update_baseline(session.options.old_baseline(), parts), file)
        session.notes.append(f"{file} is up to date with {plural(len(parts), 'comparison')}")


def _session(config: pytest.Config) -> Session:
    """The session of this process, created on first use."""
    from leapcheck.pytest_support.session import Session, SessionOptions

    if SESSION not in config.stash:
        cache = getattr(config, "cache", None)
        option = config.getoption
        options = SessionOptions(
            states=option("leapcheck_states"),
            seed=option("leapcheck_seed"),
            reports=option("leapcheck_report") or (cache.mkdir("leapcheck") if cache else None),
            baseline=option("leapcheck_baseline"),
            update=option("leapcheck_update_baseline"),
            reason=option("leapcheck_reason"),
            expires=option("leapcheck_expires"),
            worker=getattr(config, "workerinput", {}).get("workerid", ""),
            sandbox=option("leapcheck_sandbox") or config.getini("leapcheck_sandbox"),
        )
        config.stash[SESSION] = Session(options)
    return config.stash[SESSION]


def _request(marker: pytest.Mark) -> ComparisonRequest:
    from leapcheck.pytest_support.request import comparison_request

    return comparison_request(*marker.args, **marker.kwargs)


def _outcome(config: pytest.Config, marker: pytest.Mark) -> ComparisonOutcome:
    """The outcome of the marker's comparison; fails the test where the marker or the comparison is wrong."""
    try:
        return _session(config).outcome(_request(marker))
    except (TypeError, ValueError, OSError) as error:
        problem = terminal_text(f"marker leapcheck: {error}: write {MARKER.partition(': ')[0]}")
    pytest.fail(problem, pytrace=False)  # outside the handler: the traceback of the error would add nothing
