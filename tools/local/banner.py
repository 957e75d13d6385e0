"""The text that `make run` prints when the service is ready: addresses, and commands to try."""

from dataclasses import dataclass

from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.functions import TABLE_NAME
from tools.local.mailbox import PATH as MAILBOX_PATH
from tools.local.settings import DEFAULT_PORT, without_password
from tools.local.signature import SERVICE
from waitlist_shared.ids import entry_id_of

WAITLIST_ID = "bakery"
# A placeholder that the user replaces with a token. Only the issuer of JWT_JWKS can sign a valid
# token.
FOREIGN_TOKEN = "TOKEN"
CUSTOMER_ID = "ada"
SIGNED = f"--aws-sigv4 aws:amz:{REGION}:{SERVICE} --user {ACCESS_KEY}:{SECRET_KEY}"
JSON = "-H 'Content-Type: application/json'"
SIGNUP_KEY = "6f1ed002-ab54-4a55-8b9c-5ab4d7a9c3f1"
LOST = "  Data      in memory and lost at Ctrl-C. To keep it, run KEEP=folder make run"
# A shell command that shows the response to a signup on stderr, and writes the entry token to
# stdout.
KEEP_TOKEN = """tee /dev/stderr | sed 's/.*"entry_token": *"\\([^"]*\\)".*/\\1/'"""


@dataclass(frozen=True)
class Addresses:
    """The addresses in the printed text.

    If the printed commands need a customer's token, it is in `token`. If `is_kept` is true, the
    service keeps its data when it stops.
    """

    port: int
    url: str
    redis_url: str
    dynamodb_url: str
    token: str | None = None
    is_kept: bool = False


def banner(addresses: Addresses, ready_seconds: float) -> str:
    """Return the text that `make run` prints when the service is ready.

    Scripts wait for its first line, so this line must keep its form.
    """
    port = "" if addresses.port == DEFAULT_PORT else f"PORT={addresses.port} "
    return "\n".join(
        [
            f"Ready in {ready_seconds:.1f} s: {addresses.url}",
            "",
            f"  Start     {addresses.url}/, which shows the waitlists and further links",
            f"  API       {addresses.url}/v1",
            f"  Docs      {addresses.url}/docs",
            f"  Page      {addresses.url}/w/{WAITLIST_ID}, after step 1 has created the waitlist",
            f"  Mailbox   {addresses.url}{MAILBOX_PATH}, with all messages and webhooks",
            f"  Redis     {without_password(addresses.redis_url)}",
            f"  DynamoDB  {without_password(addresses.dynamodb_url)}, table {TABLE_NAME}",
            f"  Operator  key {ACCESS_KEY}, secret {SECRET_KEY}, region {REGION}, "
            f"service {SERVICE}",
            *([] if addresses.is_kept else [LOST]),
            "",
            *first_steps(addresses.url, addresses.token),
            f"Sign up 2,000 people: {port}make demo",
            "",
            "Next, in a browser and in a second terminal:",
            f"  {addresses.url}/",
            "      shows the waitlists, their pages and further links.",
            f"  {port}.venv/bin/waitlist --local console",
            "      opens the console, in which operators create and run waitlists.",
            "Stop: Ctrl-C",
        ]
    )


def first_steps(url: str, token: str | None) -> list[str]:
    """If the local service does not sign the tokens, users must insert one into the commands."""
    own_token = token != FOREIGN_TOKEN
    entry_id = entry_id_of(WAITLIST_ID, CUSTOMER_ID) if own_token else "ENTRY_ID"
    entries = f"{url}/v1/waitlists/{WAITLIST_ID}/entries"
    admin = f"{url}/v1/admin/waitlists/{WAITLIST_ID}"
    comes = _guest_comes(entries, entry_id) if token is None else _member_comes(entries, token)
    return [*_waitlist_is_made(admin), *comes, *_operator_acts(admin, entry_id)]


def _waitlist_is_made(admin: str) -> list[str]:
    return [
        "# 1. An operator creates a waitlist",
        f"curl {SIGNED} \\",
        f"  -X PUT {admin} \\",
        f'  {JSON} -d \'{{"name": "Bakery"}}\'',
        "",
    ]


def _guest_comes(entries: str, entry_id: str) -> list[str]:
    return [
        "# 2. A customer signs up. The entry_token in the answer authorizes their later calls.",
        f"TOKEN=$(curl -X POST {entries} \\",
        f"  {JSON} -H 'Idempotency-Key: {SIGNUP_KEY}' \\",
        f'  -d \'{{"customer_id": "{CUSTOMER_ID}", "profile": {{"name": "Ada"}}}}\' \\',
        f"  | {KEEP_TOKEN})",
        "",
        "# 3. The customer reads their position",
        f"curl {entries}/{entry_id} \\",
        '  -H "Authorization: Bearer $TOKEN"',
        "",
    ]


def _member_comes(entries: str, token: str) -> list[str]:
    return [
        "# 2. A customer signs up. The `sub` of the token is their id.",
        f"curl -X POST {entries} {JSON} \\",
        f"  -H 'Authorization: Bearer {token}' \\",
        '  -d \'{"profile": {"name": "Ada"}}\'',
        "",
        "# 3. The customer reads their position",
        f"curl {entries}/me \\",
        f"  -H 'Authorization: Bearer {token}'",
        "",
    ]


def _operator_acts(admin: str, entry_id: str) -> list[str]:
    return [
        "# 4. An operator bumps the customer",
        f"curl {SIGNED} \\",
        f"  -X POST {admin}/entries/{entry_id}/bump \\",
        f"  {JSON} -d '{{\"priority\": 5}}'",
        "",
        "# 5. An operator reads the counts",
        f"curl {SIGNED} \\",
        f"  {admin}/stats",
        "",
    ]
