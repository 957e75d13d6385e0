"""Runs BullMQ's Python package, whose speed is compared with that of our claims.

Jobs are fetched and completed by explicit calls.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from bullmq import Queue, Worker

from tools.bench.queue_client import BenchError
from tools.local.ports import HOST

NAME = "bench"
TOKEN = "bench"
JOBS_PER_COMMAND = 1000


class BullMQ:
    """A BullMQ queue and a worker without a processor function, each with its own connection.

    Completed jobs are removed, because the private function also removes completed entries. All
    other options are BullMQ's defaults.
    """

    def __init__(self, port: int) -> None:
        self._runner = asyncio.Runner()
        self._runner.run(self._open(port))

    async def _open(self, port: int) -> None:
        connection = {"host": HOST, "port": port}
        self._queue = Queue(NAME, {"connection": connection})
        self._worker = Worker(NAME, None, {"connection": connection, "autorun": False})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._runner.run(self._close())
        self._runner.close()

    async def _close(self) -> None:
        await self._worker.close()
        await self._queue.close()

    def add(self, members: Sequence[str]) -> None:
        self._runner.run(self._add(members))

    async def _add(self, members: Sequence[str]) -> None:
        for start in range(0, len(members), JOBS_PER_COMMAND):
            await self._queue.addBulk(
                [
                    {
                        "name": "admit",
                        "data": {"entry_id": member},
                        "opts": {"removeOnComplete": True},
                    }
                    for member in members[start : start + JOBS_PER_COMMAND]
                ]
            )

    def take_in_two_calls(self, count: int) -> list[str]:
        """Take each job with two calls: one to fetch the job and one to complete it."""
        return self._runner.run(self._take_in_two_calls(count))

    async def _take_in_two_calls(self, count: int) -> list[str]:
        taken = []
        for _ in range(count):
            job = _present(await self._worker.getNextJob(TOKEN))
            await job.moveToCompleted(None, TOKEN, False)
            taken.append(job.data["entry_id"])
        return taken

    def take_with_next(self, count: int) -> list[str]:
        """Take each job with one call that also completes the previous job.

        This is BullMQ's fastest way to take jobs.
        """
        return self._runner.run(self._take_with_next(count))

    async def _take_with_next(self, count: int) -> list[str]:
        job = _present(await self._worker.getNextJob(TOKEN))
        taken = [job.data["entry_id"]]
        for _ in range(count - 1):
            following = await job.moveToCompleted(None, TOKEN, True)
            job = _present(await self._worker.nextJobFromJobData(*following, TOKEN))
            taken.append(job.data["entry_id"])
        await job.moveToCompleted(None, TOKEN, False)
        return taken


def _present(job: Any) -> Any:
    if job is None:
        raise BenchError("BullMQ returned no job, although jobs are waiting")
    return job
