from collections.abc import Iterator

import pytest

from tests.e2e.fuzz.campaign import ACCOUNTS, Campaign, campaign_of


@pytest.fixture(scope="session")
def accounts() -> Iterator[Campaign]:
    """Run a service whose customers have accounts.

    All tests share its waitlists, so no test may delete them.
    """
    with campaign_of(ACCOUNTS) as campaign:
        yield campaign
