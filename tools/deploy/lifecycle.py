"""Simulates how CloudFormation creates, updates and deletes a stack, without creating any
resources.

The simulation finds the order of the steps, names that are already in use, replaced resources, and
resources that a deletion leaves behind.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tools.deploy.stack import NAMED_BY, Resource, Stack

REGION = "us-east-1"
# Resource types whose replacement would lose data, keys or addresses.
STATEFUL = {
    "AWS::ApiGatewayV2::Api",
    "AWS::DynamoDB::Table",
    "AWS::ElastiCache::ServerlessCache",
    "AWS::Events::EventBus",
    "AWS::KMS::Key",
    "AWS::Logs::LogGroup",
    "AWS::SecretsManager::Secret",
}


class Refused(Exception):
    """CloudFormation would refuse the template or the change. The message says why."""


def schema(resource_type: str) -> dict[str, Any]:
    # Import cfn-lint only when it is needed, because the import takes half a second.
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    found: dict[str, Any] = PROVIDER_SCHEMA_MANAGER.get_resource_schema(
        REGION, resource_type
    ).schema
    return found


def references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            match key:
                case "Ref":
                    yield inner
                case "Fn::GetAtt":
                    yield inner[0] if isinstance(inner, list) else inner.split(".")[0]
                case "Fn::Sub":
                    text, values = inner if isinstance(inner, list) else (inner, {})
                    for part in text.split("${")[1:]:
                        name = part.split("}")[0].split(".")[0]
                        if name not in values and not name.startswith("!"):
                            yield name
                    yield from references(values)
                case _:
                    yield from references(inner)


def waits_for(made: Mapping[str, Resource], logical_id: str) -> set[str]:
    """Return the resources that CloudFormation must create before the given one, which refers to
    them or names them in `DependsOn`.

    References in an `UpdatePolicy` count too, although CloudFormation uses this policy only for
    updates.
    """
    resource = made[logical_id]
    depends_on = resource.get("DependsOn", [])
    named = {depends_on} if isinstance(depends_on, str) else set(depends_on)
    used = [resource.get("Properties", {}), resource.get("UpdatePolicy", {})]
    return (named | set(references(used))) & made.keys()


def order(made: Mapping[str, Resource]) -> list[str]:
    """Return an order in which CloudFormation can create the resources.

    Raise Refused if their dependencies form a circle.
    """
    graph = {logical_id: waits_for(made, logical_id) for logical_id in made}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        # graphlib yields each resource before the resources that depend on it.
        raise Refused(f"circular dependency: {' -> '.join(reversed(error.args[1]))}") from error


def comes_before(made: Mapping[str, Resource], earlier: str, later: str) -> bool:
    """Return whether CloudFormation always finishes `earlier` before it starts on `later`."""
    reached: set[str] = set()
    ahead = [later]
    while ahead:
        for needed in waits_for(made, ahead.pop()) - reached:
            reached.add(needed)
            ahead.append(needed)
    return earlier in reached


def replaced(old: Stack, new: Stack) -> list[str]:
    """Return the resources that an update replaces.

    A resource is replaced if the update changes a property that can be set only when the resource
    is created, or if such a property refers to a replaced resource.
    """
    found: list[str] = []
    for logical_id in order(new.made):
        if logical_id not in old.made:
            continue
        before, after = old.resources[logical_id], new.resources[logical_id]
        if any(
            _at(before["Properties"], path) != _at(after["Properties"], path)
            or set(references(_at(new.made[logical_id].get("Properties", {}), path))) & set(found)
            for path in _create_only(after["Type"])
        ):
            found.append(logical_id)
    return found


def refusals_of_update(old: Stack, new: Stack) -> list[str]:
    """Return the reasons why an update would fail or lose data."""
    found = []
    for logical_id in replaced(old, new):
        resource = new.resources[logical_id]
        if resource["Type"] in STATEFUL:
            found.append(f"{logical_id} is replaced, which loses its content")
        elif _own_name(old, logical_id) and _own_name(old, logical_id) == _own_name(
            new, logical_id
        ):
            found.append(f"{logical_id} is replaced, but the old resource still has its name")
    return found


@dataclass
class Account:
    """The names of an account's existing resources, by resource type."""

    taken: set[tuple[str, str]] = field(default_factory=set)

    def create(self, stack: Stack, fails_at: str = "") -> list[str]:
        """Create a stack and return the resources that remain.

        `fails_at` is the logical id of a resource that cannot be created, which causes the others
        to be deleted. Raise Refused if a name is in use.
        """
        made: list[str] = []
        for logical_id in order(stack.made):
            if logical_id == fails_at:
                return self._delete(stack, made, is_rollback=True)
            self._take(stack, logical_id)
            made.append(logical_id)
        return made

    def delete(self, stack: Stack) -> list[str]:
        return self._delete(stack, order(stack.made), is_rollback=False)

    def _take(self, stack: Stack, logical_id: str) -> None:
        name = _own_name(stack, logical_id)
        if not name:
            return
        if name in self.taken:
            raise Refused(f"{logical_id}: the name {name[1]} is taken")
        self.taken.add(name)

    def _delete(self, stack: Stack, made: list[str], *, is_rollback: bool) -> list[str]:
        kept = []
        for logical_id in reversed(made):
            resource = stack.resources[logical_id]
            policy = resource.get("DeletionPolicy", "Delete")
            # SAM gives function versions the `Retain` deletion policy, but AWS deletes all versions
            # of a function together with the function.
            if resource["Type"] == "AWS::Lambda::Version":
                continue
            if policy == "Retain" or (policy == "RetainExceptOnCreate" and not is_rollback):
                kept.append(logical_id)
            else:
                self.taken.discard(_own_name(stack, logical_id) or ("", ""))
        return kept


def _own_name(stack: Stack, logical_id: str) -> tuple[str, str] | None:
    """Return a resource's type and name, or None if CloudFormation chooses the name."""
    resource = stack.resources[logical_id]
    last_word = resource["Type"].split("::")[-1]
    properties = resource.get("Properties", {})
    name = properties.get(NAMED_BY.get(resource["Type"], f"{last_word}Name"))
    if resource["Type"] == "AWS::CloudFront::CachePolicy":
        name = properties["CachePolicyConfig"]["Name"]
    # The names of layer versions, function versions and aliases cannot conflict with existing
    # resources.
    if name is None or resource["Type"] == "AWS::Lambda::LayerVersion":
        return None
    return resource["Type"], str(name)


def _create_only(resource_type: str) -> list[list[str]]:
    found = schema(resource_type)
    paths = [
        *found.get("createOnlyProperties", []),
        *found.get("conditionalCreateOnlyProperties", []),
    ]
    return [path.removeprefix("/properties/").split("/") for path in paths]


def _at(properties: Any, path: list[str]) -> Any:
    for key in path:
        properties = properties.get(key) if isinstance(properties, dict) else None
    return properties
