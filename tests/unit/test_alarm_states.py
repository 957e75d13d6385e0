"""The fake CloudWatch computes alarm states as the AWS user guide describes them."""

from typing import Any

import pytest

from tests.support.alarms import ALARM, INSUFFICIENT, OK, Alarm, Series, evaluate, metric_of

RETAINED = "retained"
METRIC = {"Namespace": "Waitlist/waitlist", "MetricName": "waits", "Dimensions": []}
TREATMENTS = ("missing", "ignore", "breaching", "notBreaching")


def state(points: str, treatment: str, of: tuple[int, int], **changes: Any) -> str:
    """Return an alarm's state. In `points`, `0` is a good point, `X` is beyond the threshold, and
    `-` is a missing point.
    """
    most, periods = of
    alarm = {
        **METRIC,
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": periods,
        "DatapointsToAlarm": most,
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 0,
        "TreatMissingData": treatment,
        **changes,
    }
    values = [{"0": [0.0], "X": [1.0], "-": []}[point] for point in points.split()]
    made = Alarm(alarm, fills_nothing=True)
    return made.state({metric_of(alarm): values}, len(values), before=RETAINED)


# The two tables from the section "How alarm state is evaluated when data is missing" of the AWS
# user guide. The last column lists the state for each way to treat missing data.
TABLES = [
    ((3, 3), "0 - X - X", (OK, OK, OK, OK)),
    ((3, 3), "0 - - - -", (OK, OK, OK, OK)),
    ((3, 3), "- - - - -", (INSUFFICIENT, RETAINED, ALARM, OK)),
    ((3, 3), "0 X X - X", (ALARM, ALARM, ALARM, ALARM)),
    ((2, 3), "0 - X - X", (ALARM, ALARM, ALARM, ALARM)),
    ((2, 3), "0 0 X 0 X", (ALARM, ALARM, ALARM, ALARM)),
    ((2, 3), "0 - X - -", (OK, OK, ALARM, OK)),
    ((2, 3), "- - - - 0", (OK, OK, ALARM, OK)),
]
# Cases from the AWS user guide in which an alarm changes state too early. The states for the
# `missing` treatment are left out, because no alarm in the template uses it.
PREMATURE = [
    ((3, 3), "- - X - -", (RETAINED, ALARM, OK)),
    ((2, 3), "- - - X -", (RETAINED, ALARM, OK)),
]


@pytest.mark.parametrize(("of", "points", "states"), TABLES)
def test_the_state_is_as_in_the_user_guide(
    of: tuple[int, int], points: str, states: tuple[str, ...]
) -> None:
    assert tuple(state(points, one, of) for one in TREATMENTS) == states


@pytest.mark.parametrize(("of", "points", "states"), PREMATURE)
def test_a_premature_state_is_as_in_the_user_guide(
    of: tuple[int, int], points: str, states: tuple[str, ...]
) -> None:
    assert tuple(state(points, one, of) for one in TREATMENTS[1:]) == states


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_alarms_of_dynamodb_always_ignore_missing_data(treatment: str) -> None:
    found = state("- - - - -", treatment, (1, 1), Namespace="AWS/DynamoDB")
    assert found == RETAINED


def test_a_missing_operand_makes_the_result_missing() -> None:
    series: dict[str, Series] = {"some": [1.0, None, 3.0], "none": [None, None, None]}
    assert evaluate("some + none", series, fills_nothing=True) == [None, None, None]
    assert evaluate("2 * some + some", series, fills_nothing=True) == [3.0, None, 9.0]


def test_fill_fills_the_gaps_of_a_series() -> None:
    series: dict[str, Series] = {"some": [1.0, None], "none": [None, None]}
    for fills_nothing in (True, False):
        assert evaluate("FILL(some, 0)", series, fills_nothing=fills_nothing) == [1.0, 0]
    assert evaluate("FILL(none, 0)", series, fills_nothing=True) == [None, None]
    assert evaluate("FILL(none, 0)", series, fills_nothing=False) == [0, 0]


def test_an_expression_can_compare_values_and_choose_between_them() -> None:
    series: dict[str, Series] = {
        "errors": [0.0, 1.0, 5.0],
        "requests": [10.0, 1.0, 10.0],
    }
    chosen = "IF(errors >= 3 OR errors >= requests, 100 * errors / requests, 0)"
    assert evaluate(chosen, series, fills_nothing=True) == [0, 100.0, 50.0]
    assert evaluate("DIFF(requests)", series, fills_nothing=True) == [None, -9.0, 9.0]
