"""Tests that the service repairs itself after Redis or a process has lost data.

The database contains everything that it needs.
"""

import signal
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
from redis import Redis

from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import (
    Service,
    find_descendants,
    find_survivors,
    running_service,
    wait_until,
)
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


def test_a_restart_loses_no_signup_that_was_answered() -> None:
    """The first service is stopped while requests are in flight. The second service uses the same
    Redis and the same table (promise P3).
    """
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
            ada = Customer(http, "bakery").joined("ada")
            statuses = stop_during_signups(first, Customer(http, "bakery"))
        # While the service stops, it answers the requests that it has started to process. All other
        # requests are refused or cannot connect.
        assert set(statuses.values()) <= {201, 503, None}
        assert first.errors == ""
        with running_service(**stores) as second, plain_client(second.url) as http:
            assert Customer(http, "bakery").position(ada) == 1
            line = Operator(http, local_operator(), "bakery").line()
            answered = {name for name, status in statuses.items() if status == 201}
            assert answered <= {*line} <= {"ada", *statuses}
            assert Customer(http, "bakery").joined("bob").position == len(line) + 1


def stop_during_signups(service: Service, customer: Customer) -> dict[str, int | None]:
    """Stop the service with SIGTERM after its first response to a signup. Return the status of each
    signup, or None if there was no response.
    """
    begun = threading.Event()

    def sign_up(name: str) -> int | None:
        try:
            answer = customer.sign_up_once(name, str(uuid.uuid4()))
        except httpx.TransportError:
            return None
        begun.set()
        return answer.status_code

    descendants = find_descendants(service.process.pid)
    assert descendants
    with ThreadPoolExecutor(16) as pool:
        statuses = {
            name: pool.submit(sign_up, name) for name in (f"customer-{n}" for n in range(99))
        }
        assert begun.wait(60)
        assert service.stop(signal.SIGTERM) == 0
    assert find_survivors(descendants) == set()
    return {name: status.result() for name, status in statuses.items()}
