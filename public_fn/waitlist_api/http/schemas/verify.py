"""Request bodies with a customer's address, or with the code that verifies it."""

from typing import Annotated

from pydantic import Field

from waitlist_api.auth.credentials import CODE
from waitlist_api.http.schemas.common import Body


class AddressBody(Body):
    """The address that identifies a customer, if the waitlist has the `identity` setting."""

    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class VerifyBody(Body):
    """The code from the verification link that was sent to the customer's address."""

    code: Annotated[
        str, Field(pattern=f"^{CODE.pattern}$", description="The part of the link after `#v=`.")
    ]
