"""The command line shows people's names, which are among their answers to the waitlist's
questions.
"""

from typing import Any

import pytest

from waitlist_cli.operations.names import name_of

NAME = {"name": "q1", "label": {"de": "Ihr Name", "en": "Your name"}, "type": "text"}
REASON = {"name": "reason", "label": "Reason", "type": "text", "required": True}
PHONE = {"name": "phone", "label": "Phone", "type": "tel"}
HOBBY = {"name": "hobby", "label": "Hobby", "type": "text"}
GIVEN = {"name": "given", "label": "First name", "type": "text"}
LAST = {"name": "last", "label": "Last name", "type": "text"}


@pytest.mark.parametrize(
    ("questions", "profile", "name"),
    [
        ([REASON, NAME, PHONE], {"q1": "Zoë", "phone": "0151", "reason": "Pain"}, "Zoë"),
        ([REASON, NAME, PHONE], {"phone": "0151", "reason": "Pain"}, "0151"),
        ([GIVEN, LAST], {"last": "Lovelace", "given": "Ada"}, "Ada Lovelace"),
        ([], {"first_name": "Ada", "last_name": "Lovelace", "email": "a@b.org"}, "Ada Lovelace"),
        ([], {"name": 7, "email": "a@b.org"}, "a@b.org"),
        ([REASON], {"reason": "Pain"}, "Pain"),
        ([HOBBY], {"hobby": "Chess"}, "c-1"),
        ([NAME], {"q1": "Zo\u202eë"}, "Zo�ë"),
        ([], {}, "c-1"),
    ],
)
def test_the_name_comes_from_the_questions_of_the_list(
    questions: list[dict[str, Any]], profile: dict[str, Any], name: str
) -> None:
    fields = [{"kept_in": "profile", "required": False, **question} for question in questions]
    waitlist = {"page": {"fields": fields}, "identity": None}
    person = {"entry_id": "e", "customer_id": "c-1", "profile": profile, "attributes": {}}
    assert name_of(person, waitlist) == name
