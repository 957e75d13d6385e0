"""The AWS account into which a stack will be deployed, and what the checks find in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from botocore.exceptions import ClientError

from tools.deploy.samconfig import Settings
from tools.deploy.stack import Stack
from tools.local.table import read_template

STOPS, WARNS, UNKNOWN, GOOD = "✗", "!", "?", "✓"
NO_SUCH = {
    "NoSuchEntity",
    "NoSuchResourceException",
    "ResourceNotFoundException",
    "ResourceNotFound",
    "NotFoundException",
    "NotFound",
    "WAFNonexistentItemException",
}
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError"}


@dataclass(frozen=True)
class Finding:
    """What a check has found.

    `mark` is STOPS, WARNS, UNKNOWN or GOOD, and `commands` contains the commands to run next.
    """

    mark: str
    text: str
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n    ".join((f"{self.mark} {self.text}", *self.commands))


Findings = Iterator[Finding]
Fetch = Callable[[str], bytes]


@dataclass(frozen=True)
class Account:
    """An AWS account in one region. It may already contain some of the planned stack's
    resources.
    """

    session: Any
    settings: Settings
    identity: Mapping[str, str]
    planned: Stack
    fetch: Fetch
    _clients: dict[tuple[str, str | None], Any] = field(default_factory=dict)

    def client(self, service: str, region: str | None = None) -> Any:
        key = (service, region)
        if key not in self._clients:
            self._clients[key] = self.session.client(service, region_name=region or self.region)
        return self._clients[key]

    @property
    def region(self) -> str:
        return str(self.session.region_name)

    @property
    def id(self) -> str:
        return self.identity["Account"]

    @property
    def partition(self) -> str:
        return self.identity["Arn"].split(":")[1]

    def parameter(self, name: str) -> str:
        default = read_template()["Parameters"][name].get("Default", "")
        return str(self.settings.parameters.get(name, default))

    @cached_property
    def deployed(self) -> dict[str, Any] | None:
        found = self.stack(self.settings.stack)
        # SAM leaves a stack in this state if AWS has refused its first change set. The next
        # deployment then creates the stack.
        return None if found and found["StackStatus"] == "REVIEW_IN_PROGRESS" else found

    def stack(self, name: str) -> dict[str, Any] | None:
        try:
            (found,) = self.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return dict(found)

    def own(self, logical_id: str) -> str | None:
        """Return a resource's name in AWS, or None if the deployed stack lacks the resource."""
        if self.deployed is None:
            return None
        try:
            found = self.client("cloudformation").describe_stack_resource(
                StackName=self.settings.stack, LogicalResourceId=logical_id
            )
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return str(found["StackResourceDetail"].get("PhysicalResourceId"))

    def was(self, parameter: str) -> str:
        """Return a parameter's value in the deployed stack, or "" if there is no value."""
        now = (self.deployed or {}).get("Parameters", [])
        found = {item["ParameterKey"]: item["ParameterValue"] for item in now}
        return str(found.get(parameter, ""))

    def increase(self, service: str, quota: str, value: int) -> str:
        return (
            f"aws service-quotas request-service-quota-increase --region {self.session.region_name}"
            f" --service-code {service} --quota-code {quota} --desired-value {value}"
        )


def exists(call: Callable[..., Any], **arguments: str) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        if code_of(error) in NO_SUCH:
            return False
        raise
    return True


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
