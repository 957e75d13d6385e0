"""Test a deployed stack with two customers who sign up, read their positions, leave and are erased.
`make smoke STACK=waitlist-dev` runs this program.

The test uses its own waitlist and signs with the AWS CLI's credentials. It needs the permissions
`cloudformation:DescribeStacks` on the stack and `execute-api:Invoke` on
/v1/admin/waitlists/smoke-*.

If the stack has an issuer, customers need the issuer's tokens. The test then checks only the
operator's calls, and that a signup without a token is refused.

This program cannot solve a bot check. If the stack has one, the test checks that a signup without a
bot token is refused, and imports the two customers as the operator.
"""

import argparse
import secrets
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.deploy import aws
from tools.local.api_client import ApiClient
from waitlist_cli.client.sigv4 import OperatorAuth
from waitlist_cli.errors import CliError

ADMIN = "/v1/admin/waitlists"


class Failed(Exception):
    """The stack gave a wrong response. The message contains the step and the response."""


@dataclass(frozen=True)
class Stack:
    """The URLs of a stack, and whether its signups need an issuer's token or a bot check."""

    url: str
    customers_url: str
    has_issuer: bool = False
    has_bot_check: bool = False


class Smoke:
    """The steps of the smoke test. They write to a single waitlist, which the last step deletes."""

    def __init__(
        self, client: ApiClient, waitlist_id: str, customers: ApiClient | None = None
    ) -> None:
        """If `customers` is None, the operator's client also sends the customers' requests."""
        self._client = client
        self._customers = customers or client
        self._path = f"{ADMIN}/{waitlist_id}"
        self._entries = f"/v1/waitlists/{waitlist_id}/entries"
        self._keys: dict[str, str] = {}
        self._are_imported = False

    def run(self, *, has_issuer: bool = False, has_bot_check: bool = False) -> None:
        """If a step fails, raise Failed or CliError."""
        health = self._customers.customer("GET", "/v1/health")
        _expect("both stores answer", health, status="ok", queue="ok", record="ok")
        if not self._customers.customer("GET", "/.well-known/jwks.json")["keys"]:
            raise Failed("no key for passes is published. Check that PASS_KEY_ARNS is set.")
        _say("the keys for passes are published")
        made = self._client.operator("PUT", self._path, json={"name": "Smoke test"})
        _expect("an operator creates a waitlist", made, open=True)
        try:
            if has_issuer:
                self._is_refused(
                    {}, 401, "a signup without a token", "Check that JwtIssuer is deployed."
                )
            else:
                if has_bot_check:
                    body = {"customer_id": "bot"}
                    what, advice = "a guest without a bot token", "Check that BotCheck is deployed."
                    self._is_refused(body, 403, what, advice)
                    self._are_imported = True
                self._two_customers()
        finally:
            self._client.operator("DELETE", self._path)
        _say("the waitlist is deleted")

    def _is_refused(self, body: dict[str, str], status: int, what: str, advice: str) -> None:
        """Raise Failed if the signup is accepted, and CliError if it is refused with a different
        status.
        """
        key = str(uuid.uuid4()) if body else ""
        try:
            self._customers.customer("POST", self._entries, json=body, key=key)
        except CliError as refusal:
            if refusal.status == status:
                _say(f"{what} is refused")
                return
            raise
        raise Failed(f"{what} was accepted. {advice}")

    def _two_customers(self) -> None:
        first = self._sign_up("first")
        _expect("the first customer signs up", first, status="waiting", position=1, total=1)
        _expect("a repeat keeps the place", self._sign_up("first"), position=1, total=1)
        second = self._sign_up("second")
        _expect("the second customer is behind the first", second, position=2, total=2)
        self._customers.customer("DELETE", self._entry(first), first["entry_token"])
        _say("the first customer leaves")
        seen = self._customers.customer("GET", self._entry(second), second["entry_token"])
        _expect("the second customer has moved up", seen, status="waiting", position=1, total=1)
        self._client.operator("DELETE", f"{self._path}/entries/{second['entry_id']}")
        _say("the second customer is erased")
        stats = self._client.operator("GET", f"{self._path}/stats")
        _expect("no customer waits", stats, waiting=0, signed_up=2)

    def _sign_up(self, customer_id: str) -> Any:
        body = {"customer_id": customer_id}
        key = self._keys.setdefault(customer_id, str(uuid.uuid4()))
        if self._are_imported:
            return self._import({**body, "idempotency_key": key})
        return self._customers.customer("POST", self._entries, json=body, key=key)

    def _import(self, row: dict[str, str]) -> Any:
        body = {"entries": [row]}
        answer = self._client.operator("POST", f"{self._path}/import/tokens", json=body)
        (made,) = answer["results"]
        if made["outcome"] == "refused":
            raise Failed(f"an import was refused: {made}")
        seen = self._customers.customer("GET", self._entry(made), made["entry_token"])
        return {**seen, "entry_token": made["entry_token"]}

    def _entry(self, entry: Any) -> str:
        return f"{self._entries}/{entry['entry_id']}"


def _expect(step: str, answer: Any, **fields: object) -> None:
    got = {name: answer.get(name) for name in fields}
    if got != fields:
        raise Failed(f"{step}: {got}, expected {fields}")
    _say(step)


def _say(step: str) -> None:
    print(f"✓ {step}", flush=True)


def _stack(cloudformation: Any, name: str) -> Stack:
    """The operator's own domain may not point to the stack yet, so customers use CloudFront's
    domain.
    """
    (found,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    outputs = {
        output["OutputKey"]: str(output["OutputValue"]) for output in found.get("Outputs", [])
    }
    given = {item["ParameterKey"]: item["ParameterValue"] for item in found.get("Parameters", [])}
    if "ApiUrl" not in outputs:
        raise Failed(
            f"The stack {name} has no output ApiUrl. Check that it is a stack of this service."
        )
    edge = outputs.get("EdgeTarget")
    customers = f"https://{edge}" if edge else outputs["ApiUrl"]
    return Stack(
        outputs["ApiUrl"], customers, bool(given.get("JwtIssuer")), bool(given.get("BotCheck"))
    )


def _signed_by(session: Any) -> OperatorAuth:
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise Failed("There are no AWS credentials or no region. Set AWS_PROFILE and AWS_REGION.")
    return OperatorAuth(credentials.get_frozen_credentials, session.region_name)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Test a deployed stack with two customers.")
    parser.add_argument("--stack", required=True, help="the name of the CloudFormation stack")
    name = parser.parse_args(arguments).stack
    session = aws.session()
    try:
        operator = _signed_by(session)
        found = _stack(session.client("cloudformation"), name)
        with (
            ApiClient(found.url, operator=operator) as client,
            ApiClient(found.customers_url) as customers,
        ):
            smoke = Smoke(client, f"smoke-{secrets.token_hex(4)}", customers)
            smoke.run(has_issuer=found.has_issuer, has_bot_check=found.has_bot_check)
    except (Failed, CliError, ClientError, BotoCoreError) as error:
        print(f"{name} failed the smoke test: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
