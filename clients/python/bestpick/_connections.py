"""Connections to a server, which are used again."""

from __future__ import annotations

import base64
import http.client
import os
import selectors
import socket
import urllib.parse
import urllib.request
from collections import deque
from typing import Deque, Dict, Optional, Tuple, Type

_MOST_IDLE = 32


class Connections:
    """The idle connections to one server. Safe for concurrent use by threads: each takes its own."""

    def __init__(self, url: str) -> None:
        self._server = urllib.parse.urlsplit(url)
        self._idle: Deque[http.client.HTTPConnection] = deque()
        self._process = os.getpid()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections."""
        while connection := self._pop():
            connection.close()

    def take(self, timeout: float) -> Tuple[http.client.HTTPConnection, str, Dict[str, str]]:
        """Returns a connection, what precedes the path of a request on it, and headers for a proxy.

        The connection is an idle one that the server has not closed, or a new one.
        """
        proxy = self._proxy()
        plain = proxy is not None and self._server.scheme == "http"
        prefix = self._server.geturl() if plain else self._server.path
        headers = _credentials(proxy) if plain else {}
        while connection := self._pop():
            if connection.sock is not None and not _readable(connection.sock):
                connection.sock.settimeout(timeout)
                return connection, prefix, headers
            connection.close()
        return self._new(proxy, timeout), prefix, headers

    def put(self, connection: http.client.HTTPConnection) -> None:
        """Keeps a connection whose last reply was read completely."""
        if len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _pop(self) -> Optional[http.client.HTTPConnection]:
        """Takes an idle connection. A forked process does not use connections of its parent."""
        if self._process != os.getpid():
            self._process, self._idle = os.getpid(), deque()
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _new(self, proxy: Optional[urllib.parse.SplitResult], timeout: float) -> http.client.HTTPConnection:
        server, secure = self._server, self._server.scheme == "https"
        kind: Type[http.client.HTTPConnection] = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        if proxy is None:
            return kind(server.hostname or "", server.port, timeout=timeout)
        connection = kind(proxy.hostname or "", proxy.port, timeout=timeout)
        if secure:
            connection.set_tunnel(server.hostname or "", server.port, _credentials(proxy))
        return connection

    def _proxy(self) -> Optional[urllib.parse.SplitResult]:
        """Returns the proxy that the environment names for the server, if any."""
        proxy = urllib.request.getproxies().get(self._server.scheme)
        if not proxy or urllib.request.proxy_bypass(self._server.netloc):
            return None
        return urllib.parse.urlsplit(proxy if "://" in proxy else "http://" + proxy)


def _credentials(proxy: Optional[urllib.parse.SplitResult]) -> Dict[str, str]:
    """Returns the header that identifies the user to a proxy."""
    if proxy is None or proxy.username is None:
        return {}
    name, password = urllib.parse.unquote(proxy.username), urllib.parse.unquote(proxy.password or "")
    return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def _readable(connected: socket.socket) -> bool:
    """Reports whether the server has closed an idle connection: then there is an end to read."""
    with selectors.DefaultSelector() as selector:
        selector.register(connected, selectors.EVENT_READ)
        return bool(selector.select(0))
