"""Delete the queues from Redis, so that maintenance rebuilds them. `make forget-order
STACK=waitlist-prod` runs this program.

Use this command after restoring the DynamoDB table to an earlier time, because Redis then knows
changes that the table does not. Maintenance rebuilds each queue from the table within a minute.
Until then, customers get `503 rebuilding`, but signups are accepted. The command changes nothing in
the table.

The command needs the permissions `cloudformation:DescribeStacks` on the stack,
`lambda:InvokeFunction` on the private function's alias, and `dynamodb:Query` and
`dynamodb:BatchGetItem` on the table.
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
    """The command has done nothing. The message says why and what to do."""


def forget(queue: Queue, waitlist_ids: Iterable[str]) -> None:
    for waitlist_id in waitlist_ids:
        queue.send(c.Purge(waitlist_id=waitlist_id))
        print(f"✓ {waitlist_id}", flush=True)


def _outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    outputs = {
        output["OutputKey"]: str(output["OutputValue"]) for output in found.get("Outputs", [])
    }
    for name in (TABLE, FUNCTION):
        if name not in outputs:
            raise Refused(
                f"The stack {stack} has no output {name}. Check that it is a stack of this service."
            )
    return outputs


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Delete waitlists' queues from Redis.")
    parser.add_argument("--stack", required=True, help="the name of the CloudFormation stack")
    parser.add_argument(
        "--waitlist",
        help="delete only the queue of this waitlist, even if the table does not contain it",
    )
    given = parser.parse_args(arguments)
    try:
        cloudformation: Any = boto3.client("cloudformation")
        outputs = _outputs(cloudformation, given.stack)
    except (Refused, ClientError, BotoCoreError) as error:
        print(f"No queue was deleted. {error}", file=sys.stderr)
        return 1
    try:
        queue = QueueClient(patient_lambda_client(), f"{outputs[FUNCTION]}:{ALIAS}")
        records = WaitlistRecords(Table(dynamodb_client(), outputs[TABLE]))
        known = (record.waitlist_id for record in records.all())
        forget(queue, [given.waitlist] if given.waitlist else known)
    except (WaitlistError, ClientError, BotoCoreError) as error:
        print(
            f"Failed: {str(error).rstrip('.')}. Some queues may already be deleted. Run the "
            "command again.",
            file=sys.stderr,
        )
        return 1
    print("Each queue will be rebuilt at the next request for its waitlist, or within a minute.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
