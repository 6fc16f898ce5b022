"""The results of a comparison: frozen records, failures included; judge, report and tests read them, nobody recomputes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SCHEMA_VERSION = 3

HISTOGRAM_DECADES = (-20, 4)
"""First and last power of ten of the histogram's bins over the scale-free error; bin 0 also counts exact zeros."""


ITSELF = "itself"
"""What a discrepancy is `against` where an engine's own answers contradict each other."""

UNANSWERED, UNSEEN = "not answered again", "right when asked again"
"""In place of the worst entry where an engine, asked again at the worst state, fails, or where both then agree."""


class Verdict(StrEnum):
    """Verdict over one quantity and engine pair."""

    AGREE = "agree"
    IMPRECISE = "right but imprecise"
    DISCREPANCY = "discrepancy"


class TruthVerdict(StrEnum):
    """Verdict over one quantity of one engine, by the truth."""

    RIGHT = "right to rounding"
    IMPRECISE = "right but imprecise"
    WRONG = "wrong"


class CauseClass(StrEnum):
    """What kind of fault explains a discrepancy."""

    CONVENTION = "convention"
    MODEL = "model"
    ENGINE = "engine"
    CONTACT_MODEL = "contact model"
    INTEGRATOR = "integrator"
    ROUND_OFF = "round-off"
    UNEXPLAINED = "unexplained"


class FindingKind(StrEnum):
    """What a baseline says of one quantity of one engine; the first four fail."""

    NEW = "new"
    EXPIRED = "expired"
    GROWN = "grown"
    UNANSWERED = "unanswered"
    KNOWN = "known"
    GONE = "gone"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class WorstState:
    """The state with the largest error in units of the expected rounding, and the entry where it is.

    `vdot` and `contact_forces` are empty where the quantity does not depend on them.
    """

    index: int
    kind: str
    entry: str
    value: float
    against_value: float
    truth: float | None
    q: tuple[float, ...]
    v: tuple[float, ...]
    tau: tuple[float, ...]
    place: tuple[int, ...] = ()
    vdot: tuple[float, ...] = ()
    contact_forces: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class KindRow:
    """The same comparison over the states of one kind."""

    kind: str
    states: int
    error: float
    rounding: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """One quantity of one engine compared with another engine.

    `error` is the largest scale-free error, `absolute` the largest absolute one (in `unit`), `rounding` the largest
    error in units of the expected rounding of its state, `tolerance` the scale-free error allowed at the worst state,
    `margin` = tolerance / error there (inf for an exact agreement). States far from the origin count in these figures only
    where they are discrepancies; what is "right but imprecise" stands in `kinds` and in the `histogram`.
    """

    quantity: str
    engine: str
    against: str
    states: int
    error: float
    absolute: float
    unit: str
    scale: str
    rounding: float
    tolerance: float
    margin: float
    verdict: Verdict
    kinds: tuple[KindRow, ...]
    histogram: tuple[int, ...]
    worst: WorstState | None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One quantity of one engine compared with the truth in double-double, at every state.

    Scale-free errors of states near the origin: `worst` of all, `median` of the first `sampled` ones; `rounding` is the
    largest error in units of the expected rounding, `index` the state where that is.
    """

    quantity: str
    engine: str
    states: int
    sampled: int
    median: float
    worst: float
    rounding: float
    index: int


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One disagreement in words: cause class and cause, evidence, who is wrong, and the command that repeats it.

    `against` is another engine, or `ITSELF` for a law that the engine's own answers break.
    """

    quantity: str
    engine: str
    against: str
    cause_class: CauseClass
    cause: str
    evidence: str
    who_is_wrong: str
    command: str


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One fault: its `name` tells it from all others ("mass/FR_hip"), `words` are a clause, `details` the amounts, if any."""

    name: str
    cause_class: CauseClass
    words: str
    details: str


@dataclass(frozen=True, slots=True)
class Falls:
    """Scale-free error of one quantity, and what is left of it if the causes are taken to hold."""

    quantity: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why an engine is off in some quantities together: `causes` that hold at once, and what speaks for them.

    `alternatives` are other sets of causes that explain these answers as well: with `causes` they are one class that no
    answer of these quantities tells apart. `falls` has a row for each quantity that deviates; those whose error does not
    fall to rounding are `unexplained`. `pattern` says where the error sits: subtree, joints, kinds of states.
    """

    engine: str
    causes: tuple[CauseRow, ...]
    alternatives: tuple[tuple[CauseRow, ...], ...]
    falls: tuple[Falls, ...]
    unexplained: tuple[str, ...]
    pattern: str


@dataclass(frozen=True, slots=True)
class EngineVerdict:
    """One quantity of one engine judged by the truth.

    `rounding` is the largest error in units of the expected rounding, `allowed` the units allowed there, `margin` their
    quotient, `index` the state.
    """

    engine: str
    quantity: str
    verdict: TruthVerdict
    rounding: float
    allowed: float
    margin: float
    index: int


OWN_DIFFERENCES = " = differences of its own "
"""In the words of the laws that say so of a derivative."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A law that an engine's own answers must obey, whoever is right: how far they miss it over `states` states.

    `error` is scale-free, `allowed` what rounding (or, for the in-house code in extended precision, its digits) explains.
    """

    engine: str
    law: str
    quantities: tuple[str, ...]
    states: int
    error: float
    allowed: float
    holds: bool


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The smallest case that shows an engine's error in one quantity, and two files that repeat it on their own.

    `state` names the entries of q, v and tau that are not zero, `removed` the bodies and rotors that the case does without.
    """

    engine: str
    quantity: str
    state: tuple[tuple[str, float], ...]
    bodies: tuple[str, ...]
    removed: tuple[str, ...]
    error: float
    allowed: float
    script: str
    test: str


@dataclass(frozen=True, slots=True)
class LargestMismatch:
    """The largest scale-free error of an engine in one quantity that a search over states found, and where (q, v, tau).

    `random_error` is the largest of the random states that the search began with.
    """

    engine: str
    quantity: str
    error: float
    random_error: float
    q: tuple[float, ...]
    v: tuple[float, ...]
    tau: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An engine that could not be made or that failed on a state; never a silent skip."""

    engine: str
    quantity: str
    message: str


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One engine of the run."""

    name: str
    version: str
    route: str
    quantities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Largest scale-free error of each entry of M for one pair, over the first states of a run: rows as tuples, (nv, nv)."""

    engine: str
    against: str
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class SimplificationCost:
    """What a common simplification of the rotors costs in joint acceleration: median and worst of |dqdd|/|qdd|, per joint."""

    simplification: str
    states: int
    median: float
    worst: float
    joints: tuple[str, ...]
    joint_median: tuple[float, ...]
    joint_worst: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunProvenance:
    """Where a run comes from."""

    robot: str
    model_hash: str
    seed: int
    states: int
    command: str
    machine: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BaselineFinding:
    """One quantity of one engine beside what a baseline accepts; `words` say what is there, was accepted, and is to do."""

    engine: str
    quantity: str
    kind: FindingKind
    words: str
    fails: bool


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """A run compared with a baseline file: the outcome in one sentence, the findings, those that fail first, and `notes` on
    what differs between the runs.
    """

    file: str
    sentence: str
    findings: tuple[BaselineFinding, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a run; `dof_names` label the rows of M, `pattern` is its sparsity (rows of 0 and 1)."""

    provenance: RunProvenance
    verdict: str
    exit_status: int
    engines: tuple[EngineRow, ...]
    comparisons: tuple[Comparison, ...]
    accuracies: tuple[Accuracy, ...]
    discrepancies: tuple[Discrepancy, ...]
    failures: tuple[Failure, ...]
    not_compared: tuple[str, ...]
    dof_names: tuple[str, ...]
    pattern: tuple[tuple[int, ...], ...]
    heat_maps: tuple[HeatMap, ...]
    armature_costs: tuple[SimplificationCost, ...]
    verdicts: tuple[EngineVerdict, ...] = ()
    identities: tuple[Identity, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    reproducers: tuple[Reproducer, ...] = ()
    largest: tuple[LargestMismatch, ...] = ()
    baseline: BaselineResult | None = None
    schema_version: int = SCHEMA_VERSION

    def __repr__(self) -> str:
        made = self.provenance
        return f"<Run of {made.robot}: {len(self.engines)} engines, {len(self.comparisons)} comparisons, {made.states} states>"


@dataclass(frozen=True, slots=True)
class VersionFigure:
    """The largest error of one quantity of one version against the truth: scale-free, and in units of the expected `rounding`."""

    version: str
    quantity: str
    error: float
    rounding: float
    verdict: TruthVerdict


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """One quantity of two versions compared, in the same units; `is_change`: rounding does not explain it."""

    quantity: str
    before: str
    after: str
    error: float
    rounding: float
    is_change: bool


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A quantity that changed between two versions, with the error of each against the truth (None where it has none).

    `error` and `rounding` compare the two versions. `untested` are the releases between them that could not be run: any of them
    may have brought the change. `exact`: there is no release in between.
    """

    quantity: str
    before: str
    after: str
    error_before: float | None
    error_after: float | None
    error: float
    rounding: float
    untested: tuple[str, ...] = ()
    exact: bool = False


@dataclass(frozen=True, slots=True)
class VersionMeasurement:
    """The versions that could be run, compared with the truth and with each other."""

    versions: tuple[str, ...]
    figures: tuple[VersionFigure, ...]
    differences: tuple[VersionDifference, ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class VersionHistory:
    """The result; `route` says which model file the versions were given, `limits` what was not compared."""

    package: str
    robot: str
    route: str
    states: int
    seed: int
    command: str
    versions: tuple[str, ...]
    figures: tuple[VersionFigure, ...]
    changes: tuple[VersionChange, ...]
    failures: tuple[Failure, ...]
    limits: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[VersionFigure, ...]:
        """The figures whose errors rounding does not explain."""
        return tuple(figure for figure in self.figures if figure.verdict == TruthVerdict.WRONG)

    @property
    def exit_status(self) -> int:
        """1 where a quantity changed or is wrong; else 2 where a version could not be run; else 0."""
        if self.changes or self.wrong:
            return 1
        return 2 if self.failures or len(self.versions) < 2 else 0
