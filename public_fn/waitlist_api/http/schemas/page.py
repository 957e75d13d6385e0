"""The customer page's settings, as they appear in operators' requests and in public responses."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from waitlist_api.http.page.files import words
from waitlist_api.http.schemas.settings import request_body
from waitlist_api.settings.page import (
    MAX_TEXT,
    MAX_WORDS,
    PageField,
    PageOption,
    PageSettings,
    Plural,
)

# Besides the page's fixed texts, operators can translate these two texts in `texts`. The numbers
# are the maximum lengths of the translations.
TRANSLATABLE = {"name": 200, "text": MAX_TEXT}


def _list_keys(schema: dict[str, Any]) -> None:
    texts = schema["properties"]["texts"]["additionalProperties"]
    texts["propertyNames"] = {"enum": sorted({*TRANSLATABLE, *words()})}


def _problems(page: PageSettings) -> Iterator[tuple[str, str]]:
    """Yield problems in a customer page's settings, such as unknown texts and placeholders."""
    yield from page.problems()
    for language, own in page.texts.items():
        for key, text in own.items():
            if problem := _problem_of_words(key, text):
                yield "texts", f"{language}.{key}: {problem}"


def _problem_of_words(key: str, text: str | Mapping[Plural, str]) -> str | None:
    former = "" if key in TRANSLATABLE else words().get(key)
    if former is None:
        return "the page has no such text"
    if isinstance(text, Mapping):
        if key in TRANSLATABLE:
            return "must be one text, because it has no number"
        if "other" not in text:
            return "must have the plural category other"
    if key == "name" and not str(text).strip():
        return "must not consist only of spaces"
    forms = [text] if isinstance(text, str) else list(text.values())
    most = TRANSLATABLE.get(key, MAX_WORDS)
    if max(map(len, forms)) > most:
        return f"must have at most {most} characters"
    unknown = _values_in(" ".join(forms)) - _values_in(json.dumps(former))
    return f"must not have {', '.join(sorted(unknown))}" if unknown else None


def _values_in(text: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", text))


PageOptionBody: Any = request_body("PageOptionBody", PageOption)
PageFieldBody: Any = request_body("PageFieldBody", PageField)
PageBody: Any = request_body("PageBody", PageSettings, _problems, _list_keys)
