"""The client for programs with asyncio."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Iterator, Optional, TypeVar

from ._client import Client
from ._transport import Stop
from ._types import Verdict

_T = TypeVar("_T")

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _P = ParamSpec("_P")

_THREADS = 64  # requests at a time
_BLOCK = 50  # items that a thread reads at a time


def _awaited(
    method: Callable[Concatenate[Client, _P], _T],
) -> Callable[Concatenate[AsyncClient, _P], Coroutine[Any, Any, _T]]:
    """Returns a method of AsyncClient that does what a method of Client does."""

    @functools.wraps(method)
    async def call(self: AsyncClient, /, *arguments: _P.args, **named: _P.kwargs) -> _T:
        return await self._run(functools.partial(method, self._client, *arguments, **named))

    return call


def _iterated(
    method: Callable[Concatenate[Client, _P], Iterator[_T]],
) -> Callable[Concatenate[AsyncClient, _P], AsyncIterator[_T]]:
    """Returns a method of AsyncClient that iterates as a method of Client does."""

    @functools.wraps(method)
    async def iterate(self: AsyncClient, /, *arguments: _P.args, **named: _P.kwargs) -> AsyncIterator[_T]:
        items = method(self._client, *arguments, **named)
        while block := await self._run(lambda: list(islice(items, _BLOCK))):
            for item in block:
                yield item

    return iterate


class AsyncClient:
    """A connection to one server for asyncio: the methods of Client, to await or to iterate over with async for.

    Requests run in threads, up to 64 at a time. Cancelling a task does not take back a request that was sent.
    """

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 60.0) -> None:
        """Takes what Client takes."""
        self._client = Client(url, token, timeout)
        self._threads = ThreadPoolExecutor(_THREADS, "bestpick")

    def __repr__(self) -> str:
        return f"AsyncClient({self._client.url!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Closes the connections. The client cannot be used any more."""
        self._threads.shutdown(wait=False)
        self._client.disconnect()

    async def _run(self, call: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def events(self, study: str) -> AsyncIterator[Verdict]:
        """Iterates over the verdicts of a study as they change, the current one first, until it is done."""
        stop = Stop()
        verdicts = self._client._events(study, stop)
        try:
            while block := await self._run(lambda: list(islice(verdicts, 1))):
                yield block[0]
        finally:
            stop.set()  # ends the thread that waits for the next event

    studies = _iterated(Client.studies)
    study = _awaited(Client.study)
    create = _awaited(Client.create)
    change = _awaited(Client.change)
    open = _awaited(Client.open)
    pause = _awaited(Client.pause)
    close = _awaited(Client.close)
    delete = _awaited(Client.delete)
    arms = _iterated(Client.arms)
    add_arms = _awaited(Client.add_arms)
    replace_arms = _awaited(Client.replace_arms)
    set_contexts = _awaited(Client.set_contexts)
    set_prior = _awaited(Client.set_prior)
    remove_prior = _awaited(Client.remove_prior)
    withdraw = _awaited(Client.withdraw)
    panel = _iterated(Client.panel)
    add_members = _awaited(Client.add_members)
    import_members = _awaited(Client.import_members)
    remove_members = _awaited(Client.remove_members)
    renew_key = _awaited(Client.renew_key)
    welcome = _awaited(Client.welcome)
    ask = _awaited(Client.ask)
    answer = _awaited(Client.answer)
    answer_and_ask = _awaited(Client.answer_and_ask)
    answer_profile = _awaited(Client.answer_profile)
    skip = _awaited(Client.skip)
    undo = _awaited(Client.undo)
    erase = _awaited(Client.erase)
    exclude = _awaited(Client.exclude)
    verdict = _awaited(Client.verdict)
    contenders = _awaited(Client.contenders)
    leaderboard = _awaited(Client.leaderboard)
    judges = _awaited(Client.judges)
    set_webhook = _awaited(Client.set_webhook)
    webhook = _awaited(Client.webhook)
    delete_webhook = _awaited(Client.delete_webhook)
    export = _awaited(Client.export)
    export_to = _awaited(Client.export_to)
    rows = _awaited(Client.rows)
    public_key = _awaited(Client.public_key)
    import_answers = _awaited(Client.import_answers)
    tokens = _awaited(Client.tokens)
    create_token = _awaited(Client.create_token)
    revoke_token = _awaited(Client.revoke_token)
    audit = _iterated(Client.audit)
