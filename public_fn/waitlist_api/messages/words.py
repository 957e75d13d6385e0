"""Chooses between the waitlist's own texts and the default texts for a message."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from waitlist_api.settings.messages import KindName, MessageRules, OwnText
from waitlist_api.settings.texts import Language

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
FIELDS = ("subject", "text", "button")


@cache
def load_texts(language: str) -> dict[str, Any]:
    """Load the default texts in a language."""
    path = Path(__file__).parent / "texts" / f"{language}.json"
    texts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return texts


def choose_words(
    kind: KindName,
    language: Language,
    rules: MessageRules,
    own: OwnText | None = None,
    *,
    has_number: bool = False,
) -> dict[str, str]:
    """Return a message's `subject`, `text` and `button`.

    `own` contains texts that an operator has written for this message only. If `has_number` is
    true, the customer has a call number, and some default texts mention it.
    """
    own = own or rules.texts.get(language, {}).get(kind, OwnText())
    texts: dict[str, Any] = load_texts(language)[kind]
    if has_number:
        texts = texts | texts.get("numbered", {})
    # Use the default text instead of a blank text. Otherwise, an email would have no subject or an
    # invisible link.
    chosen = {name: getattr(own, name) or "" for name in FIELDS}
    return {name: text if text.strip() else texts[name] for name, text in chosen.items()}


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders such as {name} in a text. Unknown placeholders stay unchanged."""
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
