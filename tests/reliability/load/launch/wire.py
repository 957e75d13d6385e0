"""HTTP/1.1 on kept connections, in a tenth of httpx's time: the service needs the processors."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from httpx import URL


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, url: URL) -> Self:
        return cls(*await asyncio.open_connection(url.host, url.port))

    @property
    def is_closed(self) -> bool:
        return self._reader.at_eof()

    def close(self) -> None:
        self._writer.close()

    async def exchange(self, request: bytes) -> Answer:
        """Send a request and return the answer. Raises EOFError and OSError."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").rstrip().split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await self._reader.readexactly(int(headers["content-length"]))
        return Answer(int(status_line.split(" ", 2)[1]), headers, body)


class Wire:
    """Shares at most so many connections; a request waits, in order, until one is free."""

    def __init__(self, url: str, connections: int, timeout_seconds: float) -> None:
        self._url = URL(url)
        self._timeout_seconds = timeout_seconds
        self._room = asyncio.Semaphore(connections)
        self._idle: list[Connection] = []

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return the bytes of a request."""
        whole = {
            "host": self._url.netloc.decode(),
            "content-type": "application/json",
            "content-length": str(len(body)),
            **headers,
        }
        head = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in whole.items())]
        return "\r\n".join([*head, "", ""]).encode() + body

    @property
    def room(self) -> asyncio.Semaphore:
        """Return what a caller holds while it sends."""
        return self._room

    async def send(self, request: bytes) -> Answer:
        """Send a request; the caller holds `room`. Raises EOFError, OSError and TimeoutError."""
        connection: Connection | None = None
        try:
            async with asyncio.timeout(self._timeout_seconds):
                connection = self._kept() or await Connection.to(self._url)
                answer = await connection.exchange(request)
        except BaseException:
            if connection is not None:
                connection.close()
            raise
        self._idle.append(connection)
        return answer

    def close(self) -> None:
        for connection in self._idle:
            with suppress(OSError):
                connection.close()

    def _kept(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed:
                return connection
            connection.close()
        return None
