"""A run judged by a baseline: what is new, expired or grown fails; what is known is accepted; what is gone is reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from leapcheck.baseline.causes import figures_of, is_known
from leapcheck.baseline.files import expiry_date
from leapcheck.baseline.noise import FALSE_ALARMS, allowed_error
from leapcheck.baseline.record import TRUTH, AcceptedError, Baseline, KnownDiscrepancy, RobotBaseline
from leapcheck.baseline.update import accepted_errors, coverage, seed_of
from leapcheck.records import BaselineFinding, BaselineResult, Discrepancy, FindingKind, Run, Verdict
from leapcheck.report.comparison.difference import compared_pairs
from leapcheck.report.comparison.judgement import join_words
from leapcheck.report.words import factor, number

COUNTED = {
    FindingKind.NEW: ("new discrepancy", "new discrepancies"),
    FindingKind.EXPIRED: ("expired discrepancy", "expired discrepancies"),
    FindingKind.GROWN: ("error has grown", "errors have grown"),
    FindingKind.UNANSWERED: ("quantity is no longer answered", "quantities are no longer answered"),
    FindingKind.KNOWN: ("known discrepancy", "known discrepancies"),
    FindingKind.GONE: ("known discrepancy is gone", "known discrepancies are gone"),
}
FAILING = (FindingKind.NEW, FindingKind.EXPIRED, FindingKind.GROWN, FindingKind.UNANSWERED)


def robot_baseline(baseline: Baseline, robot: str, model_hash: str, file: str) -> RobotBaseline:
    """The part about a robot, by its description; ValueError in one line where the baseline has none."""
    for part in baseline.robots:
        if part.model_hash == model_hash:
            return part
    for part in baseline.robots:
        if part.robot == robot:
            hashes = f"{part.model_hash[:12]} there, {model_hash[:12]} here"
            raise ValueError(
                f"'{file}': robot '{robot}' has changed since the baseline was written (hash {hashes}): "
                f"write it again with `leapcheck baseline RUN --out {file}`, or compare the old one"
            )
    names = ", ".join(part.robot for part in baseline.robots) or "no robot"
    raise ValueError(f"'{file}': holds {names}, not '{robot}': add it with `leapcheck baseline RUN --out {file}`")


def apply_baseline(run: Run, part: RobotBaseline, file: str, today: date) -> Run:
    """The run with the findings and, unless an engine of leapcheck's own could not run, the exit status by the baseline."""
    findings = sorted(_findings(run, part, today, file), key=lambda finding: not finding.fails)
    result = BaselineResult(file, _sentence(findings), tuple(findings), tuple(_notes(run, part)))
    failed = bool(run.failures) or any(finding.fails for finding in findings)
    return replace(run, baseline=result, exit_status=int(failed) if run.exit_status < 2 else run.exit_status)


def _findings(run: Run, part: RobotBaseline, today: date, file: str) -> Iterator[BaselineFinding]:
    for discrepancy in run.discrepancies:
        known = next((entry for entry in part.known if is_known(run, discrepancy, entry)), None)
        yield _new_finding(discrepancy, part) if known is None else _known_finding(run, discrepancy, known, today)
    yield from _pair_findings(run)
    yield from _growth_findings(run, part)
    yield from _gone_findings(run, part, file)
    yield from _coverage_findings(run, part)


def _finding(entry: Discrepancy | KnownDiscrepancy | AcceptedError, kind: FindingKind, words: str) -> BaselineFinding:
    return BaselineFinding(entry.engine, entry.quantity, kind, words, kind in FAILING)


def _new_finding(discrepancy: Discrepancy, part: RobotBaseline) -> BaselineFinding:
    who = discrepancy.engine, discrepancy.quantity
    others = [known for known in part.known if (known.engine, known.quantity) == who]
    known_words = f" Another cause was known: {others[0].words}" if others else ""
    return _finding(discrepancy, FindingKind.NEW, f"{discrepancy.cause}{known_words}")


def _known_finding(run: Run, discrepancy: Discrepancy, known: KnownDiscrepancy, today: date) -> BaselineFinding:
    """A known discrepancy: accepted, unless its day is over or, at the same states, it is larger than before.

    At the same states the same fault leaves the same error but for rounding, which either tolerance bounds; at others its
    largest error may be anything.
    """
    row, cause = figures_of(run, discrepancy), discrepancy.cause
    if known.expires is not None and today > expiry_date(known.expires):
        words = f"{cause} Accepted until {known.expires} ({known.reason}): correct it, or set a later day."
        return _finding(discrepancy, FindingKind.EXPIRED, words)
    same_states = known.seed is not None and (known.seed, known.states) == (seed_of(run), row.states)
    if same_states and row.error > known.error + known.tolerance + row.tolerance:
        words = f"{cause} Its error was {number(known.error)} at the same states and is {number(row.error)}."
        return _finding(discrepancy, FindingKind.GROWN, words)
    until = f", until {known.expires}" if known.expires else ""
    return _finding(discrepancy, FindingKind.KNOWN, f"{cause} Accepted{until}: {known.reason}")


def _pair_findings(run: Run) -> Iterator[BaselineFinding]:
    """Pairs that differ, though no discrepancy says which of the two is wrong."""
    attributed = {(discrepancy.engine, discrepancy.quantity) for discrepancy in run.discrepancies}
    for row in run.comparisons:
        pair = {(row.engine, row.quantity), (row.against, row.quantity)}
        if row.verdict is Verdict.DISCREPANCY and not pair & attributed:
            yield BaselineFinding(row.engine, row.quantity, FindingKind.NEW, f"It differs from {row.against}.", True)


def _growth_findings(run: Run, part: RobotBaseline) -> Iterator[BaselineFinding]:
    """Errors of rounding that are larger than other states and other rounding explain."""
    before = {(a.engine, a.quantity, a.against): a for a in part.accepted}
    pairs = [(before[key], a) for a in accepted_errors(run) if (key := (a.engine, a.quantity, a.against)) in before]
    for old, new in pairs:
        most = allowed_error(old.rounding, old.states, new.states, len(pairs))
        if new.rounding > most:
            against = "" if new.against == TRUTH else f" against {new.against}"
            words = (
                f"Its error{against} was {factor(old.rounding)} the expected rounding and is {factor(new.rounding)}; "
                f"chance explains at most {factor(most)} (false alarm in {100 * FALSE_ALARMS:.0f} % of runs): "
                "find where the digits are lost, or accept it with `leapcheck baseline`."
            )
            yield _finding(new, FindingKind.GROWN, words)


def _gone_findings(run: Run, part: RobotBaseline, file: str) -> Iterator[BaselineFinding]:
    """Known discrepancies that the run did not show, though it compared that quantity."""
    absent = compared_pairs(run) - {(discrepancy.engine, discrepancy.quantity) for discrepancy in run.discrepancies}
    for known in part.known:
        if (known.engine, known.quantity) in absent:
            words = f"Gone: {known.words} Remove it with `leapcheck baseline RUN --out {file}`."
            yield _finding(known, FindingKind.GONE, words)


def _coverage_findings(run: Run, part: RobotBaseline) -> Iterator[BaselineFinding]:
    """What was compared when the baseline was written and is not now: it fails where the engine no longer answers it."""
    answered = {engine.name: engine.quantities for engine in run.engines}
    failed = {failure.engine for failure in run.failures}
    seen = compared_pairs(run) | {(discrepancy.engine, discrepancy.quantity) for discrepancy in run.discrepancies}
    for engine, quantity in (key for key in coverage(part) if key not in seen):
        if engine in answered and quantity not in answered[engine]:
            words = "The engine answered it when the baseline was written: give it that function again."
            yield BaselineFinding(engine, quantity, FindingKind.UNANSWERED, words, True)
        elif engine not in failed:
            yield BaselineFinding(engine, quantity, FindingKind.NOT_COMPARED, "Not compared in this run.", False)


def _sentence(findings: list[BaselineFinding]) -> str:
    counts = {kind: sum(finding.kind == kind for finding in findings) for kind in COUNTED}
    words = join_words([f"{count} {COUNTED[kind][count > 1]}" for kind, count in counts.items() if count])
    if any(finding.fails for finding in findings):
        return f"Worse than the baseline: {words}."
    return f"Accepted by the baseline: {words or 'no discrepancy'}."


def _notes(run: Run, part: RobotBaseline) -> Iterator[str]:
    """How the run's conditions differ from the baseline's, and what that means."""
    now = {(a.engine, a.quantity, a.against): a.states for a in accepted_errors(run)}
    seeds = {*(accepted.seed for accepted in part.accepted), *(known.seed for known in part.known)}
    other_number = any(now.get((a.engine, a.quantity, a.against), a.states) != a.states for a in part.accepted)
    if other_number or seeds - {seed_of(run)} or None in seeds:
        growth = "; whether a known fault has grown cannot be told at other states" if part.known else ""
        yield f"The states differ from the baseline's: more states find larger errors, which is allowed for{growth}."
    versions = dict(part.versions)
    for package, version in run.provenance.versions:
        if versions.get(package, version) != version:
            yield f"{package} is {version}, in the baseline {versions[package]}."
