"""A run held against a baseline: what is new, expired or grown fails; what is known is accepted; what is gone is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from leapcheck.baseline.causes import is_known, row_of
from leapcheck.baseline.files import expiry
from leapcheck.baseline.making import accepted_errors, compared_in, seed_of
from leapcheck.baseline.noise import FALSE_ALARMS, allowed
from leapcheck.baseline.record import TRUTH, AcceptedError, Baseline, KnownDiscrepancy, RobotBaseline
from leapcheck.compare.records import BaselineFinding, BaselineResult, Discrepancy, Run, Verdict
from leapcheck.report.difference import looked_for
from leapcheck.report.judgement import listed
from leapcheck.report.words import factor, number

COUNTED = {
    "new": ("new discrepancy", "new discrepancies"),
    "expired": ("expired discrepancy", "expired discrepancies"),
    "grown": ("error has grown", "errors have grown"),
    "unanswered": ("quantity is no longer answered", "quantities are no longer answered"),
    "known": ("known discrepancy", "known discrepancies"),
    "gone": ("known discrepancy is gone", "known discrepancies are gone"),
}


def part_for(baseline: Baseline, robot: str, model_hash: str, file: str) -> RobotBaseline:
    """The part about a robot, by its description; ValueError in one line where the baseline has none."""
    for part in baseline.robots:
        if part.model_hash == model_hash:
            return part
    for part in baseline.robots:
        if part.robot == robot:
            hashes = f"{part.model_hash[:12]} there, {model_hash[:12]} here"
            raise ValueError(
                f"'{file}': robot '{robot}' was described otherwise when the baseline was written (hash {hashes}): "
                f"write it again by `leapcheck baseline RUN --out {file}`, or compare the old one"
            )
    names = ", ".join(part.robot for part in baseline.robots) or "no robot"
    raise ValueError(f"'{file}': holds {names}, not '{robot}': add it by `leapcheck baseline RUN --out {file}`")


def held(run: Run, part: RobotBaseline, file: str, today: date) -> Run:
    """The run with the outcome and, where every engine of ours could run, the exit status that the baseline gives it."""
    findings = sorted(_findings(run, part, today, file), key=lambda f: not f.fails)
    result = BaselineResult(file, _sentence(findings), tuple(findings), tuple(_notes(run, part)))
    failed = bool(run.failures) or any(finding.fails for finding in findings)
    return replace(run, baseline=result, exit_status=int(failed) if run.exit_status < 2 else run.exit_status)


def _findings(run: Run, part: RobotBaseline, today: date, file: str) -> Iterator[BaselineFinding]:
    for found in run.discrepancies:
        known = next((k for k in part.known if is_known(run, found, k)), None)
        yield _new(found, part) if known is None else _of_known(run, found, known, today)
    yield from _pairs_without_a_word(run)
    yield from _grown(run, part)
    yield from _gone(run, part, file)
    yield from _unanswered(run, part)


def _new(found: Discrepancy, part: RobotBaseline) -> BaselineFinding:
    others = [k for k in part.known if (k.engine, k.quantity) == (found.engine, found.quantity)]
    beside = f" Known was another cause: {others[0].words}" if others else ""
    return BaselineFinding(found.engine, found.quantity, "new", f"{found.cause}{beside}", True)


def _of_known(run: Run, found: Discrepancy, known: KnownDiscrepancy, today: date) -> BaselineFinding:
    """A known discrepancy: accepted, unless its day is over or, at the same states, it is larger than before.

    At the same states the same fault leaves the same error but for rounding, which either tolerance bounds; at others its
    largest error may be anything.
    """
    row, who = row_of(run, found), (found.engine, found.quantity)
    if known.expires is not None and today > expiry(known.expires):
        words = f"{found.cause} Accepted until {known.expires} ({known.reason}): correct it, or give it another day."
        return BaselineFinding(*who, "expired", words, True)
    same_states = known.seed is not None and (known.seed, known.states) == (seed_of(run), row.states)
    if same_states and row.error > known.error + known.tolerance + row.tolerance:
        words = f"{found.cause} Its error was {number(known.error)} at the same states and is {number(row.error)}."
        return BaselineFinding(*who, "grown", words, True)
    until = f", until {known.expires}" if known.expires else ""
    return BaselineFinding(*who, "known", f"{found.cause} Accepted{until}: {known.reason}", False)


def _pairs_without_a_word(run: Run) -> Iterator[BaselineFinding]:
    """Pairs that differ, though no discrepancy says which of the two is wrong."""
    told = {(found.engine, found.quantity) for found in run.discrepancies}
    for row in run.comparisons:
        if row.verdict is Verdict.DISCREPANCY and not {(row.engine, row.quantity), (row.against, row.quantity)} & told:
            yield BaselineFinding(row.engine, row.quantity, "new", f"It differs from {row.against}.", True)


def _grown(run: Run, part: RobotBaseline) -> Iterator[BaselineFinding]:
    """Errors of rounding that are larger than other states and other rounding explain."""
    before = {(a.engine, a.quantity, a.against): a for a in part.accepted}
    pairs = [(before[key], a) for a in accepted_errors(run) if (key := (a.engine, a.quantity, a.against)) in before]
    for old, new in pairs:
        most = allowed(old.rounding, old.states, new.states, len(pairs))
        if new.rounding > most:
            yield BaselineFinding(new.engine, new.quantity, "grown", _growth_words(old, new, most), True)


def _growth_words(old: AcceptedError, new: AcceptedError, most: float) -> str:
    against = "" if new.against == TRUTH else f" against {new.against}"
    return (
        f"Its error{against} was {factor(old.rounding)} the expected rounding and is {factor(new.rounding)}; "
        f"chance explains at most {factor(most)} (false alarm in {100 * FALSE_ALARMS:.0f} % of runs): "
        "find where the digits go, or accept it by `leapcheck baseline`."
    )


def _gone(run: Run, part: RobotBaseline, file: str) -> Iterator[BaselineFinding]:
    """Known discrepancies that the run looked for and did not find."""
    found, seen = {(d.engine, d.quantity) for d in run.discrepancies}, looked_for(run)
    for known in part.known:
        if (known.engine, known.quantity) in seen - found:
            words = f"Gone: {known.words} Take it out by `leapcheck baseline RUN --out {file}`."
            yield BaselineFinding(known.engine, known.quantity, "gone", words, False)


def _unanswered(run: Run, part: RobotBaseline) -> Iterator[BaselineFinding]:
    """What was compared when the baseline was written and is not now: it fails where the engine no longer answers it."""
    answered = {engine.name: engine.quantities for engine in run.engines}
    failed = {failure.engine for failure in run.failures}
    for engine, quantity in (key for key in compared_in(part) if key not in looked_for(run)):
        if engine in answered and quantity not in answered[engine]:
            words = "The engine answered it when the baseline was written: give it that function again."
            yield BaselineFinding(engine, quantity, "unanswered", words, True)
        elif engine not in failed:
            yield BaselineFinding(engine, quantity, "not compared", "Not compared in this run.", False)


def _sentence(findings: list[BaselineFinding]) -> str:
    counts = {kind: sum(f.kind == kind for f in findings) for kind in COUNTED}
    told = [f"{count} {COUNTED[kind][count > 1]}" for kind, count in counts.items() if count]
    if any(finding.fails for finding in findings):
        return f"Worse than the baseline: {listed(told)}."
    return f"As the baseline accepts: {listed(told) or 'no discrepancy'}."


def _notes(run: Run, part: RobotBaseline) -> Iterator[str]:
    """What is other than when the baseline was written, and what that means."""
    now, seed = {(a.engine, a.quantity, a.against): a.states for a in accepted_errors(run)}, seed_of(run)
    seeds = {*(a.seed for a in part.accepted), *(k.seed for k in part.known)}
    if (
        seeds - {seed}
        or None in seeds
        or any(now.get((a.engine, a.quantity, a.against), a.states) != a.states for a in part.accepted)
    ):
        known = "; whether a known fault is larger cannot be told there" if part.known else ""
        yield f"Other states than the baseline's: more states find larger errors, which is allowed for{known}."
    versions = dict(part.versions)
    for package, version in run.provenance.versions:
        if versions.get(package, version) != version:
            yield f"{package} is {version}, in the baseline {versions[package]}."
