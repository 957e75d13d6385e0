"""Tests how `make run` starts and stops the service, and what it says when the service cannot
start.
"""

import signal
import socket

import pytest

from tests.e2e.processes import (
    Service,
    environment,
    find_descendants,
    find_survivors,
    run_module,
)
from tools.local.ports import HOST, reserved_port
from tools.local.service import LocalService, StartError
from tools.local.settings import Settings


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
    url = "http://127.0.0.1:1"
    settings = Settings.from_env(environment(AWS_ENDPOINT_URL_DYNAMODB=url))
    with (
        pytest.raises(StartError, match=f"AWS_ENDPOINT_URL_DYNAMODB={url} has no usable table"),
        LocalService(settings),
    ):
        pass


def test_a_killed_service_leaves_no_process_and_frees_its_port() -> None:
    with reserved_port() as port:
        service = Service(PORT=str(port))
        descendants = find_descendants(service.process.pid)
        assert len(descendants) >= 6
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        assert find_survivors(descendants) == set()
        with socket.create_server((HOST, port)):
            pass
