"""Guesses the meaning of a file's columns from their names and first values."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

# Common names of columns with customer ids, without spaces and punctuation, most likely first.
IDS = (
    *("customerid", "customer", "userid", "memberid", "id", "user", "username"),
    *("email", "emailaddress", "mail", "mailaddress", "youremail", "contactemail"),
)
MAILS = (
    "email",
    "emailaddress",
    "mail",
    "mailaddress",
    "youremail",
    "contactemail",
    "profileemail",
)
NUMBERS = (
    *("phone", "phonenumber", "telephone", "telephonenumber", "tel", "mobile", "mobilenumber"),
    *("cell", "cellphone", "handy", "telefon", "telefonnummer", "profilephone"),
)
TIMES = (
    *("joinedat", "joined", "signedupat", "signupat", "signupdate", "signuptime", "signedup"),
    *("registeredat", "registered", "registrationdate", "submittedat", "submissiondate"),
    *("submissiontime", "createdat", "created", "dateadded", "timestamp", "datetime", "date"),
    *("time", "zeitstempel"),
)
PRIORITIES = ("priority", "priorität", "prio")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
DIGITS = re.compile(r"[^@]*\d[^@]*")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S", ", %H:%M:%S")
# Date formats in order of preference. An ambiguous date such as 03/04/2026 is read as March 4, as
# in American programs.
DATES = (
    *("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)


@dataclass(frozen=True)
class TimeGuess:
    """The guessed format of the times in a column."""

    # The format of the times, or None for ISO 8601.
    time_format: str | None
    # Another format that fits the times but gives different results, or None.
    other: str | None = None


@dataclass(frozen=True)
class Guess:
    """A guess at which column of a file contains what.

    For example, `customer` is the name of the column that probably contains customer ids. The field
    `times` is not a column: it is the format of the signup times.
    """

    customer: str | None
    priority: str | None
    joined_at: str | None
    times: TimeGuess | None


def guess_columns(names: Sequence[str], samples: Sequence[Sequence[object]]) -> Guess:
    """Guess the meaning of columns from their names and first values."""
    joined_at = guess_time_column(names, samples)
    return Guess(
        guess_customer_column(names, samples),
        guess_priority_column(names, samples),
        joined_at,
        None if joined_at is None else guess_time_format(samples[names.index(joined_at)]),
    )


def guess_customer_column(
    names: Sequence[str], samples: Sequence[Sequence[object]] = ()
) -> str | None:
    """Guess which column contains the customer ids, from the columns' names and first values."""
    return _by_name(names, IDS) or _by_mails(names, samples)


def _by_mails(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Return the first column whose values are all email addresses."""
    for name, values in zip(names, samples, strict=False):
        texts = [value for value in values if value]
        if texts and all(isinstance(text, str) and EMAIL.fullmatch(text.strip()) for text in texts):
            return name
    return None


def guess_address_column(
    names: Sequence[str], samples: Sequence[Sequence[object]], identity: str
) -> str | None:
    """Guess which column contains the addresses that identify people.

    `identity` is the kind of address, `email` or `phone`.
    """
    found = _by_name(names, NUMBERS if identity == "phone" else MAILS)
    if found is not None and _is_among(samples, names.index(found), identity):
        return found
    return None if identity == "phone" else _by_mails(names, samples)


def guess_address_columns(
    names: Sequence[str], samples: Sequence[Sequence[object]], taken: Collection[str] = ()
) -> dict[str, str]:
    """Guess which columns contain email addresses and phone numbers, for profile.email and
    profile.phone.

    The columns and fields in `taken` are skipped, because they already have another use.
    """
    found = {}
    for name in ("email", "phone"):
        target = f"profile.{name}"
        if not {name, target} & {*names, *taken}:
            column = guess_address_column(names, samples, name)
            if column is not None and column not in taken:
                found[column] = target
    return found


def _is_among(samples: Sequence[Sequence[object]], column: int, identity: str) -> bool:
    """Return whether the column can contain addresses.

    This is true if the column is empty, or if at least one of its values looks like an address.
    """
    looks = DIGITS if identity == "phone" else EMAIL
    values = samples[column] if column < len(samples) else ()
    texts = [str(value).strip() for value in values if value not in (None, "")]
    return not texts or any(looks.fullmatch(text) for text in texts)


def guess_time_column(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Guess from the names and the values which column contains the signup times."""
    times = [
        name
        for name, values in zip(names, samples, strict=True)
        if guess_time_format(values) is not None
    ]
    return _by_name(times, TIMES)


def guess_priority_column(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Guess from the names and the values which column contains the priorities."""
    numbers = [
        name
        for name, values in zip(names, samples, strict=True)
        if all(str(value).strip().isdecimal() for value in values if value not in (None, ""))
    ]
    return _by_name(numbers, PRIORITIES)


def guess_time_format(values: Iterable[object]) -> TimeGuess | None:
    """Guess the format of times. Return None if no format fits."""
    texts = [str(value).strip() for value in values if value not in (None, "")]
    if not texts:
        return None
    if all(map(_is_iso, texts)):
        return TimeGuess(None)
    formats = [date + clock for date in DATES for clock in CLOCKS]
    fitting = [pattern for pattern in formats if _moments(texts, pattern) is not None]
    if not fitting:
        return None
    # Most files are sorted by signup time, so prefer a format in which the times are sorted.
    ordered = [pattern for pattern in fitting if _is_in_order(_moments(texts, pattern) or [])]
    first = (ordered or fitting)[0]
    moments = _moments(texts, first)
    others = (pattern for pattern in fitting if _moments(texts, pattern) != moments)
    return TimeGuess(first, next(others, None))


def _by_name(names: Sequence[str], usual: Sequence[str]) -> str | None:
    plain = {re.sub(r"[\W_]", "", name.casefold()): name for name in reversed(names)}
    return next((plain[name] for name in usual if name in plain), None)


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    # Digits alone, such as 20260301, can be an ISO 8601 date, but are more likely a number, so do
    # not accept them.
    return not text.isdecimal()


def _moments(texts: Sequence[str], time_format: str) -> list[datetime] | None:
    try:
        return [datetime.strptime(text, time_format) for text in texts]  # noqa: DTZ007
    except ValueError:
        return None


def _is_in_order(moments: Sequence[datetime]) -> bool:
    pairs = list(pairwise(moments))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
