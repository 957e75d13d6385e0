"""Tests that only the private function can reach Redis over the network, and that it can reach
nothing else.
"""

from tests.deployment.template import RESOURCES, functions, named


def test_the_network_has_no_way_out() -> None:
    types = {resource["Type"] for resource in RESOURCES.values()}
    ways_out = {
        "NatGateway",
        "InternetGateway",
        "EgressOnlyInternetGateway",
        "Route",
        "VPCEndpoint",
    }
    assert not types & {f"AWS::EC2::{way}" for way in ways_out}


def test_only_the_private_function_reaches_redis() -> None:
    private_group = [
        "MakesPrivateFnSecurityGroup",
        {"Fn::GetAtt": ["PrivateFnSecurityGroup", "GroupId"]},
        {"Ref": "ExistingSecurityGroupId"},
    ]
    assert functions()["PrivateFn"]["VpcConfig"]["SecurityGroupIds"] == [{"Fn::If": private_group}]

    redis_group = {"Fn::GetAtt": ["RedisSecurityGroup", "GroupId"]}
    assert named("AWS::ElastiCache::ServerlessCache")["Redis"]["SecurityGroupIds"] == [redis_group]
    rules = named("AWS::EC2::SecurityGroupIngress")
    assert set(rules) == {"RedisIngress"}
    assert rules["RedisIngress"]["GroupId"] == redis_group
    assert rules["RedisIngress"]["SourceSecurityGroupId"] == {"Fn::If": private_group}
    assert (rules["RedisIngress"]["FromPort"], rules["RedisIngress"]["ToPort"]) == (6379, 6380)
    # GitHub's role may change a security group only once the group has its tags. That is why
    # ingress rules are resources of their own, which CloudFormation creates after the group.
    for group in named("AWS::EC2::SecurityGroup").values():
        assert "SecurityGroupIngress" not in group


def test_the_private_function_reaches_nothing_but_redis() -> None:
    (rule,) = named("AWS::EC2::SecurityGroup")["PrivateFnSecurityGroup"]["SecurityGroupEgress"]
    assert rule["DestinationSecurityGroupId"] == {"Fn::GetAtt": ["RedisSecurityGroup", "GroupId"]}
    assert (rule["FromPort"], rule["ToPort"]) == (6379, 6380)
    assert "CidrIp" not in rule


def test_redis_reaches_nothing() -> None:
    (rule,) = named("AWS::EC2::SecurityGroup")["RedisSecurityGroup"]["SecurityGroupEgress"]
    assert rule["CidrIp"] == "127.0.0.1/32"


def test_the_cache_of_the_stack_is_a_cluster_without_a_reliable_run_id() -> None:
    """The stack's cache may report a different `run_id` on each connection, so the function must
    not treat a new `run_id` as a loss of data (promise P7).
    """
    variables = functions()["PrivateFn"]["Environment"]["Variables"]
    assert variables["REDIS_CLUSTER"]["Fn::If"][:2] == ["MakesRedis", "true"]
    assert variables["REDIS_HAS_RUN_IDS"]["Fn::If"][:2] == ["MakesRedis", "false"]
