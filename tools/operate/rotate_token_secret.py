"""Rotate the key that signs entry tokens. `make rotate-token-secret STACK=waitlist-prod` runs this
program.

Customers keep their access. The previous key stays valid until the next rotation, and customers who
read their entry before then receive a token signed with the new key.

After a leak, use `ALL=1`, which invalidates all tokens. The key that identifies people on waitlists
with `identity` never changes.

The command needs the permissions `cloudformation:DescribeStacks` on the stack, and
`secretsmanager:GetSecretValue` and `secretsmanager:PutSecretValue` on its secret.
"""

import argparse
import json
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.deploy import aws
from waitlist_api.auth.secret import READ_EACH_SECONDS
from waitlist_api.auth.token_keys import BEFORE_IT_SIGNS_SECONDS, BadSecret, TokenKeys

OUTPUT = "EntryTokenSecretArn"
KEY_BYTES = 48
DAY_SECONDS = 24 * 3600
DAYS_BETWEEN = 30


class Refused(Exception):
    """The command has changed nothing. The message says why and what to do."""


def rotated(secret: str, new_key: str, now_seconds: int, *, force: bool) -> str:
    """Add a new key to a secret.

    The current key becomes the previous one, and the older key is removed. Raise Refused if the
    last rotation was too recent, because some customers may still use tokens that the older key has
    signed.
    """
    keys = TokenKeys.parse(secret)
    age_days = (now_seconds - keys.current_from_seconds) / DAY_SECONDS
    if keys.previous is not None and age_days < DAYS_BETWEEN and not force:
        # 30 days have not passed yet, so never round up to 30.
        days = min(max(round(age_days), 0), DAYS_BETWEEN - 1)
        raise Refused(
            f"The last rotation was {days} day{'' if days == 1 else 's'} ago. Another rotation "
            "would invalidate the tokens of customers who have not read their entry since. "
            f"Wait until {DAYS_BETWEEN} days have passed, or set FORCE=1."
        )
    # The key that signs tokens now must stay valid. If the current key does not sign tokens yet,
    # the new key replaces it.
    previous = keys.signing(now_seconds)
    return json.dumps(
        {
            "current": new_key,
            "previous": previous.secret,
            "current_from": now_seconds + BEFORE_IT_SIGNS_SECONDS,
            "identity": keys.identity,
        }
    )


def with_one_key(secret: str, new_key: str) -> str:
    """All tokens become invalid, but people's ids stay the same."""
    return json.dumps({"current": new_key, "identity": TokenKeys.parse(secret).identity})


def rotate(
    cloudformation: Any,
    secretsmanager: Any,
    stack: str,
    now_seconds: int,
    *,
    force: bool,
    ends_all: bool = False,
) -> str:
    """Return a report that says what to do next."""
    arn = _secret_of(cloudformation, stack)
    secret = secretsmanager.get_secret_value(SecretId=arn)["SecretString"]
    new_key = secrets.token_urlsafe(KEY_BYTES)
    if ends_all:
        new_secret = with_one_key(secret, new_key)
    else:
        new_secret = rotated(secret, new_key, now_seconds, force=force)
    secretsmanager.put_secret_value(SecretId=arn, SecretString=new_secret)
    keys = TokenKeys.parse(new_secret)
    if keys.previous is None:
        return (
            f"{arn} now contains only the new key {keys.current.id}.\n"
            f"Within {READ_EACH_SECONDS // 60} minutes, all earlier tokens become invalid. Guests "
            "get new tokens by repeating their signup with its Idempotency-Key, or from an "
            "operator.\n"
            "To undo this, move the secret's stage AWSCURRENT to the version with the stage "
            "AWSPREVIOUS."
        )
    before = keys.previous.id
    signs_at = datetime.fromtimestamp(keys.current_from_seconds, UTC).isoformat()
    return (
        f"{arn} has the new key {keys.current.id}. The previous key is {before}.\n"
        f"The new key signs tokens from {signs_at}, once every process has read it.\n"
        f"Tokens of {before} stay valid until the next rotation. Customers who read their entry "
        f"get a new token. Wait at least {DAYS_BETWEEN} days before you rotate again.\n"
        f"You can undo this until {signs_at}. Move the secret's stage AWSCURRENT to the "
        "version with the stage AWSPREVIOUS."
    )


def _secret_of(cloudformation: Any, stack: str) -> str:
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    for output in found.get("Outputs", []):
        if output["OutputKey"] == OUTPUT:
            return str(output["OutputValue"])
    raise Refused(f"The stack {stack} has no output {OUTPUT}. Check its name.")


def main(
    arguments: Sequence[str] | None = None, now_seconds: Callable[[], float] = time.time
) -> int:
    parser = argparse.ArgumentParser(
        description="Rotate the key that signs a stack's entry tokens."
    )
    parser.add_argument("--stack", required=True, help="the name of the CloudFormation stack")
    parser.add_argument(
        "--force", action="store_true", help="rotate even if the last rotation was recent"
    )
    parser.add_argument(
        "--all", action="store_true", help="invalidate all tokens, for use after a leak"
    )
    given = parser.parse_args(arguments)
    session = aws.session()
    try:
        clients = session.client("cloudformation"), session.client("secretsmanager")
        now = int(now_seconds())
        print(rotate(*clients, given.stack, now, force=given.force, ends_all=given.all))
    except (Refused, BadSecret, ClientError, BotoCoreError) as error:
        print(f"Nothing was changed. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
