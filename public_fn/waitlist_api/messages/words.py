"""The words of messages: a list's own, or those of the service, in the person's language."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from waitlist_api.settings.messages import MessageRules, OwnText

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
FIELDS = ("subject", "text", "button")


@cache
def texts_of(language: str) -> dict[str, Any]:
    """Return the service's texts in a language."""
    path = Path(__file__).parent / "texts" / f"{language}.json"
    texts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return texts


def words_of(kind: str, language: str, rules: MessageRules) -> dict[str, str]:
    """Return `subject`, `text` and `button` of a kind, the list's own where it has them."""
    own = rules.texts.get(language, {}).get(kind, OwnText())
    texts: dict[str, str] = texts_of(language)[kind]
    # A text of blanks would be a mail without a subject, or a link that nobody sees.
    return {
        name: getattr(own, name) if getattr(own, name).strip() else texts[name] for name in FIELDS
    }


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its placeholders, such as {name}, filled."""
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
