"""Personal data that is easy to recognise, and functions that search for it."""

import base64
import re
from collections.abc import Iterable
from typing import Any

from tests.support.dynamodb import TABLE
from tools.local.table import create_table_request

WORD = "qqpersonal"
CUSTOMER = f"{WORD}-customer@example.com"
NAME = f"Augusta {WORD}"
PHONE = f"+44 {WORD} 7946"
SPANISH = f"Spanish-{WORD}"
FRENCH = f"French-{WORD}"
REASON = f"because of {WORD}"
KEY = f"key-of-16-or-more-{WORD}"
PROFILE: dict[str, Any] = {"name": NAME, "contact": {"phone": PHONE}}
ATTRIBUTES: dict[str, Any] = {"language": [SPANISH]}


def _forms() -> frozenset[str]:
    """Return the word in plain text and in all its Base64 forms, which depend on the preceding
    bytes.
    """
    forms = {WORD}
    for shift in range(3):
        for case in (WORD, WORD.upper(), WORD.capitalize()):
            encoded = base64.b64encode(b"." * shift + case.encode()).decode().rstrip("=")
            # The first and the last Base64 characters are left out, because they depend on the
            # neighbouring bytes.
            forms.add(encoded[4 if shift else 0 : -1].lower())
    return frozenset(forms)


FORMS = _forms()


def found_in(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if any(form in text.lower() for form in FORMS)]


def entry_tokens_of(answer: str) -> set[str]:
    return set(re.findall(r'"entry_token": ?"([^"]+)"', answer))


def tokens_found_in(texts: Iterable[str], tokens: Iterable[str]) -> list[str]:
    proofs = [token.partition(".")[2] for token in tokens]
    return [text for text in texts if any(proof in text for proof in proofs)]


def redis_texts(redis: Any) -> list[str]:
    """Return the names and the values of all keys. They are read in a few round trips."""
    names = [*redis.scan_iter("*")]
    pipeline = redis.pipeline(transaction=False)
    readers = {
        "string": pipeline.get,
        "hash": pipeline.hgetall,
        "zset": lambda key: pipeline.zrange(key, 0, -1, withscores=True),
        "set": pipeline.smembers,
        "list": lambda key: pipeline.lrange(key, 0, -1),
        "stream": pipeline.xrange,
    }
    for name in names:
        pipeline.type(name)
    for name, kind in zip(names, pipeline.execute(), strict=True):
        readers[kind](name)
    return [*names, *map(str, pipeline.execute())]


def index_texts(dynamodb: Any) -> list[str]:
    """Return the keys of all items in the table.

    Keys appear in error messages, streams and metrics, so they must not contain personal data.
    """
    names = {
        attribute["AttributeName"]
        for attribute in create_table_request(TABLE)["AttributeDefinitions"]
    }
    items = dynamodb.scan(TableName=TABLE)["Items"]
    return [str(item[name]) for item in items for name in names & item.keys()]
