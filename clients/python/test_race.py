"""Tests of Race, which runs the program that BESTPICK_PROGRAM names."""

from __future__ import annotations

import json
import math
import os
import random
import time
import unittest
from typing import Any, Callable, Dict, List, Sequence

from bestpick import Race


def softmax(utility: Callable[[Any], float], seed: int) -> Callable[[Sequence[Any]], Any]:
    """Returns a judge who picks by utility and Gumbel noise."""
    noise = random.Random(seed)
    return lambda options: max(options, key=lambda option: utility(option) - math.log(noise.expovariate(1)))


LAMPS = [
    {"id": f"lamp {i}", "price": 20 + 7 * i % 90, "colour": ("brass", "black", "white")[i % 3], "glass": i % 2 == 0}
    for i in range(24)
]


def appeal(lamp: Dict[str, Any]) -> float:
    return -0.04 * float(lamp["price"]) + {"brass": 1.2, "black": 0.0, "white": -0.5}[str(lamp["colour"])]


class Frame:
    """What a DataFrame has, as far as the client is concerned."""

    def __init__(self, rows: List[Dict[str, Any]]) -> None:
        self.rows = rows

    def to_dict(self, orient: str) -> List[Dict[str, Any]]:
        assert orient == "records"
        return self.rows


class Races(unittest.TestCase):
    def test_certifies_the_favourite_of_a_simulated_judge(self) -> None:
        best = max(LAMPS, key=appeal)
        started = time.monotonic()
        with Race(LAMPS) as race:
            expected = race.estimate()
            self.assertTrue(10 < expected.low < expected.median < expected.high < 10_000, expected)
            verdict = race.run(softmax(appeal, 1))
            print(f"\nRace: {verdict.answers} answers, {time.monotonic() - started:.2f} s")
            self.assertEqual(("certified", best, "majority"), (verdict.status, verdict.winner, verdict.assumption), verdict)
            self.assertIn(best["id"], verdict.statement)
            self.assertEqual((False, verdict.answers), (verdict.partial, verdict.respondents))
            assert verdict.proven is not None
            self.assertEqual(best, verdict.proven["option"])
            self.assertLessEqual(verdict.proven["share"], 0.55)
            self.assertEqual(1.0, verdict.progress)
            board = race.leaderboard()
            self.assertEqual(len(LAMPS), len(board))
            for row in board:
                self.assertTrue(0 <= row["low"] <= row["share"] <= row["high"] <= 1, row)
            self.assertEqual(0.5, next(row["share"] for row in board if row["option"] == best))
            self.assertEqual(sorted((row["utility"] for row in board), reverse=True), [row["utility"] for row in board])
            self.assertIsNone(race.ask())

    def test_same_questions_as_simulate(self) -> None:
        with open(os.environ["BESTPICK_TEST_TRANSCRIPT"], encoding="utf-8") as file:
            transcript = json.load(file)
        with Race(transcript["options"], seed=transcript["seed"]) as race:
            for arms, picks in zip(transcript["questions"], transcript["picks"]):
                question = race.ask()
                assert question is not None
                self.assertEqual((tuple(arms), len(picks)), (question.arms, question.picks))
                race.tell(question, [race.options[pick] for pick in picks])
            self.assertEqual(race.options[transcript["leader"]], race.verdict().winner)

    def test_names_rankings_and_unanswered_questions(self) -> None:
        names = ["red", "green", "blue", "grey"]
        liked = dict(zip(names, (0.0, 3.0, 0.5, -1.0)))
        with Race(names, k=3, delta=0.1, seed=5) as race:
            noise = softmax(lambda name: liked[name], 2)
            for number, question in enumerate(race):
                if number % 7 == 3:
                    race.tell(question, None)
                    continue
                first = noise(question.options)
                rest = [option for option in question.options if option != first]
                race.tell(question, [first, noise(rest)][: question.picks])
            verdict = race.verdict()
        self.assertEqual("green", verdict.winner)
        self.assertGreater(verdict.asked, verdict.answers)
        self.assertEqual({"option": "green", "lead": 0.0}, verdict.rows()[0])

    def test_people(self) -> None:
        liked = {"red": 0.0, "green": 2.0, "blue": 0.5}
        judge = softmax(lambda name: liked[name], 4)
        with Race(liked, k=2) as race:
            for number in range(1000):
                hand = race.deal(f"person {number}", 5)
                if not hand:
                    break
                for question in hand[: 3 + number % 3]:
                    race.tell(question, judge(question.options))
                race.end(f"person {number}")
            verdict = race.verdict()
            self.assertEqual(("green", number), (verdict.winner, verdict.respondents))
            self.assertEqual([], race.deal("zoe", 5))
            with self.assertRaisesRegex(ValueError, "before"):
                race.deal("person 0", 5)

    def test_run_ends(self) -> None:
        calls: List[Sequence[str]] = []
        noise = random.Random(6)

        def at_random(options: Sequence[str]) -> str:
            calls.append(options)
            return noise.choice(options)

        forecast = "no winner within the budget"
        for assume, text in (("majority", "no winner after 10000 calls"), ("majority", forecast), ("linear", forecast)):
            calls.clear()
            with Race(["a", "b", "c"], assume=assume, epsilon=0, seed=3) as race:
                with self.assertWarnsRegex(RuntimeWarning, text):
                    verdict = race.run(at_random)
                self.assertEqual("asking", verdict.status)
                self.assertIn(len(calls), (9_999, 10_000))
                calls.clear()
                race.run(at_random, budget=7)
                self.assertLessEqual(len(calls), 7)

    def test_snapshots(self) -> None:
        judge = softmax(appeal, 3)
        with Race(LAMPS, k=2, seed=9) as race:
            self.assertEqual(10, race.run(judge, budget=10).answers)
            saved = json.loads(json.dumps(race.snapshot()))
            with Race.restore(saved) as restored:
                self.assertEqual((race.options, race.settings), (restored.options, restored.settings))
                for _ in range(20):
                    question = race.ask()
                    self.assertEqual(question, restored.ask())
                    assert question is not None
                    pick = judge(question.options)
                    race.tell(question, pick)
                    restored.tell(question, pick)
                self.assertEqual(race.verdict(), restored.verdict())

    def test_tables(self) -> None:
        rows = [{"id": "a", "x": 1.0}, {"id": "b", "x": float("nan")}, {"id": "c", "x": 2.0}, {"id": "d", "x": 3.0}]
        with Race(Frame(rows), k=2) as race:
            self.assertEqual({"id": "b"}, race.options[1])
            self.assertEqual(2, len(race.ask().options))  # type: ignore[union-attr]

    def test_errors(self) -> None:
        for options, wrong in ((["one"], "at least two"), ([], "no objects"), ([{"id": "a", "x": 1}, {"id": "a", "x": 2}], "id")):
            with self.assertRaisesRegex(ValueError, wrong):
                Race(options)
        with self.assertRaisesRegex(ValueError, "K must be at most"):
            Race(["a", "b"], k=5)
        with self.assertRaises(FileNotFoundError):
            Race(["a", "b"], program="/no/such/bestpick")
        with Race(["a", "b"], k=2) as race:
            question = race.ask()
            assert question is not None
            with self.assertRaisesRegex(ValueError, "the judge must return options"):
                race.tell(question, "c")
            with self.assertRaisesRegex(ValueError, "snapshot"):
                Race.restore("no snapshot")
            race.tell(question, "a")
            with self.assertRaisesRegex(ValueError, "picks must be at least 1"):
                Race(["a", "b"], picks=2)
            with self.assertRaisesRegex(ValueError, "outstanding"):
                race.tell(question, "a")
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            race.ask()


if __name__ == "__main__":
    unittest.main()
