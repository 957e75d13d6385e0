"""The request that the process is handling."""

from typing import Any

from waitlist_api.auth.credentials import identify_operator
from waitlist_api.http.edge import edge_url_of


class Request:
    """The request that this process is handling.

    A process handles one request at a time, and each new request replaces `event`.
    """

    event: dict[str, Any]

    @property
    def operator(self) -> str:
        """The ARN of the operator who sent the request."""
        return identify_operator(self.event)

    @property
    def base_url(self) -> str:
        """The URL of CloudFront, or of the API if the stack has no CloudFront."""
        # API Gateway adds the URLs of CloudFront and of the API to the Lambda event. Use only these
        # URLs, because a client could forge the host name in its request headers.
        return edge_url_of(self.event) or f"https://{self.event['requestContext']['domainName']}"

    def header(self, name: str) -> str:
        """Return the value of a header, or an empty string if it is missing.

        `name` must be in lower case.
        """
        return str(self.event["headers"].get(name, ""))
