"""Tests how `make run` starts and stops the service, and what it says when the service cannot
start.
"""

import signal
import socket
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import (
    Service,
    find_descendants,
    find_survivors,
    run_module,
    running_service,
)
from tools.local.operator import local_operator
from tools.local.ports import HOST, reserved_port


def test_the_banner_states_how_long_the_start_took(service: Service) -> None:
    assert float(service.found(r"^Ready in ([\d.]+) s")) > 0


def test_the_service_does_not_start_on_a_port_that_is_in_use(service: Service) -> None:
    second = run_module("tools.local", PORT=str(service.port))
    expected = (
        f"Port {service.port} is in use. Try another port: PORT={service.port + 1} make run\n"
    )
    assert (second.returncode, second.stdout, second.stderr) == (1, "", expected)


def test_the_error_about_an_invalid_setting_names_the_setting() -> None:
    run = run_module("tools.local", REDIS_URL="localhost")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("REDIS_URL=localhost must ")
    assert len(run.stderr.splitlines()) == 1


def test_the_error_about_an_unreachable_redis_names_its_url() -> None:
    run = run_module("tools.local", REDIS_URL="redis://:secret@127.0.0.1:1")
    assert run.returncode == 1
    assert "REDIS_URL=redis://127.0.0.1:1 does not answer" in run.stderr
    assert "secret" not in run.stderr
    assert "Traceback" not in run.stderr


def test_the_error_about_an_unreachable_dynamodb_names_its_url() -> None:
    run = run_module("tools.local", AWS_ENDPOINT_URL_DYNAMODB="http://127.0.0.1:1")
    assert run.returncode == 1
    assert "AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:1" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_service_stops_cleanly_while_requests_are_in_flight() -> None:
    begun = threading.Event()
    with running_service() as service:
        limits = httpx.Limits(max_connections=16)
        with httpx.Client(base_url=service.url, timeout=35, limits=limits) as http:
            Operator(http, local_operator(), "bakery").put({"name": "Bakery"})
            customer = Customer(http, "bakery")

            def sign_up(number: int) -> int | None:
                try:
                    answer = customer.sign_up_once(f"customer-{number}", str(uuid.uuid4()))
                except httpx.TransportError:
                    return None
                begun.set()
                return answer.status_code

            with ThreadPoolExecutor(16) as pool:
                statuses = [pool.submit(sign_up, number) for number in range(300)]
                assert begun.wait(60)
                assert service.stop() == 0
            answered = {status.result() for status in statuses}
    # While the service stops, it answers the requests that it has started to process. All other
    # requests are refused or cannot connect.
    assert answered <= {201, 503, None}
    assert service.errors == ""


def test_the_service_stops_on_sigterm() -> None:
    service = Service()
    descendants = find_descendants(service.process.pid)
    assert len(descendants) >= 6
    assert service.stop(signal.SIGTERM) == 0
    assert find_survivors(descendants) == set()


def test_a_killed_service_leaves_no_process_and_frees_its_port() -> None:
    with reserved_port() as port:
        service = Service(PORT=str(port))
        descendants = find_descendants(service.process.pid)
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        assert find_survivors(descendants) == set()
        with socket.create_server((HOST, port)):
            pass
