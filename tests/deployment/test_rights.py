"""Tests that each role allows exactly the AWS calls that its users make, in every stack, with and
without a permissions boundary.

`make lint-templates` runs these tests.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.rules.sources import ROOT
from tests.service.bus.scene import Scene
from tests.service.bus.stories import STORIES
from tests.service.messages.stage import staged
from tests.service.messages.stand_ins import SENT, error
from tests.service.webhooks.receiving import SECRET as WEBHOOK_SECRET
from tests.service.webhooks.receiving import Stage, standing, status
from tests.support.dynamodb import TABLE
from tests.support.gateway import Context, event
from tests.support.people import WAITLIST_ID
from tests.support.rights import (
    BOT_CHECK_ARN,
    BUS,
    EDGE_KEY_ARN,
    MADE,
    SECRET_ARN,
    WEBHOOK_SECRET_ARN,
    NotAllowed,
    forget_calls,
    guarded,
)
from tests.support.world import SECRET
from tools.deploy.iam import Call
from tools.deploy.lint import Set, sets
from tools.deploy.rights import NETWORK_ACTIONS, OF_CODE, Need, Roles, Use, needs
from tools.deploy.stack import Stack, make
from tools.local.dynamodb.memory_table import MemoryTable
from tools.local.table import read_template
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.secret import secret_reader
from waitlist_api.events.forward import Forwarder
from waitlist_api.handlers import public
from waitlist_api.http.routes.guests import Routes
from waitlist_api.maintenance.rebuild import STOP_MILLIS
from waitlist_api.webhooks.signatures import Signatures

GITHUB = read_template(ROOT / "docs" / "operate" / "policies" / "github-oidc-role.yaml")
NAMES_OF_STACKS = GITHUB["Parameters"]["StackName"]["AllowedPattern"]


@pytest.fixture(scope="module")
def made_calls() -> frozenset[Use]:
    forget_calls()
    for story in STORIES:
        story.happen(Scene())
    rebuild_without_time()
    start_with_a_secret()
    send_a_webhook_in_vain()
    send_messages()
    put_events_on_the_bus()
    return frozenset(MADE)


def rebuild_without_time() -> None:
    """Start a rebuild that runs out of time, so that maintenance starts its next run by itself."""
    scene = Scene()
    scene.people.all_sign_up("ada")
    scene.redis.flushall()
    scene.world.maintenance.run_one(WAITLIST_ID, lambda: STOP_MILLIS - 1)


class Secrets:
    def get_secret_value(self, SecretId: str) -> dict[str, str]:  # noqa: N803
        return {"SecretString": SECRET}


def start_with_a_secret() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TABLE_NAME", "table")
        patch.setenv("PRIVATE_FUNCTION_NAME", "private")
        patch.setenv("ENTRY_TOKEN_SECRET_ARN", SECRET_ARN)
        patch.setenv("EDGE_KEY_ARNS", EDGE_KEY_ARN)
        patch.setenv("BOT_CHECK", "turnstile")
        patch.setenv("BOT_CHECK_SECRET_ARN", BOT_CHECK_ARN)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("LOG_LEVEL", "CRITICAL")
        patch.setattr(public, "secrets_client", lambda _: guarded("PublicFn", Secrets()))
        public.lambda_handler(event("GET", "/v1/unknown", {}, None), Context())
        check = public.api()._services.get(Routes).bot_check
        assert check is not None
        assert check._read_secret() == SECRET
        public.api.cache_clear()
        public.request_log.cache_clear()


def send_a_webhook_in_vain() -> None:
    with standing() as stand, pytest.MonkeyPatch.context() as patch:
        stage = Stage(stand, patch)
        stand.always = status(429, retry_after="1")
        stage.scene.people.all_sign_up("ada")
        stage.announce()
        stage.run()
        stage.run_for(86_400 + 7200)
        body = {"since": "2026-01-01T00:00:00Z"}
        path = "/v1/admin/webhook/replay"
        assert stage.scene.world.request("POST", path, body=body, operator=True).json["replayed"]
    Signatures(secret_reader(WEBHOOK_SECRET_ARN, guarded("WebhookFn", WebhookSecrets())))


def send_messages() -> None:
    with pytest.MonkeyPatch.context() as patch, staged(patch) as stage:
        stage.joins("ada")
        stage.joins("bob", phone="+49 1512 3456789")
        news = stage.news()
        stage.stand_ins.failing = lambda _: error(429, "TooManyRequestsException")
        assert stage.send(*news) == [0, 1]
        stage.stand_ins.failing = lambda _: SENT
        assert stage.send(*news) == []
        assert (len(stage.stand_ins.mails), len(stage.stand_ins.texts)) == (1, 1)
        assert stage.send(stage.bounce("ada")) == []
        path = f"/v1/admin/waitlists/{WAITLIST_ID}/messages/test"
        body = {"kind": "offered", "email": "ada@example.com"}
        assert stage.world.request("POST", path, body=body, operator=True).status == 200
    EntryTokens(secret_reader(SECRET_ARN, guarded("MessagesFn", Secrets()))).issue(
        WAITLIST_ID, "a" * 26, 1
    )


class Bus:
    def put_events(self, Entries: list[object]) -> dict[str, Any]:  # noqa: N803
        return {"Entries": [{} for _ in Entries]}


def put_events_on_the_bus() -> None:
    scene = Scene()
    scene.people.all_sign_up("ada")
    records = [
        {**one, "dynamodb": {**one["dynamodb"], "SequenceNumber": "1"}}
        for one in scene.table.records
    ]
    assert (
        Forwarder(guarded("EventsFn", Bus()), BUS, "waitlist", lambda: 0).forward(records) is None
    )


class WebhookSecrets:
    def get_secret_value(self, SecretId: str) -> dict[str, str]:  # noqa: N803
        return {"SecretString": WEBHOOK_SECRET}


@cache
def make_all_roles() -> list[tuple[Set, Roles]]:
    return [
        (one, Roles(stack, bounds))
        for one in sets()
        for stack in [make(one.parameters, one.name, one.region)]
        for bounds in [None, *bounded_stacks(one)]
    ]


def bounded_stacks(one: Set) -> Iterator[Stack]:
    if re.fullmatch(NAMES_OF_STACKS, one.name):
        given = {"Repository": "octo/waitlist", "Environment": "prod", "StackName": one.name}
        yield make(given, "github", one.region, GITHUB)


def test_a_role_allows_all_calls_that_are_made_with_it(made_calls: frozenset[Use]) -> None:
    """P5"""
    denied = {
        f"{need} ({one.label}{', bounded' if roles.boundary else ''})"
        for one, roles in make_all_roles()
        for need in needs(roles.stack, made_calls)
        if not roles.allow(need)
    }
    assert sorted(denied) == []


def test_a_role_has_no_permission_that_is_not_needed(made_calls: frozenset[Use]) -> None:
    """Removing any permission from a role, a key or a boundary makes AWS deny a call that the
    service makes (promise P5).
    """
    rights: set[str] = set()
    needed: set[str] = set()
    for _, roles in make_all_roles():
        asked = needs(roles.stack, made_calls)
        for name, right in roles.rights():
            rights.add(name)
            if name not in needed and not roles.is_idle(right, asked):
                needed.add(name)
    assert sorted(rights - needed) == []


def test_the_code_of_the_function_may_not_change_the_network() -> None:
    """The private function's role lets Lambda connect the function to the network. The function's
    own code may not use these permissions (promise P5).
    """
    for _, roles in make_all_roles():
        code = {OF_CODE: roles.stack.attribute("PrivateFn", "Arn")}
        for action in NETWORK_ACTIONS:
            assert roles.allow(Need("PrivateFnRole", Call(action, "*")))
            assert not roles.allow(Need("PrivateFnRole", Call(action, "*", code)))


def test_only_the_public_function_may_sign_passes() -> None:
    """No other role in the stack can sign admission passes, and the account's IAM policies cannot
    give anybody this permission (promise P5).
    """
    for _, roles in make_all_roles():
        for key, rules in roles.keys.items():
            for role in roles.own:
                signs = roles.allow(Need(role, Call("kms:Sign", key)))
                assert signs == (role == "PublicFnRole"), role
            granting = [rule for rule in rules if rule.covers(Call("kms:CreateGrant", key))]
            assert granting == []


def test_a_boundary_denies_the_keys_and_the_secret_of_another_stack(
    made_calls: frozenset[Use],
) -> None:
    """The names of keys and secrets do not contain their stack's name, so the permissions boundary
    compares tags instead (promise P5).
    """
    (mine,) = [one for one in sets() if one.label == "defaults"]
    another = make(mine.parameters, "another", mine.region)
    unbounded, bounded = Roles(another), Roles(another, *bounded_stacks(mine))
    tagged = [
        need
        for need in needs(another, made_calls)
        if need.call.action.startswith(("kms:", "secretsmanager:"))
    ]
    assert len(tagged) == 3
    for need in tagged:
        assert unbounded.allow(need), need
        assert not bounded.allow(need), need


def test_the_guard_fails_a_test_whose_call_the_role_does_not_allow() -> None:
    client = guarded("MaintenanceFn", MemoryTable())
    for method, arguments, reason in (
        ("query", {"TableName": TABLE, "IndexName": "another"}, "lacks dynamodb:Query"),
        ("get_item", {"TableName": "another"}, "no variable names"),
        ("scan", {"TableName": TABLE}, "unknown actions"),
    ):
        with pytest.raises(NotAllowed, match=reason):
            getattr(client, method)(**arguments)
