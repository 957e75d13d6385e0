"""Tests that the service repairs itself after Redis or a process has lost data.

The database contains everything that it needs.
"""

import httpx
from redis import Redis

from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, running_service, wait_until
from tests.support.plain_http import plain_client
from tools.local.child import Child
from tools.local.operator import local_operator


def test_maintenance_rebuilds_a_lost_queue(
    service: Service, http: httpx.Client, customer: Customer, operator: Operator
) -> None:
    """P3 P7"""
    entries = [customer.joined(f"customer-{number}") for number in range(5)]
    operator.bump(entries[4], priority=1)
    with Redis.from_url(service.found(r"Redis +(redis://\S+)")) as redis:
        # Delete only one waitlist's data, because rebuilding every waitlist's queue would take a
        # minute.
        redis.delete(*redis.scan_iter(match=f"*{{{operator.waitlist_id}}}*"))
    # Until the queue has been rebuilt, responses contain no position. Afterwards, every position is
    # correct.
    answer = customer.poll_once(entries[0])
    assert answer.status_code == 503 or answer.json()["position"] == 2
    invoked = http.post(
        "/2015-03-31/functions/waitlist-local-maintenance/invocations",
        json={"waitlist_id": operator.waitlist_id},
        headers={"X-Amz-Invocation-Type": "Event"},
    )
    assert invoked.status_code == 202
    wait_until(lambda: customer.poll_once(entries[0]).status_code == 200)
    assert [customer.position(entry) for entry in entries] == [2, 3, 4, 5, 1]
    assert customer.joined("late").position == 6


def test_a_restart_loses_nothing_that_external_stores_contain() -> None:
    """P3"""
    with (
        Child("tools.local.redis_server") as redis,
        Child("tools.local.dynamodb.server") as dynamodb,
    ):
        stores = {
            "REDIS_URL": f"redis://127.0.0.1:{redis.port()}",
            "AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{dynamodb.port()}",
        }
        with running_service(**stores) as first, plain_client(first.url) as http:
            Operator(http, local_operator(), "bakery").put({"name": "Bakery"})
            ada, bob = (Customer(http, "bakery").joined(name) for name in ("ada", "bob"))
        with running_service(**stores) as second, plain_client(second.url) as http:
            customer = Customer(http, "bakery")
            assert [customer.position(ada), customer.position(bob)] == [1, 2]
            assert customer.joined("cleo").position == 3
