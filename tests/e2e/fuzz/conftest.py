from collections.abc import Iterator

import pytest

from tests.e2e.fuzz.campaign import ACCOUNTS, Campaign, campaign_of


@pytest.fixture(scope="session")
def accounts() -> Iterator[Campaign]:
    """Run a service whose customers have accounts.

    Tests that use this service must not delete a waitlist.
    """
    with campaign_of(ACCOUNTS) as campaign:
        yield campaign
