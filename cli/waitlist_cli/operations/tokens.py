"""Issues entry tokens and links, and marks addresses as verified."""

from waitlist_cli.operations.action import ENTRY, REASON, Field, PersonAction

TOKEN = PersonAction(
    name="token",
    summary="Issue an entry token for a person, such as a guest who has lost the token.",
    title="Issue an entry token for {who}",
    consequence="Anyone who has the token can act as the customer. Earlier tokens stay valid.",
    button="Issue",
    label="Token",
    fields=(),
    path=f"{ENTRY}/token",
    example="waitlist token bakery --customer ada",
    is_daily=False,
    notice="The entry token, which is a secret:",
    reveals="entry_token",
)
LINK = PersonAction(
    name="link",
    summary="Print a link to one person's customer page. If the person has asked to change their "
    "address, --json also prints a link that verifies the new address. Send this second link only "
    "to the new address.",
    title="Get the link for {who}",
    consequence="Anyone who has the link can act as the customer, so send it only to the address "
    "in the profile. If the address is not verified yet, the customer can verify it with the link.",
    button="Get",
    label="Link",
    fields=(),
    path=f"{ENTRY}/link",
    example="waitlist link bakery --customer ada",
    is_daily=False,
    notice="The link, which is a secret:",
    reveals="url",
)
VERIFY = PersonAction(
    name="verify",
    summary="Mark a person's address as verified.",
    title="Mark {who} verified?",
    consequence="Do this only if you know that the address belongs to the person. The person can "
    "then be offered a slot, called or admitted.",
    button="Mark verified",
    path=f"{ENTRY}/verify",
    example="waitlist verify bakery --customer ada --reason passport",
    is_possible=lambda person: "unverified" in (person["not_ready"] or ()),
    # The request contains the time of the signup, so that a delayed request cannot verify a later
    # signup by the same person.
    fields=(Field("joined_at", "Joined at", "seen"), REASON),
    notice="The address of {who} is verified.",
)
