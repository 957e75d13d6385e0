"""`make rotate-token-secret STACK=waitlist-prod`: gives the entry tokens a new key.

Customers keep their access: the previous key stays valid until the next rotation, and customers
who read their entry until then get a token of the new key. `ALL=1` ends all tokens instead, after a
leak. Both keep the key by which lists with `identity` know people. It needs
`cloudformation:DescribeStacks` on the stack, and `secretsmanager:GetSecretValue` and
`PutSecretValue` on its secret.
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
from waitlist_api.auth.token_keys import (
    BEFORE_IT_SIGNS_SECONDS,
    READ_EACH_SECONDS,
    BadSecret,
    TokenKeys,
)

# A stack of older code has no such output and would read both keys as one.
OUTPUT = "EntryTokenSecretArn"
KEY_BYTES = 48
DAY_SECONDS = 24 * 3600
DAYS_BETWEEN = 30


class Refused(Exception):
    """Nothing was changed; the message has the cause and the remedy."""


def rotated(secret: str, new_key: str, now_seconds: int, *, force: bool) -> str:
    """Return the secret with a new key, and the current one as the previous key.

    Raises Refused if the previous key is so new that customers may have no other token yet.
    """
    keys = TokenKeys.parse(secret)
    age_days = (now_seconds - keys.current_from_seconds) / DAY_SECONDS
    if keys.previous is not None and age_days < DAYS_BETWEEN and not force:
        raise Refused(
            f"The last rotation was {max(age_days, 0):.0f} days ago. A new one would "
            f"invalidate the tokens of customers who have not read their entry since. "
            f"Wait until {DAYS_BETWEEN} days have passed, or set FORCE=1."
        )
    # A key that does not sign yet has no tokens, so it can be replaced.
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
    """Return the secret with a new key alone: all tokens end, and people stay who they are."""
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
    """Put a new key into a stack's secret; return a report with the next steps."""
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
            f"{arn} has the new key {keys.current.id} alone.\n"
            f"Within {READ_EACH_SECONDS // 60} minutes every earlier token is refused. Guests get "
            "new ones by repeating their signup with its Idempotency-Key, or from an operator.\n"
            "To undo this: move the secret's stage AWSCURRENT to the version that is AWSPREVIOUS."
        )
    before = keys.previous.id
    signs_at = datetime.fromtimestamp(keys.current_from_seconds, UTC).isoformat()
    return (
        f"{arn} has a new key {keys.current.id}; {before} is the previous one.\n"
        f"It signs new tokens from {signs_at}, when every process has read it.\n"
        f"Tokens of {before} stay valid until the next rotation; customers who read their entry "
        f"get a new one. Rotate again in {DAYS_BETWEEN} days or later.\n"
        f"To undo this, only before {signs_at}: move the secret's stage AWSCURRENT to the "
        "version that is AWSPREVIOUS."
    )


def _secret_of(cloudformation: Any, stack: str) -> str:
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    for output in found.get("Outputs", []):
        if output["OutputKey"] == OUTPUT:
            return str(output["OutputValue"])
    raise Refused(f"The stack {stack} has no output {OUTPUT}: deploy this version to it first.")


def main(
    arguments: Sequence[str] | None = None, now_seconds: Callable[[], float] = time.time
) -> int:
    parser = argparse.ArgumentParser(description="Gives a stack's entry tokens a new key.")
    parser.add_argument("--stack", required=True, help="the CloudFormation stack's name")
    parser.add_argument("--force", action="store_true", help="also soon after the last rotation")
    parser.add_argument("--all", action="store_true", help="end all tokens, after a leak")
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
