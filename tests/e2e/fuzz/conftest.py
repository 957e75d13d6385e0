from collections.abc import Iterator

import pytest

from tests.e2e.fuzz.campaign import ACCOUNTS, Campaign, campaign_of


@pytest.fixture(scope="session")
def accounts() -> Iterator[Campaign]:
    """All tests share the waitlists of this service, so no test may delete them."""
    with campaign_of(ACCOUNTS) as campaign:
        yield campaign
