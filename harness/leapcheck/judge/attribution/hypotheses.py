"""Fits as hypotheses: the exact change of the tree, in words, with the amounts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.judge.attribution.blocks import block_of_limbs
from leapcheck.judge.attribution.descent import Fit
from leapcheck.judge.attribution.moves import MOVES
from leapcheck.judge.attribution.parameters import Parameter
from leapcheck.judge.attribution.words import armatures, factor_words, inertia_kind, words
from leapcheck.judge.belief import Hypothesis, model_fault
from leapcheck.judge.layout import limb_places
from leapcheck.judge.tree_change import change
from leapcheck.judge.words import name_list
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import numbers
from leapcheck_reference.tree import Tree

NEGLIGIBLE = 1e-12
"""Share of the largest amount, whatever the units, below which one is rounding."""

MOST_NAMES = 6
"""Members of a class that are named in the details."""

ROTOR = 0.3
"""What is added for a rotor: links first."""

SEVERAL_OF_BODY = 4
"""Numbers of mass, com and inertia from which on they are called a body's."""

PER_PARAMETER = 0.2
"""What is added for each further parameter of a block."""


def single(spec: RobotSpec, tree: Tree, fit: Fit, before: Floats | None = None) -> Hypothesis:
    """The hypothesis of one fitted parameter; `before` are the numbers (N,) that it moves, by default the tree's own."""
    parameter = fit.parameters[0]
    return _hypothesis(parameter.name, spec, tree, numbers(tree) if before is None else before, fit)


def block(name: str, spec: RobotSpec, tree: Tree, fit: Fit) -> Hypothesis:
    """The hypothesis of several fitted parameters under one name; of a body all of whose numbers were fitted under that of
    what has changed.
    """
    hypothesis = _hypothesis(name, spec, tree, numbers(tree), fit)
    if name == "scaled/all":
        return replace(hypothesis, words=f"all masses and inertias of links and rotors are {factor_words(fit.amounts[0])}")
    if name == "gear/all":
        return replace(hypothesis, words=f"all gear ratios are {factor_words(fit.amounts[0])}")
    if name.startswith("armature/"):
        return replace(hypothesis, words=armatures(spec, fit))
    return _named_by_change(hypothesis, numbers(tree), fit)


def _named_by_change(hypothesis: Hypothesis, before: Floats, fit: Fit) -> Hypothesis:
    """The hypothesis of one body's numbers under the name of what has changed."""
    kind, _, of = hypothesis.name.partition("/")
    part = fit.parameters[0].places
    if kind in ("body", "inertia", "scaled") and len({parameter.part for parameter in fit.parameters}) == 1:
        kind_after = inertia_kind(before[part], fit.x[part])
        return replace(hypothesis, name=f"{kind_after}/{of}", prior=hypothesis.prior + PER_PARAMETER * (kind_after != kind))
    return hypothesis


def pair(spec: RobotSpec, tree: Tree, fit: Fit) -> tuple[Hypothesis, Hypothesis]:
    """The hypotheses of two fitted parameters: the second changes the tree that the first has changed."""
    x = numbers(tree)
    first, second = fit.parameters
    between = first.apply(x, float(fit.amounts[0]))
    one = Fit((first,), between, fit.amounts[:1], fit.left, fit.first, fit.norm)
    two = Fit((second,), second.apply(between, float(fit.amounts[1])), fit.amounts[1:], fit.left, fit.first, fit.norm)
    return single(spec, tree, one), single(spec, tree, two, between)


def several(spec: RobotSpec, tree: Tree, fit: Fit) -> tuple[Hypothesis, ...]:
    """The hypotheses of fitted parameters, each changing the tree that those before have changed: the entries of one com or
    inertia together, and a number that is off by as much in several limbs.
    """
    hypotheses, before = [], numbers(tree)
    for name, places in _groups(tree, fit):
        members = tuple(fit.parameters[i] for i in places)
        amounts = np.array([fit.amounts[i] for i in places])
        after = before
        for parameter, amount in zip(members, amounts.tolist(), strict=True):
            after = parameter.apply(after, amount)
        own = Fit(members, after, amounts, fit.left, fit.first, fit.norm, rank=len(members))
        hypotheses.append(_named_by_change(_hypothesis(name, spec, tree, before, own), before, own))
        before = after
    return tuple(hypotheses)


def _groups(tree: Tree, fit: Fit) -> Iterator[tuple[str, list[int]]]:
    """Names of the groups, and places of their members among the parameters."""
    of_body: dict[str, list[int]] = defaultdict(list)
    for i, parameter in enumerate(fit.parameters):
        of_body[parameter.of].append(i)
    left = []
    for name, places in of_body.items():
        kinds = {fit.parameters[i].kind for i in places}
        if len(kinds) > 1 and len(places) >= SEVERAL_OF_BODY and kinds <= {"mass", "com", "inertia"}:
            yield f"body/{name}", places
        else:
            left += places
    of_kind: dict[str, list[int]] = defaultdict(list)
    for places in _alike(tree, fit, left):
        if len(places) > 1:
            yield block_of_limbs([fit.parameters[i] for i in places]).name, places
        else:
            parameter = fit.parameters[places[0]]
            of_kind[f"{parameter.kind}/{parameter.of}"].extend(places)
    for name, places in of_kind.items():
        yield (name if len(places) > 1 else fit.parameters[places[0]].name), places


def _alike(tree: Tree, fit: Fit, places: Sequence[int]) -> Iterable[list[int]]:
    """Numbers of one name that are off by as much, equally far from the root."""
    links = limb_places(link.parent for link in tree.links)
    alike: dict[tuple[str, bool, int, str], list[int]] = defaultdict(list)
    for i in places:
        parameter, amount = fit.parameters[i], abs(float(fit.amounts[i]))
        what = parameter.name.partition("/")[0]
        alike[what, parameter.part.rotor, links[parameter.part.index].depth, f"{amount:.5g}"].append(i)
    return alike.values()


def block_and_single(name: str, spec: RobotSpec, tree: Tree, fit: Fit) -> tuple[Hypothesis, Hypothesis]:
    """The hypotheses of a fitted block, under its name, and of one more parameter, the last of the fit's."""
    last = fit.parameters[-1]
    between = last.apply(fit.x, last.opposite_amount(float(fit.amounts[-1])))
    one = Fit(fit.parameters[:-1], between, fit.amounts[:-1], fit.left, fit.first, fit.norm, rank=len(fit.parameters) - 1)
    two = Fit((last,), fit.x, fit.amounts[-1:], fit.left, fit.first, fit.norm)
    return block(name, spec, tree, one), single(spec, tree, two, between)


def prior(parameters: tuple[Parameter, ...]) -> float:
    """Rank of parameters, small first."""
    rotor = ROTOR * any(parameter.part.rotor for parameter in parameters)
    return max(MOVES[p.kind].prior for p in parameters) + rotor + PER_PARAMETER * (len(parameters) - 1)


def _hypothesis(name: str, spec: RobotSpec, tree: Tree, before: Floats, fit: Fit) -> Hypothesis:
    moved = change(tree, before, fit.x)
    return model_fault(
        name=name,
        words=words(spec, moved) + _hidden(fit),
        tree_edit=moved,
        prior=prior(fit.parameters),
        details=_amounts(fit),
    )


def _hidden(fit: Fit) -> str:
    """A remark on combinations of the parameters that do not show; an axis has two of its three turns by nature."""
    count = len(fit.parameters)
    if fit.rank >= count or any(parameter.kind == "axis" for parameter in fit.parameters):
        return ""
    return f" (the smallest change: these answers determine {fit.rank} of {count} combinations of these numbers)"


def _amounts(fit: Fit) -> str:
    seen = NEGLIGIBLE * float(np.abs(fit.amounts).max(initial=0.0))
    changes = [(p, amount) for p, amount in zip(fit.parameters, fit.amounts.tolist(), strict=True) if abs(amount) > seen]
    text = ", ".join(f"{p.name} {amount:+.7g} {p.unit}".rstrip() for p, amount in changes)
    return f"{text}: explains {explained_share(fit)} of the difference"


def explained_share(fit: Fit) -> str:
    """Share of the difference that a fit takes away, in words."""
    share = 1.0 - fit.norm / fit.first if np.isfinite(fit.norm) and fit.first else 1.0
    percent = np.floor(1e4 * share) / 1e2
    return "more than 99.99 %" if percent >= 99.99 else f"{percent:.2f} %"


def one_class(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Hypotheses that explain the same, the simplest first, each name once; the details say how many are not distinguished."""
    ranked = sorted(hypotheses, key=lambda hypothesis: hypothesis.prior)
    single = list({hypothesis.name: hypothesis for hypothesis in reversed(ranked)}.values())[::-1]
    if len(single) < 2:
        return single
    names = {h.name: name_list((other.name for other in single if other is not h), MOST_NAMES) for h in single}
    return [replace(h, details=f"{h.details}; these answers do not distinguish it from {names[h.name]}") for h in single]
