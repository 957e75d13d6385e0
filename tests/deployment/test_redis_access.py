"""Tests that docs/operate/policies/redis-user.acl allows exactly the Redis commands that the
service uses.
"""

import re
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import named
from tests.rules.lua import SOURCES
from tests.rules.sources import ROOT
from tests.support.redis_access import ACCESS
from waitlist_queue import keys

CALLED = re.compile(r"\bredis\.p?call\(\s*([^,)]*)")
# The commands that the Redis client sends by itself. For example, it sends EVAL the first time a
# script runs on a server.
OF_CLIENT = {"asking", "auth", "cluster|slots", "command", "eval", "evalsha", "info", "ping"}
# Commands that only the previous release's scripts use. These scripts still run during a
# deployment.
OF_THE_LAST_RELEASE: set[str] = set()


def find_commands(code: str) -> set[str]:
    """A Lua script may choose at run time which command it sends. This function returns all
    possible commands.
    """
    found: set[str] = set()
    for first in CALLED.findall(code):
        words = re.findall(r"'([A-Z]+)'", first)
        assert words, f"a command that is no constant: {first}"
        found.update(word.lower() for word in words)
    return found


def find_script_commands() -> set[str]:
    return {command for source in SOURCES.values() for command in find_commands(source.code)}


def test_all_calls_of_redis_commands_in_scripts_are_found() -> None:
    calls = sum(len(re.findall(r"\bredis\b", source.code)) for source in SOURCES.values())
    assert calls == sum(len(CALLED.findall(source.code)) for source in SOURCES.values()) > 100
    assert {"zpopmin", "zpopmax"} <= find_script_commands()


def test_the_user_may_run_exactly_the_commands_of_scripts_and_client() -> None:
    _on, _channels, _keys, nothing, *granted = ACCESS.split()
    assert nothing == "-@all"
    assert all(re.fullmatch(r"\+[a-z|]+", rule) for rule in granted)
    commands = [rule.removeprefix("+") for rule in granted]
    assert len(set(commands)) == len(commands)
    assert not OF_THE_LAST_RELEASE & find_script_commands()
    assert set(commands) == OF_CLIENT | find_script_commands() | OF_THE_LAST_RELEASE


def test_the_user_may_access_only_the_keys_of_waitlists_and_no_channels() -> None:
    """The Redis user may access only the keys of waitlists and may not use publish/subscribe,
    because the Redis server may contain other services' keys (promise P8).
    """
    on, channels, pattern, *_ = ACCESS.split()
    assert (on, channels, pattern) == ("on", "resetchannels", "~wl:*")
    made = [make("cinema") for make in keys.OF_WAITLIST.values()]
    made += [keys.moves("cinema", "a" * 26), keys.once("cinema", "claim", "0" * 32)]
    assert all(key.startswith("wl:") for key in made)


def test_the_stack_creates_this_user_with_a_login_by_iam() -> None:
    ((name, user),) = named("AWS::ElastiCache::User").items()
    assert user["AccessString"] == ACCESS.replace(" +asking", ""), "serverless caches lack ASKING"
    assert user["AuthenticationMode"] == {"Type": "iam"}
    assert user["UserId"] == user["UserName"], "ElastiCache requires this of an IAM user"
    assert name == "RedisUser"


def test_only_this_user_may_log_in_to_the_cache_of_the_stack() -> None:
    """Without a user group, every client in the network could log in to the stack's cache without a
    password (promise P8).
    """
    cache = named("AWS::ElastiCache::ServerlessCache")["Redis"]
    assert cache["UserGroupId"] == {"Ref": "RedisUserGroup"}
    group = named("AWS::ElastiCache::UserGroup")["RedisUserGroup"]
    assert group["UserIds"] == [{"Ref": "RedisUser"}]
    engines = {
        one["Engine"] for one in (cache, group, named("AWS::ElastiCache::User")["RedisUser"])
    }
    assert engines == {"valkey"}, "a group for Redis OSS must have a default user"


EXISTING = {
    "ExistingVpcId": "vpc-0a1b2c3d",
    "ExistingRedisUrl": "rediss://redis.example.com:6379",
}
WITH_USER = {
    **EXISTING,
    "ExistingRedisIamUser": "waitlist",
    "ExistingRedisCacheArn": "arn:aws:elasticache:eu-west-1:123456789012:replicationgroup:orders",
}
OWN = [{"Ref": "RedisUser"}, {"Fn::GetAtt": ["Redis", "ARN"]}]
GIVEN = [{"Ref": "ExistingRedisIamUser"}, {"Ref": "ExistingRedisCacheArn"}]
USER_ARN = "arn:${AWS::Partition}:elasticache:${AWS::Region}:${AWS::AccountId}:user:"


@pytest.mark.parametrize(
    ("parameters", "user", "connects"),
    [
        ({}, OWN, [OWN[1], {"Fn::GetAtt": ["RedisUser", "Arn"]}]),
        (WITH_USER, GIVEN, [GIVEN[1], {"Fn::Sub": USER_ARN + "${ExistingRedisIamUser}"}]),
        (EXISTING, GIVEN, []),  # Both values are empty here.
    ],
)
def test_the_function_may_only_connect_to_its_cache_as_its_user(
    parameters: dict[str, str], user: list[Any], connects: list[Any]
) -> None:
    stack = deployed(parameters)
    variables = stack["PrivateFn"]["Properties"]["Environment"]["Variables"]
    assert [variables["REDIS_IAM_USER"], variables["REDIS_IAM_CACHE_ARN"]] == user
    connecting = [
        resource
        for policy in stack["PrivateFnRole"]["Properties"]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Action"] == "elasticache:Connect"
        for resource in statement["Resource"]
    ]
    assert connecting == connects


def test_the_document_contains_the_command_that_creates_the_user() -> None:
    text = (ROOT / "docs" / "operate" / "redis-access.md").read_text("utf-8")
    assert "ACL SETUSER waitlist '>PASSWORD' $(cat docs/operate/policies/redis-user.acl)" in text
    for name in ("ExistingRedisIamUser", "ExistingRedisCacheArn", "ExistingRedisUrl"):
        assert name in text
