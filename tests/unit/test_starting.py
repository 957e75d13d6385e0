"""A function's SnapStart snapshot contains only code.

Keys, times and connections are left out, because they could be outdated later.
"""

import random
import subprocess
import sys
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from tests.support.world import find_subclasses
from waitlist_api.handlers import maintenance, public
from waitlist_api.http.routing import import_routes
from waitlist_queue import app as private_app

# This script imports the functions without environment variables or a network, and prints how many
# objects each function has created.
IMPORT = """
import socket
class NoSocket:
    def __init__(self, *_args, **_named):
        raise AssertionError("a connection at import")
socket.socket = NoSocket
from waitlist_api.handlers.public import api
from waitlist_api.handlers.maintenance import runner
from waitlist_queue.app import service
print(*(composed.cache_info().currsize for composed in (api, runner, service)))
"""
# This script imports the public function once for each way to start it, and prints whether the
# import has also imported a module with routes.
IMPORT_ON = """
import importlib, os, sys
ROUTES = "waitlist_api.http.routes.admin.claims"
for start in sys.argv[1:]:
    os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"] = start
    for module in ("waitlist_api.handlers.public", ROUTES):
        sys.modules.pop(module, None)
    importlib.import_module("waitlist_api.handlers.public")
    print(start, ROUTES in sys.modules)
"""
# This script imports what a first signup needs, and prints the imported modules.
IMPORT_SIGNUP = """
import sys
from collections.abc import Iterator
import waitlist_api.handlers.public
from waitlist_api.http.routing import SIGN_UP, find_route
find_route(SIGN_UP)
print(*sys.modules)
"""
# Modules that only other requests need.
FOR_OTHER_REQUESTS = (
    "waitlist_api.admission.polls",
    "waitlist_api.entries.queries",
    "waitlist_api.http.openapi",
    "waitlist_api.http.routes.admin",
    "waitlist_api.http.schemas.customers",
    "waitlist_api.maintenance",
    "waitlist_api.waitlists.setting_needs",
)


def test_importing_a_handler_composes_nothing_and_connects_to_nothing() -> None:
    """Importing a handler creates no objects and opens no connections, so nothing in a SnapStart
    snapshot can be outdated (promise P2).
    """
    assert run_script(IMPORT) == ["0 0 0"]


def test_routes_are_imported_before_a_snapshot_and_otherwise_at_their_first_request() -> None:
    assert run_script(IMPORT_ON, "on-demand", "snap-start", "provisioned-concurrency") == [
        "on-demand False",
        "snap-start True",
        "provisioned-concurrency True",
    ]


def test_a_first_signup_does_not_wait_for_imports_of_other_requests() -> None:
    (printed,) = run_script(IMPORT_SIGNUP)
    imported = printed.split()
    assert "waitlist_api.http.routes.guests" in imported
    assert [name for name in imported if name.startswith(FOR_OTHER_REQUESTS)] == []


def run_script(script: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", script, *arguments]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_pydantic_models_are_built_at_their_first_use() -> None:
    """Importing a function does not build its pydantic models, because a request needs only a few
    of them.
    """
    import_routes()
    models = [
        one for one in find_subclasses(BaseModel) if one.__module__.startswith("waitlist_api.")
    ]
    assert len(models) > 1
    assert [one for one in models if not one.model_config.get("defer_build")] == []


@pytest.fixture
def complete_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {
        "TABLE_NAME": "table",
        "PRIVATE_FUNCTION_NAME": "private",
        "ENTRY_TOKEN_SECRET": "0" * 40,
        "REDIS_URL": "redis://queue.example.com:6379",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    state = random.getstate()
    for cached in (public.api, maintenance.runner, private_app.service):
        cached.cache_clear()
    yield
    for cached in (public.api, maintenance.runner, private_app.service):
        cached.cache_clear()
    random.setstate(state)


def test_copies_of_a_snapshot_pause_for_different_times(complete_environment: None) -> None:
    """Functions that start from the same snapshot must pause for different random times before they
    retry.

    Otherwise, all refused clients would come back at once (promise P9).
    """
    for compose in (public.api, private_app.service):
        pauses = set()
        for _copy in range(2):
            random.seed(7)
            compose.cache_clear()
            compose()
            pauses.add(random.random())
        assert len(pauses) == 2, compose
