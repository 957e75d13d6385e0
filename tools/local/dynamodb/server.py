"""An in-memory DynamoDB server: `python -m tools.local.dynamodb.server [--stream] [file]`.

It runs in its own process, because the gateway also needs Python's interpreter lock.

If a file is given, the server stores the items there and reads them at the next start. With
`--stream`, the `TakeRecords` operation returns the stream's new records.
"""

import gc
import json
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from tools.local.child import serve_until_parent_ends
from tools.local.dynamodb.kept_table import KeptTable
from tools.local.dynamodb.memory_table import MemoryTable
from tools.local.dynamodb.streamed_table import StreamedKeptTable, StreamedTable
from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.http_server import HttpServer

Answer = dict[str, Any]
STREAM_OPTION = "--stream"
CONTENT_TYPE = "application/x-amz-json-1.0"
ERROR_NAMESPACE = "com.amazonaws.dynamodb.v20120810#"
# DynamoDB remembers each transaction's token for ten minutes. This server remembers only the tokens
# of the newest transactions, which is enough because its clients repeat a transaction within
# seconds.
REMEMBERED_TRANSACTIONS = 10_000


class Database:
    """Answers DynamoDB's operations for one table. It must handle one request at a time."""

    def __init__(self, file: Path | None = None, *, has_stream: bool = False) -> None:
        self._table = _table(file, has_stream)
        self._description: Answer | None = None
        self._done: OrderedDict[str, None] = OrderedDict()
        self._operations: dict[str, Callable[..., Answer]] = {
            "CreateTable": self._create_table,
            "DescribeTable": self._describe_table,
            "TransactWriteItems": self._transact_write_items,
            "BatchGetItem": self._table.batch_get_item,
            "BatchWriteItem": self._table.batch_write_item,
            "DeleteItem": self._table.delete_item,
            "GetItem": self._table.get_item,
            "PutItem": self._table.put_item,
            "Query": self._table.query,
            "Scan": self._table.scan,
            "UpdateItem": self._table.update_item,
        }
        if isinstance(self._table, StreamedTable):
            self._operations["TakeRecords"] = self._table.take_records

    def __call__(self, request: HttpRequest) -> HttpResponse:
        operation = (request.header("x-amz-target") or "").rpartition(".")[2]
        try:
            if request.header("origin") is not None or not request.names_this_machine:
                raise _error(
                    "AccessDeniedException", "Only programs on this machine may call this endpoint."
                )
            if operation not in self._operations:
                raise _error("UnknownOperationException", f"{operation} is not supported here")
            return json_response(
                200, self._operations[operation](**json.loads(request.body)), (), CONTENT_TYPE
            )
        except ClientError as error:
            return json_response(400, _body(error), (), CONTENT_TYPE)

    def _create_table(self, **request: Any) -> Answer:
        if self._description is not None:
            raise _error("ResourceInUseException", f"Table already exists: {self._name}")
        self._description = {"TableStatus": "ACTIVE", **request}
        return {"TableDescription": self._description}

    def _describe_table(self, TableName: str) -> Answer:  # noqa: N803
        if self._description is None or TableName != self._name:
            raise _error("ResourceNotFoundException", f"Table: {TableName} not found")
        return {"Table": self._description}

    def _transact_write_items(self, ClientRequestToken: str = "", **request: Any) -> Answer:  # noqa: N803
        """If the response is lost, the client resends the transaction with the same token."""
        if ClientRequestToken in self._done:
            return {}
        answer = self._table.transact_write_items(**request)
        if ClientRequestToken:
            self._done[ClientRequestToken] = None
            if len(self._done) > REMEMBERED_TRANSACTIONS:
                self._done.popitem(last=False)
        return answer

    @property
    def _name(self) -> str:
        assert self._description is not None
        return str(self._description["TableName"])


def _table(file: Path | None, has_stream: bool) -> MemoryTable:
    if has_stream:
        return StreamedTable() if file is None else StreamedKeptTable(file)
    return MemoryTable() if file is None else KeptTable(file)


def _error(code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "")


def _body(error: ClientError) -> Answer:
    response: Any = error.response
    more = {name: value for name, value in response.items() if name != "Error"}
    stated = response["Error"]
    return {"__type": f"{ERROR_NAMESPACE}{stated['Code']}", "message": stated["Message"], **more}


def main() -> None:
    files = [argument for argument in sys.argv[1:] if argument != STREAM_OPTION]
    file = Path(files[0]) if files else None
    # Let Python's garbage collector check only young objects, because items live long and form no
    # reference cycles. With 50,000 people, a full collection would block the server for seconds.
    gc.set_threshold(10_000, 50, 1_000_000)
    server = HttpServer(port=0)
    database = Database(file, has_stream=STREAM_OPTION in sys.argv)
    server.start(database, in_threads=False)
    try:
        serve_until_parent_ends(server.port)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
