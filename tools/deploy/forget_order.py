"""`make forget-order STACK=waitlist-prod`: Redis forgets who stands where, and is told again.

For when the record was restored to an earlier moment, which Redis is ahead of. The next minute's
maintenance rebuilds each line from the record. Until then people are answered `503 rebuilding`, and
signups are taken; nothing is lost by it that the record knows. Needs
`cloudformation:DescribeStacks` on the stack, `lambda:InvokeFunction` on the private function's
alias, and `dynamodb:Query` and `BatchGetItem` on the table.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from waitlist_api.aws.clients import dynamodb_client, patient_lambda_client
from waitlist_api.queue.client import Queue, QueueClient
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

ALIAS = "live"
TABLE = "TableName"
FUNCTION = "PrivateFunctionName"


class Refused(Exception):
    """Nothing was done; the message says why, and what to do."""


def forget(queue: Queue, waitlist_ids: Iterable[str]) -> None:
    """Have Redis forget the order of each waitlist, one after the other."""
    for waitlist_id in waitlist_ids:
        queue.send(c.Purge(waitlist_id=waitlist_id))
        print(f"✓ {waitlist_id}", flush=True)


def _outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    outputs = {one["OutputKey"]: str(one["OutputValue"]) for one in found.get("Outputs", [])}
    for name in (TABLE, FUNCTION):
        if name not in outputs:
            raise Refused(f"The stack {stack} has no output {name}: is it one of this service?")
    return outputs


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Has Redis forget the order of waitlists.")
    parser.add_argument("--stack", required=True, help="the CloudFormation stack's name")
    parser.add_argument("--waitlist", help="only this one, be it in the record or not")
    given = parser.parse_args(arguments)
    try:
        cloudformation: Any = boto3.client("cloudformation")
        outputs = _outputs(cloudformation, given.stack)
        queue = QueueClient(patient_lambda_client(), f"{outputs[FUNCTION]}:{ALIAS}")
        records = WaitlistRecords(Table(dynamodb_client(), outputs[TABLE]))
        known = (record.waitlist_id for record in records.all())
        forget(queue, [given.waitlist] if given.waitlist else known)
    except (Refused, WaitlistError, ClientError, BotoCoreError) as error:
        print(f"Not done, or not all of it: {error}. It may be run again.", file=sys.stderr)
        return 1
    print("Maintenance rebuilds what it finds missing: each minute, and at the first call.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
