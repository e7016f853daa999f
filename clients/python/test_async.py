"""Tests of AsyncClient, of connections and of retries, against a real server and one that fails."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import tempfile
import unittest
import zipfile
from http.client import HTTPConnection
from typing import Any, Callable, List
from unittest import mock

import bestpick
import build_wheel
from bestpick import AsyncClient, Client, Problem
from test_bestpick import AT_ONCE, LAMPS, OUTCOME, TOKEN, URL, BadServer, hang_up, reply, verdict

LIMITED = reply(429, b'{"type":"urn:bestpick:too-many","title":"Too Many Requests","status":429}', "Retry-After: 0")


class Async(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().slow_callback_duration = 10  # a busy machine is no fault

    async def opened(self, client: AsyncClient, **settings: Any) -> str:
        merged: Any = {**AT_ONCE, **settings}
        created = await client.create("Lamps", LAMPS, settings=merged)
        return (await client.open(created.study.id)).id

    def test_every_method(self) -> None:
        for name, method in inspect.getmembers(Client, inspect.isfunction):
            if not name.startswith("_"):
                self.assertTrue(callable(getattr(AsyncClient, name, None)), name)

    async def test_many_at_once(self) -> None:
        async with AsyncClient(URL, TOKEN, timeout=20) as client:
            study = await self.opened(client, assume="linear", fallback=0)

            async def person(name: str) -> None:
                question = await client.ask(study, name)
                await client.answer(study, question.token, question.arms[0].id)

            await asyncio.gather(*(person(f"person {i}") for i in range(20)))
            rows = await client.rows(study, "answers")
            self.assertEqual({f"person {i}" for i in range(20)}, {row["respondent"] for row in rows})
            self.assertEqual([lamp["id"] for lamp in LAMPS], [arm.id async for arm in client.arms(study)])
            with self.assertRaises(Problem) as caught:
                await client.study("unknown")
            self.assertEqual(Problem.NOT_FOUND, caught.exception.type)

    async def test_events(self) -> None:
        async with AsyncClient(URL, TOKEN, timeout=20) as client:
            study = await self.opened(client, budget=5)

            async def people() -> None:
                for _ in range(5):  # one person, whose hand is all of the budget
                    question = await client.ask(study, "anna")
                    await client.answer(study, question.token, question.arms[0].id)

            answering = asyncio.create_task(people())
            states = [verdict.state async for verdict in client.events(study)]
            await answering
            self.assertEqual("done", states[-1])

    async def test_events_can_be_left(self) -> None:
        async with AsyncClient(URL, TOKEN, timeout=600) as client:
            study = await self.opened(client)
            events = client.events(study)
            self.assertEqual("open", (await events.__anext__()).state)
            following: Any = events.__anext__()
            waiting: asyncio.Task[Any] = asyncio.create_task(following)
            await asyncio.sleep(0.05)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
        client._threads.shutdown(wait=True)  # would wait for the heartbeat, or longer


class Connections(unittest.TestCase):
    def test_connections_are_used_again(self) -> None:
        made: List[object] = []
        connect = HTTPConnection.connect

        def counted(self: HTTPConnection) -> None:
            made.append(self)
            connect(self)

        with mock.patch.object(HTTPConnection, "connect", counted), Client(URL, TOKEN) as client:
            study = client.create("Lamps", LAMPS, settings=AT_ONCE).study.id
            client.open(study)
            for i in range(10):
                question = client.ask(study, f"p{i}")
                client.answer(study, question.token, question.arms[0].id)
            with self.assertRaises(Problem):
                client.study("unknown")
            client.delete(study)
            self.assertEqual(1, len(made))
            client.disconnect()
            list(client.studies())
            self.assertEqual(2, len(made))

    def test_tables(self) -> None:
        class Frame:
            def to_dict(self, orient: str) -> List[Any]:
                return [{**lamp, "watts": float("nan")} for lamp in LAMPS] if orient == "records" else []

        with Client(URL, TOKEN) as client:
            study = client.create("Lamps", Frame(), settings=AT_ONCE).study
            client.open(study.id)
            question = client.ask(study.id, "anna")
            client.answer(study.id, question.token, question.arms[0].id)
            self.assertEqual(len(LAMPS), study.arms)
            rows = client.rows(study.id, "answers")
            self.assertEqual([["anna", [question.arms[0].id]]], [[row["respondent"], row["picks"]] for row in rows])
            self.assertEqual([lamp["id"] for lamp in LAMPS], [row["id"] for row in client.rows(study.id, "arms")])
            for number in range(200):  # no leader is named after a few answers
                if (verdict := client.verdict(study.id)).leader is not None:
                    break
                question = client.ask(study.id, f"person {number}")
                client.answer(study.id, question.token, question.arms[0].id)
            assert verdict.leader is not None
            self.assertEqual(verdict.leader.id, verdict.rows()[0]["id"])


class Retries(BadServer):
    def test_all_requests_wait_for_the_rate_limit(self) -> None:
        calls: List[Callable[[str, str], None]] = [self.client.skip, self.client.undo, self.client.answer]
        self.client.timeout = 20
        for call in calls:
            self.steps, self.requests = [LIMITED] * 9 + [OUTCOME], []
            call("s", "t")
            self.assertEqual(10, len(self.requests))

    def test_the_rate_limit_ends(self) -> None:
        self.client.timeout = 20
        later = reply(429, b"", "Retry-After: 25")
        self.steps = [later, OUTCOME]
        with self.assertRaises(Problem) as caught:
            self.client.answer("s", "t", "a")
        self.assertEqual((429, 25.0, 1), (caught.exception.status, caught.exception.retry_after, len(self.requests)))

    def test_reading_is_tried_again(self) -> None:
        self.steps = [hang_up, reply(503, b"", "Retry-After: 0"), reply(200, b'{"public_key":"k"}')]
        self.assertEqual("k", self.client.public_key())

    def test_leaderboards(self) -> None:
        shares = {"share": 0.5, "share_low": 0.5, "share_high": 0.6, "first": 1, "last": 2}
        rank: Any = {"arm": {"id": "orb", "label": "Orb"}, "utility": 0, "low": 0, "high": 0.5, **shares}
        told = json.loads(verdict(7).partition(b"data: ")[2])
        self.steps = [reply(200, json.dumps({**told, "leaderboard": {"answers": 7, "ranks": [rank]}}).encode())]
        board = self.client.verdict("s").leaderboard
        assert board is not None
        row = {"id": "orb", "label": "Orb", **rank}
        del row["arm"]
        self.assertEqual((7, [row]), (board.answers, board.rows()))


class Wheel(unittest.TestCase):
    def test_the_wheel_has_all_modules(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            name = build_wheel.build_wheel(folder)
            with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
                packed = {path for path in wheel.namelist() if path.startswith("bestpick/")}
        package = os.path.dirname(bestpick.__file__)
        files = {"bestpick/" + file for file in os.listdir(package) if file != "__pycache__"}
        self.assertEqual(files, packed)
        self.assertIn("bestpick/py.typed", packed)


if __name__ == "__main__":
    unittest.main()
