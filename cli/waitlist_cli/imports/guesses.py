"""Guesses what the columns of a file are, by their names and their first values."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

# Names without case, blanks and signs, the likeliest first.
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
# Where both can be read, the month comes first with strokes, as in forms of American programs.
DATES = (
    *("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)


@dataclass(frozen=True)
class TimeGuess:
    """How times are written: `time_format` None is ISO 8601; `other` fits the values too."""

    time_format: str | None
    other: str | None = None


@dataclass(frozen=True)
class Guess:
    """What the columns of a file probably are; `times` is how those of `joined_at` are written."""

    customer: str | None
    priority: str | None
    joined_at: str | None
    times: TimeGuess | None


def guessed(names: Sequence[str], samples: Sequence[Sequence[object]]) -> Guess:
    """Return what columns probably are, by their names and their first values."""
    joined_at = likely_time(names, samples)
    return Guess(
        likely_customer(names, samples),
        likely_priority(names, samples),
        joined_at,
        None if joined_at is None else time_guess(samples[names.index(joined_at)]),
    )


def likely_customer(names: Sequence[str], samples: Sequence[Sequence[object]] = ()) -> str | None:
    """Return the column that probably has the customer ids; `samples` are values of each column."""
    return _by_name(names, IDS) or _by_mails(names, samples)


def _by_mails(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Return the first column whose values are mail addresses."""
    for name, values in zip(names, samples, strict=False):
        texts = [value for value in values if value]
        if texts and all(isinstance(one, str) and EMAIL.fullmatch(one.strip()) for one in texts):
            return name
    return None


def likely_address(
    names: Sequence[str], samples: Sequence[Sequence[object]], identity: str
) -> str | None:
    """Return the column that probably has the addresses of a waitlist with this `identity`."""
    found = _by_name(names, NUMBERS if identity == "phone" else MAILS)
    if found is not None and _is_among(samples, names.index(found), identity):
        return found
    return None if identity == "phone" else _by_mails(names, samples)


def likely_addresses(
    names: Sequence[str], samples: Sequence[Sequence[object]], taken: Collection[str] = ()
) -> dict[str, str]:
    """Return columns of addresses under names of another program, and the fields they become.

    A list sends its messages to these fields of a profile. `taken` are columns, and fields, that
    are spoken for.
    """
    found = {}
    for name in ("email", "phone"):
        target = f"profile.{name}"
        if not {name, target} & {*names, *taken}:
            column = likely_address(names, samples, name)
            if column is not None and column not in taken:
                found[column] = target
    return found


def _is_among(samples: Sequence[Sequence[object]], column: int, identity: str) -> bool:
    """Return whether a column has an address, or no value at all."""
    looks = DIGITS if identity == "phone" else EMAIL
    values = samples[column] if column < len(samples) else ()
    texts = [str(value).strip() for value in values if value not in (None, "")]
    return not texts or any(looks.fullmatch(text) for text in texts)


def likely_time(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Return the column that probably has the times of signup: by its name, if it has times."""
    times = [
        name for name, values in zip(names, samples, strict=True) if time_guess(values) is not None
    ]
    return _by_name(times, TIMES)


def likely_priority(names: Sequence[str], samples: Sequence[Sequence[object]]) -> str | None:
    """Return the column that probably has the priorities: by its name, if it has numbers."""
    numbers = [
        name
        for name, values in zip(names, samples, strict=True)
        if all(str(value).strip().isdecimal() for value in values if value not in (None, ""))
    ]
    return _by_name(numbers, PRIORITIES)


def time_guess(values: Iterable[object]) -> TimeGuess | None:
    """Return how all these values are times; None if they are none, or if there is no value."""
    texts = [str(value).strip() for value in values if value not in (None, "")]
    if not texts:
        return None
    if all(map(_is_iso, texts)):
        return TimeGuess(None)
    formats = [date + clock for date in DATES for clock in CLOCKS]
    fitting = [one for one in formats if _moments(texts, one) is not None]
    if not fitting:
        return None
    # Files of people are usually in the order of their times.
    ordered = [one for one in fitting if _is_in_order(_moments(texts, one) or [])]
    first = (ordered or fitting)[0]
    moments = _moments(texts, first)
    return TimeGuess(first, next((one for one in fitting if _moments(texts, one) != moments), None))


def _by_name(names: Sequence[str], usual: Sequence[str]) -> str | None:
    plain = {re.sub(r"[\W_]", "", name.casefold()): name for name in reversed(names)}
    return next((plain[one] for one in usual if one in plain), None)


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    # Digits alone are a number that happens to be a date of ISO 8601.
    return not text.isdecimal()


def _moments(texts: Sequence[str], time_format: str) -> list[datetime] | None:
    try:
        return [datetime.strptime(text, time_format) for text in texts]  # noqa: DTZ007
    except ValueError:
        return None


def _is_in_order(moments: Sequence[datetime]) -> bool:
    pairs = list(pairwise(moments))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
