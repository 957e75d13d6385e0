"""What the checks before a deployment ask of an account, and what they find."""

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
    """`mark` is one of STOPS, WARNS, UNKNOWN and GOOD; `commands` are what to run next."""

    mark: str
    text: str
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n    ".join((f"{self.mark} {self.text}", *self.commands))


Findings = Iterator[Finding]
Fetch = Callable[[str], bytes]


@dataclass(frozen=True)
class Account:
    """One account in one region, and what it has of the stack that is to be deployed."""

    session: Any
    settings: Settings
    identity: Mapping[str, str]
    planned: Stack
    fetch: Fetch
    _clients: dict[tuple[str, str | None], Any] = field(default_factory=dict)

    def client(self, service: str, region: str | None = None) -> Any:
        """Return a client of a service, in the stack's region or in another."""
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
        """The stack as it is now; None if it is still to be created."""
        found = self.stack(self.settings.stack)
        # SAM leaves such a stack when a change set was refused, and then creates it.
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
        """Return AWS' name of a resource of the stack, None if the stack has none."""
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
        """Return the value that a parameter has in the stack as it is now; empty without one."""
        now = (self.deployed or {}).get("Parameters", [])
        found = {one["ParameterKey"]: one["ParameterValue"] for one in now}
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
