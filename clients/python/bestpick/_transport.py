"""How requests are sent: retries, replies and server-sent events."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
import urllib.parse
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, TypeVar

from ._connections import Connections
from ._decode import decode
from ._types import Detail, Problem

_T = TypeVar("_T")

# Seconds to wait before a request is sent once more, after the first failure, the second and so on.
WAITS = (0.25, 0.5, 1.0, 2.0)
_LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class Request:
    """A request. It is safe if sending it twice does what sending it once does."""

    method: str
    path: str
    body: Optional[bytes] = field(default=None, repr=False)
    kind: str = "application/json"
    version: Optional[int] = None
    safe: bool = False


class Reply:
    """A successful reply. Closing it returns its connection to the others if it was read completely."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, connections: Connections) -> None:
        self._connection, self._response, self._connections = connection, response, connections

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        if self._response.isclosed() and not self._response.will_close:
            self._connections.put(self._connection)
        else:
            self._response.close()
            self._connection.close()

    def read(self, most: Optional[int] = None) -> bytes:
        """Reads the reply, up to a maximum number of bytes."""
        try:
            return self._response.read(most)
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from error

    def json(self) -> Any:
        """Reads all of the reply."""
        text = self.read()
        try:
            return json.loads(text)
        except ValueError:
            raise ValueError("the reply is not JSON: is there another server than bestpick?") from None

    def blocks(self) -> Iterator[bytes]:
        """Iterates over the reply as it arrives. It raises ConnectionError if the reply is cut off."""
        while block := self.read(1 << 16):
            yield block
        if self._response.length:
            raise ConnectionError(f"the reply ends {self._response.length} bytes too early")

    def lines(self) -> Iterator[str]:
        """Iterates over the lines of the reply as they arrive."""
        try:
            for line in self._response:
                yield line.decode("utf-8", "replace").rstrip("\r\n")
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _unreachable(error) from error

    def messages(self) -> Iterator[Tuple[str, str]]:
        """Iterates over server-sent events, each its name and data. It ends with a ConnectionError."""
        event, data = "message", ""
        for line in self.lines():
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                event = value
            elif name == "data":
                data += value + "\n"
            elif line == "":
                if data:
                    yield event, data
                event, data = "message", ""
        raise ConnectionError("the server has ended the events")


class Stop:
    """Ends a wait or a stream of events from another thread."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._socket: Optional[socket.socket] = None

    def stream(self, connected: Optional[socket.socket]) -> None:
        """Notes the connection of the stream."""
        self._socket = connected
        if self._set.is_set():
            self.set()

    def set(self) -> None:
        self._set.set()
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def wait(self, seconds: float) -> bool:
        """Waits, and reports whether the stream is to end."""
        return self._set.wait(seconds)


class Transport:
    """Sends requests to one server. Safe for concurrent use by threads: each takes a connection of its own."""

    def __init__(self, url: str, token: Optional[str], timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("the url must be http://… or https://…, without a name and a password")
        if token is not None and not re.fullmatch(r"[!-~]+", token):
            raise ValueError("the token is empty, or has characters such as spaces that no token has")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.connections = Connections(self.url)
        self._headers = {"User-Agent": "bestpick-python"}
        if token is not None:
            self._headers["Authorization"] = "Bearer " + token

    def send(self, request: Request, stop: Optional[Stop] = None) -> Reply:
        """Sends a request once and returns the reply, if it reports success. The reply must be closed."""
        connection, target, proxying = self.connections.take(self.timeout)
        headers = {**self._headers, **proxying}
        if request.body is not None:
            headers["Content-Type"] = request.kind
        if request.version is not None:
            headers["If-Match"] = f'"{request.version}"'
        try:
            connection.request(request.method, target + "/api/v1" + request.path, request.body, headers)
            connected: Optional[socket.socket] = connection.sock
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _unreachable(error) from error
        reply = Reply(connection, response, self.connections)
        if not 200 <= response.status < 300:
            with reply:
                raise _refused(response, reply)
        if stop is not None:
            stop.stream(connected)
        return reply

    def call(self, request: Request, read: Callable[[Reply], _T]) -> _T:
        """Sends a request, again where that is safe and may help, and reads the reply."""
        started, failures = time.monotonic(), 0
        while True:
            try:
                with self.send(request) as reply:
                    return read(reply)
            except (ConnectionError, Problem) as error:
                limited = isinstance(error, Problem) and error.status == 429  # the server has done nothing
                if not limited and not (request.safe and failures < len(WAITS) and may_pass(error)):
                    raise
                pause = wait_after(error, failures)
                if limited and time.monotonic() + pause > started + self.timeout:
                    raise
                failures += not limited
            time.sleep(pause)

def may_pass(error: Exception) -> bool:
    """Reports whether a request that failed may succeed later."""
    return isinstance(error, ConnectionError) or isinstance(error, Problem) and error.retry_after is not None


def wait_after(error: Exception, failures: int) -> float:
    """Returns how many seconds to wait after an error."""
    if isinstance(error, Problem) and error.retry_after is not None:
        return min(error.retry_after, _LONGEST_WAIT)
    return WAITS[failures]


def at(study: str, *more: str) -> str:
    """Returns the path of something of a study. A study named .. is no step up."""
    parts = [urllib.parse.quote(part, safe="").replace(".", "%2E") for part in (study, *more)]
    return "/studies/" + "/".join(parts)


def form(fields: Mapping[str, str], files: Mapping[str, Tuple[str, bytes]]) -> Tuple[str, bytes]:
    """Returns the content type and the body of a form, multipart/form-data."""
    boundary = uuid.uuid4().hex
    start = f'--{boundary}\r\nContent-Disposition: form-data; name="%s"'
    parts: List[bytes] = []
    for name, value in fields.items():
        parts += [(start % name).encode(), b"\r\n\r\n", value.encode(), b"\r\n"]
    for name, (file, contents) in files.items():
        plain = re.sub(r'["\\\r\n]', "_", file)
        head = f'{start % name}; filename="{plain}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        parts += [head.encode(), contents, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


def problem_of(told: Mapping[str, Any], status: int = 0, title: str = "") -> Problem:
    """Returns the problem that a reply or an event describes."""
    return Problem(
        told.get("type", "about:blank"),
        told.get("title", title),
        told.get("status", status),
        told.get("detail", ""),
        tuple(decode(Detail, one) for one in told.get("errors") or ()),
    )


def _refused(response: http.client.HTTPResponse, reply: Reply) -> Problem:
    """Returns the problem of a reply that does not report success."""
    try:
        told = json.loads(reply.read())
    except (ConnectionError, ValueError):
        told = None
    problem = problem_of(told if isinstance(told, dict) else {}, response.status, response.reason)
    after = response.getheader("Retry-After")
    if response.status == 429 or response.status == 503 and after is not None:
        problem.retry_after = float(after) if after is not None and after.isdecimal() else 1.0
    return problem


def _unreachable(error: Exception) -> ConnectionError:
    return ConnectionError(str(error) or type(error).__name__)
