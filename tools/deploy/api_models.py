"""Check a stack's values against botocore's models of the API calls that create its resources.

The published schemas of some resource types are less strict than the API. For example, they do not
list DynamoDB's stream view types.
"""

import re
from collections.abc import Iterator
from typing import Any

import botocore.session
from botocore.model import ListShape, Shape, StructureShape

from tools.deploy.stack import Stack

# Resource types whose properties have the same names as the API call's parameters. Other types are
# checked only against the published schemas.
CREATED_BY = {
    "AWS::ApiGatewayV2::Stage": ("apigatewayv2", "CreateStage"),
    "AWS::CloudFront::CachePolicy": ("cloudfront", "CreateCachePolicy"),
    "AWS::CloudFront::Function": ("cloudfront", "CreateFunction"),
    "AWS::CloudFront::Distribution": ("cloudfront", "CreateDistribution"),
    "AWS::CloudWatch::Alarm": ("cloudwatch", "PutMetricAlarm"),
    "AWS::CodeDeploy::Application": ("codedeploy", "CreateApplication"),
    "AWS::CodeDeploy::DeploymentGroup": ("codedeploy", "CreateDeploymentGroup"),
    "AWS::DynamoDB::Table": ("dynamodb", "CreateTable"),
    "AWS::EC2::Subnet": ("ec2", "CreateSubnet"),
    "AWS::EC2::VPC": ("ec2", "CreateVpc"),
    "AWS::ElastiCache::ServerlessCache": ("elasticache", "CreateServerlessCache"),
    "AWS::ElastiCache::User": ("elasticache", "CreateUser"),
    "AWS::ElastiCache::UserGroup": ("elasticache", "CreateUserGroup"),
    "AWS::Events::EventBus": ("events", "CreateEventBus"),
    "AWS::Events::Rule": ("events", "PutRule"),
    "AWS::IAM::Role": ("iam", "CreateRole"),
    "AWS::KMS::Key": ("kms", "CreateKey"),
    "AWS::Lambda::Alias": ("lambda", "CreateAlias"),
    "AWS::Lambda::EventInvokeConfig": ("lambda", "PutFunctionEventInvokeConfig"),
    "AWS::Lambda::Function": ("lambda", "CreateFunction"),
    "AWS::Lambda::LayerVersion": ("lambda", "PublishLayerVersion"),
    "AWS::Lambda::Permission": ("lambda", "AddPermission"),
    "AWS::Logs::LogGroup": ("logs", "CreateLogGroup"),
    "AWS::SecretsManager::Secret": ("secretsmanager", "CreateSecret"),
}


def against_api_models(stack: Stack) -> Iterator[str]:
    session = botocore.session.get_session()
    for logical_id, resource in stack.resources.items():
        if resource["Type"] in CREATED_BY:
            service, operation = CREATED_BY[resource["Type"]]
            model = session.get_service_model(service).operation_model(operation)
            if model.input_shape:
                yield from _refused(model.input_shape, resource.get("Properties", {}), logical_id)


def _refused(shape: Shape, value: Any, path: str) -> Iterator[str]:
    match shape, value:
        case StructureShape(), dict():
            # Ignore case when comparing names, because some services begin their parameters with a
            # lower-case letter.
            members = {name.lower(): member for name, member in shape.members.items()}
            for name, inner in value.items():
                if name.lower() in members:
                    yield from _refused(members[name.lower()], inner, f"{path}/{name}")
        case ListShape(), list():
            for inner in value:
                yield from _refused(shape.member, inner, path)
        case Shape(), str():
            limits = shape.metadata
            if "enum" in limits and value not in limits["enum"]:
                yield f"{path}: {value!r} is not one of {', '.join(limits['enum'])}"
            if len(value) > limits.get("max", len(value)):
                yield f"{path}: {len(value)} characters, but AWS allows {limits['max']}"
            if "pattern" in limits and not _fits(limits["pattern"], value):
                yield f"{path}: {value!r} does not match {limits['pattern']}"


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        # If Python cannot compile the pattern, for example because it contains Java's `\p{L}`,
        # accept every value.
        return True
