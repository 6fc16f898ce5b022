"""Thresholds as a user sets them."""

import dataclasses

import pytest

from leapcheck.jumping.judging.thresholds import DIRECTIONS, Thresholds, thresholds_from

pytestmark = pytest.mark.quick


def test_what_is_given_takes_the_place_of_the_default() -> None:
    found = thresholds_from({"utilisation_no_go": 1.1, "success_marginal": "0.99"})
    assert found == dataclasses.replace(Thresholds(), utilisation_no_go=1.1, success_marginal=0.99)
    assert thresholds_from({}) == Thresholds()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"utilization_no_go": 1.0}, "unknown threshold 'utilization_no_go': use one of utilisation_marginal"),
        ({"tilt_no_go": "steep"}, "threshold tilt_no_go is 'steep': give a number"),
        ({"tilt_no_go": "nan"}, "threshold tilt_no_go is nan: give a number"),
        ({"tilt_no_go": [1]}, "give a number"),
        ({"tilt_no_go": True}, "give a number"),
        ({"utilisation_no_go": 0.7}, "utilisation_no_go is 0.7: it must be at or above utilisation_marginal, 0.8"),
        ({"success_no_go": 0.99}, "success_no_go is 0.99: it must be at or below success_marginal, 0.95"),
    ],
)
def test_a_wrong_threshold_says_what_is_right(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("'", ".")):
        thresholds_from(given)


def test_every_threshold_belongs_to_an_item_with_a_direction() -> None:
    names = {field.name for field in dataclasses.fields(Thresholds)}
    assert names == {f"{item}_{end}" for item in DIRECTIONS for end in ("marginal", "no_go")}


def test_the_issue_s_thresholds_are_the_defaults() -> None:
    default = Thresholds()
    assert (default.utilisation_marginal, default.utilisation_no_go) == (0.8, 1.0)
    assert (default.success_marginal, default.success_no_go) == (0.95, 0.8)
    assert (default.limit_margin_no_go, default.clearance_no_go) == (0.0, 0.0)
