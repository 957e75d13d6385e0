"""`make forget-order STACK=waitlist-prod`: deletes the queues from Redis, to be rebuilt.

Use it after the record was restored to an earlier time, because Redis is then ahead of it. The next
minute's maintenance rebuilds each queue from the record. Until then customers get `503 rebuilding`,
and signups are accepted; everything in the record stays. It needs
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
    """Nothing was done; the message has the cause and the remedy."""


def forget(queue: Queue, waitlist_ids: Iterable[str]) -> None:
    """Delete the queue of each waitlist from Redis, one after the other."""
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
    parser = argparse.ArgumentParser(description="Deletes the queues of waitlists from Redis.")
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
        print(f"Failed, perhaps after some waitlists: {error}. Run it again.", file=sys.stderr)
        return 1
    print("Maintenance rebuilds the queues: at the first request, or within a minute.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
