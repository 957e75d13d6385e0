"""The service learns a person's language from the `Accept-Language` header (RFC 9110, section
12.5.4).
"""

import pytest

from waitlist_api.settings.messages import language_of


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", ""),
        ("*", ""),
        ("tlh", ""),
        ("de-AT, en;q=0.5", "de"),
        ("fr;q=0.3, de-AT;q=0.9, tlh", "de"),
        ("en; q=0.5, FR ; Q=0.8", "fr"),
        ("tlh, es ;\tq=0.1", "es"),
        ("de;q=0, en;q=0.001", "en"),
        ("de;q=0.", ""),
        ("en;q=0.4, de;q=1.", "de"),
        ("de;q=many", "de"),
    ],
)
def test_the_language_is_the_first_accepted_language_that_the_service_supports(
    header: str, language: str
) -> None:
    assert language_of(header) == language
