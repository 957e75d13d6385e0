"""The DynamoDB table in `template.yaml`, for programs that create it without CloudFormation.

Only the template declares the keys and indexes, so a local table cannot differ from a deployed one.
"""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

# libyaml is ten times faster than the loader in pure Python, and every local process reads the
# file.
try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

TEMPLATE_PATH = Path(__file__).resolve().parents[2] / "template.yaml"
TABLE_RESOURCE = "WaitlistTable"


class _CloudFormationLoader(SafeLoader):
    """A YAML loader that reads `!Ref x` as `{"Ref": x}`, and `!Sub x` as `{"Fn::Sub": x}`."""


def _intrinsic(loader: Any, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        raise TypeError(f"unexpected YAML node under !{suffix}: {node!r}")
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_CloudFormationLoader.add_multi_constructor("!", _intrinsic)


@cache
def read_template(path: Path = TEMPLATE_PATH) -> dict[str, Any]:
    """Return the template with the long forms of `!Ref`, `!Sub` and other functions instead of the
    short ones.

    Each process reads the file only once, so copy the result before you change it.
    """
    template = yaml.load(path.read_text(encoding="utf-8"), Loader=_CloudFormationLoader)
    if not isinstance(template, dict):
        raise TypeError(f"{path} is not a CloudFormation template")
    return template


def create_table_request(table_name: str) -> dict[str, Any]:
    """Return the arguments for boto3's `create_table`.

    This call cannot set point-in-time recovery or time to live, which the code does not need.
    """
    table = read_template()["Resources"][TABLE_RESOURCE]["Properties"]
    return {
        "TableName": table_name,
        "BillingMode": table["BillingMode"],
        "AttributeDefinitions": table["AttributeDefinitions"],
        "KeySchema": table["KeySchema"],
        # Leave out the index's throughput, because its values are stack parameters.
        "GlobalSecondaryIndexes": [
            {name: value for name, value in index.items() if name != "WarmThroughput"}
            for index in table["GlobalSecondaryIndexes"]
        ],
        "StreamSpecification": {"StreamEnabled": True, **table["StreamSpecification"]},
        "SSESpecification": {"Enabled": table["SSESpecification"]["SSEEnabled"]},
    }
