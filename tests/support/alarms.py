"""Computes a CloudWatch alarm's state from the values of its metrics.

The rules come from two sections of CloudWatch's user guide, "Configuring how CloudWatch alarms
treat missing data" and "Use metric math". None stands for a period without a value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import CodeType
from typing import Any

OK, ALARM, INSUFFICIENT = "OK", "ALARM", "INSUFFICIENT_DATA"
# A metric has a namespace, a name, and dimensions, each with a name and a value.
Metric = tuple[str, str, frozenset[tuple[str, str]]]
Series = list[float | None]
# The values reported for each metric in each minute.
Reported = Mapping[Metric, Sequence[Sequence[float]]]
MINUTE_SECONDS = 60
# If periods have no data, CloudWatch also looks at earlier periods. AWS's examples show two earlier
# periods, so this code uses two.
MORE_POINTS = 2

STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "Sum": sum,
    "Maximum": max,
    "Minimum": min,
    "Average": lambda values: sum(values) / len(values),
    "SampleCount": len,
    "p99": max,
}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "GreaterThanThreshold": lambda value, most: value > most,
    "GreaterThanOrEqualToThreshold": lambda value, most: value >= most,
    "LessThanThreshold": lambda value, least: value < least,
}


@dataclass(frozen=True)
class Alarm:
    """Evaluates a CloudWatch alarm that the template defines.

    AWS does not document whether its function FILL adds values to a metric that has none. If
    `fills_nothing` is true, FILL leaves such a metric empty.
    """

    properties: Mapping[str, Any]
    fills_nothing: bool

    @cached_property
    def metrics(self) -> dict[str, Mapping[str, Any]]:
        """The metrics that the alarm reads.

        An alarm without an expression has a single metric, whose id is `value`.
        """
        listed = self.properties.get("Metrics")
        if listed is None:
            return {"value": self.properties}
        return {query["Id"]: query["MetricStat"] for query in listed if "MetricStat" in query}

    @cached_property
    def _treatment(self) -> str:
        if any(name.startswith("AWS/DynamoDB") for name, *_ in self._read.values()):
            # Alarms on DynamoDB metrics always ignore missing data.
            return "ignore"
        return str(self.properties.get("TreatMissingData", "missing"))

    @cached_property
    def _read(self) -> dict[str, Metric]:
        return {id_: metric_of(metric) for id_, metric in self.metrics.items()}

    def state(self, reported: Reported, minutes: int, before: str = OK) -> str:
        needed = int(self.properties["EvaluationPeriods"])
        points = needed + MORE_POINTS
        # DIFF needs the point before the first point.
        series = self._series(reported, minutes, points + 1)[-points:]
        real = [value for value in series if value is not None]
        treatment = self._treatment
        if len(real) >= needed:
            return self._judge([self._breaches(value) for value in real[-needed:]])
        if treatment in ("breaching", "notBreaching"):
            filled = [treatment == "breaching"] * (needed - len(real))
            return self._judge([*map(self._breaches, real), *filled])
        if not real:
            return before if treatment == "ignore" else INSUFFICIENT
        breaching = [self._breaches(value) for value in real]
        if treatment == "ignore" and all(breaching):
            return before
        return self._judge(breaching)

    def _judge(self, breaching: list[bool]) -> str:
        most = int(self.properties.get("DatapointsToAlarm", self.properties["EvaluationPeriods"]))
        return ALARM if sum(breaching) >= most else OK

    def _breaches(self, value: float) -> bool:
        compare = COMPARISONS[self.properties["ComparisonOperator"]]
        return compare(value, float(self.properties["Threshold"]))

    def _series(self, reported: Reported, minutes: int, points: int) -> Series:
        series = {
            id_: statistic(metric, reported.get(self._read[id_], ()), minutes, points)
            for id_, metric in self.metrics.items()
        }
        for query in self.properties.get("Metrics", []):
            if "Expression" in query and query.get("ReturnData", True):
                return evaluate(query["Expression"], series, fills_nothing=self.fills_nothing)
        (only,) = series.values()
        return only


def metric_of(metric: Mapping[str, Any]) -> Metric:
    found = metric.get("Metric", metric)
    dimensions = {
        (dimension["Name"], str(dimension["Value"])) for dimension in found.get("Dimensions", [])
    }
    return found["Namespace"], found["MetricName"], frozenset(dimensions)


def named(metric: Mapping[str, Any]) -> str:
    return metric_of(metric)[0]


def statistic(
    metric: Mapping[str, Any], values: Sequence[Sequence[float]], minutes: int, points: int
) -> Series:
    """Return a metric's value in each of the last `points` periods.

    None stands for a period without a value.
    """
    name = metric.get("Stat") or metric.get("Statistic") or metric["ExtendedStatistic"]
    length = int(metric["Period"]) // MINUTE_SECONDS
    starts = range(0, minutes, length)[-points:]
    periods = [values[first : first + length] for first in starts]
    flat = [[value for minute in period for value in minute] for period in periods]
    return [STATISTICS[name](period) if period else None for period in flat]


# The rest of this file evaluates metric math as Python expressions, in which metrics are objects of
# the following class.


class _Values:
    """The values of a metric in an expression. If an operand has no value in a period, the result
    has none either.
    """

    def __init__(self, values: Series) -> None:
        self.values = values

    def _with(self, other: Any, operate: Callable[[float, float], float | None]) -> "_Values":
        others = other.values if isinstance(other, _Values) else [other] * len(self.values)
        return _Values(
            [
                None if one is None or another is None else operate(one, another)
                for one, another in zip(self.values, others, strict=True)
            ]
        )

    def __add__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: one + another)

    def __mul__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: one * another)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: one / another if another else None)

    def __gt__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: float(one > another))

    def __ge__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: float(one >= another))

    def __or__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: float(bool(one) or bool(another)))

    def __and__(self, other: Any) -> "_Values":
        return self._with(other, lambda one, another: float(bool(one) and bool(another)))


def evaluate(expression: str, series: Mapping[str, Series], *, fills_nothing: bool) -> Series:
    """Compute a CloudWatch metric math expression.

    Only the functions that the template uses are supported.
    """

    def fill(one: _Values, value: float) -> _Values:
        if fills_nothing and all(each is None for each in one.values):
            return one
        return _Values([value if each is None else each for each in one.values])

    def choose(condition: _Values, then: Any, otherwise: Any) -> _Values:
        def at(choice: Any, number: int) -> float | None:
            found: float | None = choice.values[number] if isinstance(choice, _Values) else choice
            return found

        return _Values(
            [
                None if holds is None else at(then if holds else otherwise, number)
                for number, holds in enumerate(condition.values)
            ]
        )

    def differences(one: _Values) -> _Values:
        pairs = zip([None, *one.values], one.values, strict=False)
        return _Values(
            [None if before is None or after is None else after - before for before, after in pairs]
        )

    words = {"FILL": fill, "IF": choose, "DIFF": differences}
    names = {id_: _Values(values) for id_, values in series.items()}
    result: _Values = eval(_compiled(expression), {"__builtins__": {}}, {**words, **names})
    return result.values


@cache
def _compiled(expression: str) -> CodeType:
    # In Python, a comparison next to `|` needs parentheses, which CloudWatch does not require.
    compared = re.sub(r"(\w+ >=? [\w.]+)", r"(\1)", expression)
    compared = re.sub(r"\bOR\b", "|", re.sub(r"\bAND\b", "&", compared))
    return compile(compared, expression, "eval")
