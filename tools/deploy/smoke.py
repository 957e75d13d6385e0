"""`make smoke STACK=waitlist-dev`: one person's story on a stack, in a waitlist made for it.

Signs as the caller of the AWS CLI would. Needs `cloudformation:DescribeStacks` on the stack and
`execute-api:Invoke` on /v1/admin/waitlists/smoke-*. Customers of a stack with an issuer need its
tokens: there, only what an operator and a stranger see is tried.
"""

import argparse
import secrets
import sys
import uuid
from collections.abc import Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tools.local.api_client import ApiClient, ApiError
from tools.local.operator_auth import OperatorAuth

ADMIN = "/v1/admin/waitlists"


class Failed(Exception):
    """The stack answers, and not as it should; the message says which step, and what came."""


class Smoke:
    """The story, step by step; everything it makes is in one waitlist, and goes with that."""

    def __init__(self, client: ApiClient, waitlist_id: str) -> None:
        self._client = client
        self._path = f"{ADMIN}/{waitlist_id}"
        self._entries = f"/v1/waitlists/{waitlist_id}/entries"
        self._keys: dict[str, str] = {}

    def run(self, *, has_issuer: bool) -> None:
        """Raise Failed or ApiError at the first step that is not as it should be."""
        health = self._client.customer("GET", "/v1/health")
        _expect("both stores answer", health, status="ok", queue="ok", record="ok")
        made = self._client.operator("PUT", self._path, json={"name": "Smoke test"})
        _expect("an operator makes a waitlist", made, open=True)
        try:
            if has_issuer:
                self._a_stranger_is_refused()
            else:
                self._two_people_stand_in_line()
        finally:
            self._client.operator("DELETE", self._path)
        _say("the waitlist is deleted")

    def _a_stranger_is_refused(self) -> None:
        try:
            self._client.customer("POST", self._entries, json={})
        except ApiError as refusal:
            if "401" in str(refusal):
                _say("a stranger without a token is refused")
                return
            raise
        raise Failed("a stranger without a token has signed up: is JwtIssuer deployed?")

    def _two_people_stand_in_line(self) -> None:
        first = self._sign_up("first")
        _expect("the first signs up", first, status="waiting", position=1, total=1)
        _expect("a repeat keeps the place", self._sign_up("first"), position=1, total=1)
        second = self._sign_up("second")
        _expect("the second stands behind", second, position=2, total=2)
        self._client.customer("DELETE", self._entry(first), first["entry_token"])
        _say("the first leaves")
        seen = self._client.customer("GET", self._entry(second), second["entry_token"])
        _expect("the second has moved up", seen, status="waiting", position=1, total=1)
        self._client.operator("DELETE", f"{self._path}/entries/{second['entry_id']}")
        _say("the second is erased")
        stats = self._client.operator("GET", f"{self._path}/stats")
        _expect("nobody waits", stats, waiting=0, signed_up=2)

    def _sign_up(self, customer_id: str) -> Any:
        body = {"customer_id": customer_id}
        once = {"Idempotency-Key": self._keys.setdefault(customer_id, str(uuid.uuid4()))}
        return self._client.customer("POST", self._entries, json=body, headers=once)

    def _entry(self, entry: Any) -> str:
        return f"{self._entries}/{entry['entry_id']}"


def _expect(step: str, answer: Any, **fields: object) -> None:
    got = {name: answer.get(name) for name in fields}
    if got != fields:
        raise Failed(f"{step}: {got}, which should be {fields}")
    _say(step)


def _say(step: str) -> None:
    print(f"✓ {step}", flush=True)


def _stack(cloudformation: Any, name: str) -> tuple[str, bool]:
    """Return where a stack's API is, and whether its customers have an issuer's tokens."""
    (found,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    outputs = {one["OutputKey"]: str(one["OutputValue"]) for one in found.get("Outputs", [])}
    given = {one["ParameterKey"]: one["ParameterValue"] for one in found.get("Parameters", [])}
    if "ApiUrl" not in outputs:
        raise Failed(f"The stack {name} has no output ApiUrl: is it one of this service?")
    return outputs["ApiUrl"], bool(given.get("JwtIssuer"))


def _signed_by(session: Any) -> OperatorAuth:
    credentials = session.get_credentials()
    if credentials is None or session.region_name is None:
        raise Failed("No AWS credentials, or no region: set AWS_PROFILE and AWS_REGION.")
    key = credentials.get_frozen_credentials()
    return OperatorAuth(key.access_key, key.secret_key, key.token, session.region_name)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Tries a stack with one person's story.")
    parser.add_argument("--stack", required=True, help="the CloudFormation stack's name")
    stack = parser.parse_args(arguments).stack
    session: Any = boto3.session.Session()
    try:
        operator = _signed_by(session)
        url, has_issuer = _stack(session.client("cloudformation"), stack)
        with ApiClient(url, operator=operator) as client:
            Smoke(client, f"smoke-{secrets.token_hex(4)}").run(has_issuer=has_issuer)
    except (Failed, ApiError, ClientError, BotoCoreError) as error:
        print(f"{stack} does not work as it should: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
