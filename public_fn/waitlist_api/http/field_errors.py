"""Rewords validation errors about the fields of a request."""

import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.errors import FieldError
from waitlist_api.settings.identity import DOMAIN
from waitlist_api.settings.texts import ATTRIBUTE
from waitlist_shared import ids
from waitlist_shared.limits import MAX_SEGMENT_ATTRIBUTES

# Pydantic adds parts of its own to an error's path. If a value can have several types, pydantic
# adds the type that it tried, as a tag such as `(one)`. If the name of a field is invalid, pydantic
# adds `[key]`. The request body contains none of these parts, so error responses leave them out.
PYDANTICS_OWN = ("(one)", "(several)", "(text)", "(other)", "[key]")
ANY_ETAG = r"^\*$"
# RFC 9110 allows empty list elements in the If-Match header (section 5.6.1.2).
ETAGS = r'^(\*|[ \t,]*(W/)?"[!#-~]*"([ \t]*,([ \t]*(W/)?"[!#-~]*")?)*)$'
# The error messages for values that do not match one of the API's regular expressions. Each message
# says in words what the expression requires, and some give an example.
SHAPES = {
    f"^{ids.WAITLIST_ID}$": "must be 1 to 63 lower-case letters, digits and hyphens, not "
    "beginning with a hyphen, such as bakery-2",
    f"^{ids.ENTRY_ID}$": "must be an entry id, which has 26 characters from a to z and 2 to 7",
    f"^(me|{ids.ENTRY_ID})$": "must be `me` or an entry id, which has 26 characters from a to z "
    "and 2 to 7",
    f"^{ids.INVITATION_ID}$": "must be an invitation id, which has 16 characters from 0 to 9 and a "
    "to f",
    f"^{ids.CUSTOMER_ID}$": "must be 1 to 256 printable ASCII characters without spaces, such as "
    "customer-0001 or ada@example.com",
    "^[A-Za-z0-9_-]{1,512}$": "must be the unchanged `cursor` of the previous page",
    f"^{ATTRIBUTE}$": "must be 1 to 32 lower-case letters, digits and underscores, beginning with "
    "a letter, such as language or party_size",
    f"^{ATTRIBUTE}(,{ATTRIBUTE}){{0,{MAX_SEGMENT_ATTRIBUTES - 1}}}$": "must be attribute names "
    "separated by commas, such as gender,language",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "must be a time of day, such as 08:00 or 00:00",
    ETAGS: 'must be the unchanged ETag of the waitlist, such as "7", or several ETags separated '
    "by commas, or *",
    ANY_ETAG: "must be *",
    "^[0-9a-f]{40}$": "must be the claim_token of the claim, which has 40 characters from 0 to 9 "
    "and a to f",
    "^[!-~]{16,255}$": "must be 16 to 255 printable ASCII characters without spaces, such as a "
    "random UUID",
    "^[!-~]{1,255}$": "must be 1 to 255 printable ASCII characters without spaces, such as a UUID",
    "^[A-Za-z0-9._-]{1,8192}$": "must be the unchanged token of the widget",
    r"^[0-9a-f]{8}\.[A-Za-z0-9_-]{80}(?:[A-Za-z0-9_-]{35})?$": "must be the unchanged part of the "
    "link after #v=",
    "^[A-Z]{2}$": "must be a country code of two capital letters, such as DE",
    f"^{DOMAIN}$": "must be a domain in lower case, such as mailinator.com",
    "^[!-~]{0,255}$": "must be at most 255 printable ASCII characters without spaces, such as a "
    "UUID",
}

_IN_OUR_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "list_type": "must be an array",
    "bool_parsing": "must be true or false",
}
# What a value must be if it can have two types and has neither. The key is the type that pydantic
# tried last.
_EITHER = {
    "(one)": "must be a string or an array of strings",
    "(other)": "must be a string or an object",
}
_WRONG_TYPES = ("string_type", "dict_type", "model_type", "model_attributes_type")
_LENGTHS = {"too_long": ("at most", "max_length"), "too_short": ("at least", "min_length")}


def field_error(error: Mapping[str, Any]) -> FieldError:
    """Reword a pydantic validation error for this API."""
    # The error message must not contain the value from the request, because the value may be
    # personal data.
    path = (part for part in map(str, error["loc"]) if part not in PYDANTICS_OWN)
    return FieldError(".".join(path), _message(error))


def _message(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    tried = error["loc"][-1] if error["loc"] else ""
    if kind in _WRONG_TYPES and tried in _EITHER:
        return _EITHER[tried]
    # Pydantic's messages start with words such as "Input should be" or "String should have". Start
    # the API's messages with "must" instead.
    message = error["msg"].removeprefix("Value error, ").replace(" after validation", "")
    message = re.sub(r"^\w+ should ", "must ", message)
    if kind == "string_pattern_mismatch":
        return SHAPES.get(error["ctx"]["pattern"], message)
    if kind in _LENGTHS and isinstance(error["input"], str):
        # Pydantic may say "items" about a string, so say "characters" instead.
        bound, limit = _LENGTHS[kind]
        count = error["ctx"][limit]
        return f"must have {bound} {count} {'character' if count == 1 else 'characters'}"
    return _IN_OUR_WORDS.get(kind, message)
