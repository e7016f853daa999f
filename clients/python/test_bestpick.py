"""Tests of Client against a real server, and against one that fails in ways the real one rarely does.

The real one is at BESTPICK_TEST_URL, and BESTPICK_TEST_TOKEN is the token of its owner.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import pickle
import tempfile
import threading
import unittest
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Callable, ContextManager, Iterator, List
from unittest import mock

import bestpick
from bestpick import Client, Problem, _transport
from bestpick._decode import read_time

URL = os.environ["BESTPICK_TEST_URL"]
TOKEN = os.environ["BESTPICK_TEST_TOKEN"]

LAMPS = [
    {"id": "orb", "label": "Orb", "price": 89, "glass": True},
    {"id": "reed", "label": "Reed", "price": 129, "glass": False},
    {"id": "..", "label": "Two dots", "price": 45, "glass": False},
    {"id": "a/b", "label": "A slash", "price": 60, "glass": True},
]
AT_ONCE: bestpick.Settings = {"k": 2, "grace_seconds": -1, "delta": 0.1}

# The method of each operation, by the id that the description of the interface has for it.
METHODS = {
    "list-studies": Client.studies,
    "create-study": Client.create,
    "read-study": Client.study,
    "change-study": Client.change,
    "delete-study": Client.delete,
    "open-study": Client.open,
    "pause-study": Client.pause,
    "close-study": Client.close,
    "list-arms": Client.arms,
    "add-arms": Client.add_arms,
    "replace-arms": Client.replace_arms,
    "set-contexts": Client.set_contexts,
    "set-prior": Client.set_prior,
    "remove-prior": Client.remove_prior,
    "withdraw-arm": Client.withdraw,
    "list-panel": Client.panel,
    "add-members": Client.add_members,
    "import-members": Client.import_members,
    "remove-members": Client.remove_members,
    "renew-key": Client.renew_key,
    "welcome": Client.welcome,
    "ask": Client.ask,
    "answer-profile": Client.answer_profile,
    "answer": Client.answer,
    "skip": Client.skip,
    "undo": Client.undo,
    "erase-respondent": Client.erase,
    "exclude-respondent": Client.exclude,
    "verdict": Client.verdict,
    "contenders": Client.contenders,
    "leaderboard": Client.leaderboard,
    "judges": Client.judges,
    "events": Client.events,
    "set-webhook": Client.set_webhook,
    "read-webhook": Client.webhook,
    "delete-webhook": Client.delete_webhook,
    "export-log": Client.export,
    "public-key": Client.public_key,
    "export-answers": Client.export,
    "export-arms": Client.export_to,
    "export-leaderboard": Client.export_to,
    "import-answers": Client.import_answers,
    "read-audit": Client.audit,
    "list-tokens": Client.tokens,
    "create-token": Client.create_token,
    "revoke-token": Client.revoke_token,
}


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, TOKEN, timeout=20)
        self.folder = Path(self.enter(tempfile.TemporaryDirectory()))

    def enter(self, context: ContextManager[str]) -> str:
        """Does what enterContext does from Python 3.11 on."""
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    @contextlib.contextmanager
    def refused(self, kind: str) -> Iterator[None]:
        with self.assertRaises(Problem) as caught:
            yield
        self.assertEqual(caught.exception.type, kind, caught.exception)

    def draft(self, settings: bestpick.Settings = AT_ONCE) -> str:
        return self.client.create("Lamps", LAMPS, prompt="Which?", settings=settings).study.id

    def opened(self, settings: bestpick.Settings = AT_ONCE) -> str:
        return self.client.open(self.draft(settings)).id


class Owners(Case):
    def test_every_operation_has_a_method(self) -> None:
        with urllib.request.urlopen(URL + "/api/v1/openapi.json") as reply:
            paths = json.load(reply)["paths"]
        ids = {operation["operationId"] for methods in paths.values() for operation in methods.values()}
        self.assertEqual(ids, set(METHODS))

    def test_create_from_dictionaries(self) -> None:
        before = datetime.now(timezone.utc) - timedelta(minutes=1)
        created = self.client.create("Lämps", LAMPS, prompt="Which?", settings={"k": 2, "each": 7, "plain_cards": True})
        study = self.client.study(created.study.id)
        self.assertEqual(study, created.study)
        self.assertEqual(("Lämps", "Which?", "draft", 4), (study.name, study.prompt, study.state, study.arms))
        self.assertEqual((2, 7, True), (study.settings["k"], study.settings["each"], study.settings["plain_cards"]))
        self.assertGreater(study.created, before)
        arms = list(self.client.arms(study.id))
        self.assertEqual([lamp["id"] for lamp in LAMPS], [arm.id for arm in arms])
        self.assertEqual("Orb", arms[0].label)
        self.assertIn(bestpick.Attribute("price", "89"), arms[0].attributes)

    def test_create_from_files(self) -> None:
        path = self.folder / 'lä"mps.csv'
        path.write_text("id,price,glass\na,10,yes\nb,20,no\nc,30,yes\n", encoding="utf-8")
        for given in (path, str(path)):
            self.assertEqual(3, self.client.create("Lamps", given).study.arms)
        warned = self.client.create("Lamps", Path(__file__).parents[2] / "examples" / "lamps.csv")
        self.assertEqual((12, ["watts"]), (warned.study.arms, [warning.column for warning in warned.warnings]))
        odd = self.folder / "lamps.docx"
        odd.write_text("no table")
        with self.assertRaises(Problem) as caught:
            self.client.create("Lamps", odd)
        self.assertEqual((Problem.INVALID, 422), (caught.exception.type, caught.exception.status))
        self.assertEqual("body.catalogue", caught.exception.errors[0].location)
        self.assertIn("lamps.docx", str(caught.exception))

    def test_pages(self) -> None:
        ids = [self.client.create("Page", LAMPS).study.id for _ in range(51)]
        listed = [study.id for study in self.client.studies()]
        self.assertEqual(ids[::-1], [one for one in listed if one in ids])
        self.assertEqual(len(set(listed)), len(listed))
        many = [{"id": f"a{i}", "x": i, "y": i * i % 7} for i in range(201)]
        study = self.client.create("Many", many).study.id
        self.assertEqual([row["id"] for row in many], [arm.id for arm in self.client.arms(study)])

    def test_change(self) -> None:
        read = self.client.study(self.draft())
        settings: bestpick.Settings = {**read.settings, "budget": 5}
        changed = self.client.change(read.id, read.version, name="Lights", prompt="", settings=settings)
        self.assertEqual(("Lights", "", settings), (changed.name, changed.prompt, changed.settings))
        with self.refused(Problem.CHANGED):
            self.client.change(read.id, read.version, name="Too late")
        with self.refused(Problem.CHANGED):
            self.client.open(read.id, version=read.version)
        self.assertEqual("Lights", self.client.study(read.id).name)

    def test_states(self) -> None:
        study = self.draft()
        with self.refused(Problem.DRAFT):
            self.client.ask(study)
        self.assertEqual("open", self.client.open(study).state)
        self.assertEqual("paused", self.client.pause(study).state)
        with self.refused(Problem.PAUSED):
            self.client.ask(study)
        with self.refused(Problem.STARTED):
            self.client.replace_arms(study, self.client.study(study).version, LAMPS)
        closed = self.client.close(study)
        self.assertEqual(("done", "stopped"), (closed.state, closed.reason))
        with self.refused(Problem.DONE):
            self.client.ask(study)
        with self.refused(Problem.WRONG_STATE):
            self.client.pause(study)
        self.assertEqual("open", self.client.open(study).state)
        self.client.delete(study)
        with self.refused(Problem.NOT_FOUND):
            self.client.study(study)

    def test_arms_come_and_go(self) -> None:
        created = self.client.create("Lamps", LAMPS[:3]).study
        study = created.id
        replaced = self.client.replace_arms(study, created.version, LAMPS)
        added = self.client.add_arms(study, [{"id": "new", "price": 70, "glass": True}], version=replaced.study.version)
        self.assertEqual((4, 5), (replaced.study.arms, added.study.arms))
        for arm in ("..", "a/b"):
            self.client.withdraw(study, arm)
        self.assertEqual(["..", "a/b"], [arm.id for arm in self.client.arms(study) if arm.withdrawn])

    def test_strangers(self) -> None:
        for stranger in (Client(URL), Client(URL, "bestpick_none")):
            with self.refused(Problem.UNAUTHORIZED):
                list(stranger.studies())

    def test_tokens(self) -> None:
        made = self.client.create_token("anna / ..", "viewer")
        self.assertIn(bestpick.Token(made.name, "viewer", made.created), self.client.tokens())
        self.assertNotIn(made.secret, repr(made))
        with self.refused(Problem.TAKEN):
            self.client.create_token(made.name, "owner")
        anna = Client(URL, made.secret)
        study = self.draft()
        self.assertEqual(0, anna.verdict(study).answers)
        for forbidden in (lambda: anna.open(study), lambda: anna.export(study, "answers"), anna.tokens):
            with self.refused(Problem.FORBIDDEN):
                forbidden()
        self.client.revoke_token(made.name)
        with self.refused(Problem.UNAUTHORIZED):
            anna.verdict(study)
        with self.refused(Problem.NOT_FOUND):
            self.client.revoke_token(made.name)
        invited = self.client.create_token("ben", "viewer", study=study, invite=True)
        self.assertEqual(("", study, True), (invited.secret, invited.study, invited.link.startswith("/join/")))
        self.client.revoke_token("ben")
        owners = [token.name for token in self.client.tokens() if token.role == "owner"]
        self.assertEqual(2, len(owners))  # the invited first owner, and this client

    def test_webhook(self) -> None:
        study = self.draft()
        with self.refused(Problem.NOT_FOUND):
            self.client.webhook(study)
        made = self.client.set_webhook(study, "https://example.com/hook")
        self.assertEqual(("https://example.com/hook", "waiting", 0), (made.url, made.state, made.attempts))
        self.assertTrue(made.secret)
        self.assertNotIn(made.secret, repr(made))
        self.assertEqual(made.delivery, self.client.webhook(study).delivery)
        with self.refused(Problem.INVALID):
            self.client.set_webhook(study, "ftp://example.com")
        self.client.delete_webhook(study)
        with self.refused(Problem.NOT_FOUND):
            self.client.delete_webhook(study)

    def test_audit(self) -> None:
        studies = [self.opened() for _ in range(51)]
        self.client.delete(studies[0])
        done = [entry for entry in self.client.audit() if entry.study in studies]
        self.assertEqual(103, len(done))
        self.assertEqual(("delete-study", studies[0]), (done[0].operation, done[0].study))
        self.assertEqual(("create-study", '"Lamps", 4 options'), (done[-1].operation, done[-1].detail))
        self.assertTrue(done[0].by)
        self.assertGreater(done[0].at, done[-1].at)


class Respondents(Case):
    def test_answer(self) -> None:
        study = self.opened({**AT_ONCE, "each": 2, "grace_seconds": 60})
        person = Client(URL)
        with self.refused(Problem.FORBIDDEN):
            person.ask(study, "anna")
        name = person.welcome(study).respondent
        question = person.ask(study, name)
        self.assertEqual((name, "Which?", 2), (question.respondent, question.prompt, len(question.arms)))
        self.assertEqual((1, 0, 2), (question.picks, question.done, question.each))
        self.assertGreater(question.expires, datetime.now(timezone.utc))
        first, second = (arm.id for arm in question.arms)
        person.answer(study, question.token, first)
        person.answer(study, question.token, first)
        with self.refused(Problem.CONFLICT):
            person.answer(study, question.token, second)
        person.undo(study, question.token)
        with self.refused(Problem.INVALID):
            person.answer(study, question.token, first, second)
        person.answer(study, question.token, second)
        person.skip(study, person.ask(study, name).token)
        with self.refused(Problem.ENOUGH):
            person.ask(study, name)
        with self.refused(Problem.BAD_TOKEN):
            person.skip(study, "made up")
        self.assertNotEqual(person.ask(study).respondent, person.ask(study).respondent)
        self.assertEqual(0, person.ask(study).done)

    def test_consent(self) -> None:
        study = self.draft()
        page = {"texts": {"en": {"consent": "I agree."}}}
        profile = {"questions": [{"name": "years", "text": "How old are you?"}]}
        self.client._call(dict, "PATCH", _transport.at(study), body={"page": page, "profile": profile}, version=self.client.study(study).version)
        self.client.open(study)
        person = Client(URL)
        welcome = person.welcome(study)
        agreed = welcome.texts["en"].consent_id
        with self.refused(Problem.NO_CONSENT):
            person.answer_profile(study, {"years": "30"}, respondent=welcome.respondent)
        person.answer_profile(study, {"years": "30"}, respondent=welcome.respondent, consent=agreed)
        person.ask(study, welcome.respondent)
        with self.refused(Problem.NO_CONSENT):
            person.ask(study, person.welcome(study).respondent)
        with self.refused(Problem.NO_PROFILE):
            person.ask(study, person.welcome(study).respondent, consent=agreed)

    def test_answer_and_ask(self) -> None:
        study = self.opened({**AT_ONCE, "each": 2})
        question = self.client.ask(study, "anna")
        following = self.client.answer_and_ask(study, question.token, question.arms[0].id)
        assert following is not None
        self.assertEqual(("anna", 1, 2), (following.respondent, following.done, len(following.arms)))
        self.assertIsNone(self.client.answer_and_ask(study, following.token, following.arms[0].id))

    def test_erase(self) -> None:
        study = self.opened()
        for person in ("anna", "ben"):
            question = self.client.ask(study, person)
            self.client.answer(study, question.token, question.arms[0].id)
        self.assertEqual(study, self.client.exclude(study, "ben").id)
        with self.refused(Problem.INVALID):
            self.client.exclude(study, "cleo")
        done = self.client.erase(study, "anna")
        self.assertEqual((1, 0, 0), (done.answers, done.skips, done.taken_back))
        self.assertGreater(done.after.plan, done.before.plan)
        self.assertTrue(done.sentence)
        exported = self.client.export(study, "answers", "csv").decode()
        self.assertNotIn("anna", exported)
        self.assertIn("ben", exported)
        self.assertEqual(0, self.client.erase(study, "anna").answers)
        with self.refused(Problem.UNAUTHORIZED):
            Client(URL).erase(study, "anna")

    def test_segments(self) -> None:
        segments: List[bestpick.Segment] = [{"name": "old", "share": 1}, {"name": "young", "share": 2}]
        study = self.opened({**AT_ONCE, "model": {"segments": segments}})
        with self.refused(Problem.INVALID):
            self.client.ask(study, "anna")
        self.client.ask(study, "anna", segment="old")


class Panels(Case):
    def test_members_alone_answer(self) -> None:
        study = self.opened()
        anna, ben = self.client.add_members(study, ["anna", {"name": "b/.. Ünï"}])
        self.assertEqual("personal", self.client.study(study).settings["audience"])
        self.assertIn(anna.key, anna.link)
        self.assertNotIn(anna.key, repr(anna))
        person = Client(URL)
        for refused in (lambda: person.ask(study), lambda: person.ask(study, key="none")):
            with self.refused(Problem.NOT_MEMBER):
                refused()
        question = person.ask(study, key=anna.key)
        self.assertEqual("anna", question.respondent)
        person.answer(study, question.token, question.arms[0].id)
        self.assertEqual([("anna", 1), ("b/.. Ünï", 0)], [(one.name, one.done) for one in self.client.panel(study)])
        self.assertEqual(anna.key, self.client.add_members(study, ["anna"])[0].key)
        renewed = self.client.renew_key(study, ben.name)
        with self.refused(Problem.NOT_MEMBER):
            person.ask(study, key=ben.key)
        person.ask(study, key=renewed.key)
        self.assertEqual(1, self.client.remove_members(study, "anna", "unknown"))
        with self.refused(Problem.NOT_MEMBER):
            person.ask(study, key=anna.key)
        with self.refused(Problem.NOT_FOUND):
            self.client.renew_key(study, "anna")
        self.client.change(study, self.client.study(study).version, settings={"audience": "link"})
        person.ask(study)

    def test_members_of_a_file(self) -> None:
        segments: List[bestpick.Segment] = [{"name": "old", "share": 1}, {"name": "young", "share": 2}]
        study = self.draft({**AT_ONCE, "model": {"segments": segments}})
        path = self.folder / "people.csv"
        path.write_text("name,segment\n" + "".join(f"person {i},old\n" for i in range(60)), encoding="utf-8")
        self.client.add_members(study, [{"name": "person 7", "segment": "young"}])
        self.assertEqual(bestpick.Joined(60, 59), self.client.import_members(study, path))
        members = list(self.client.panel(study))
        self.assertEqual((60, {"old"}), (len({one.key for one in members}), {one.segment for one in members}))
        path.write_text("name,segment\nanna,middle\n", encoding="utf-8")
        with self.refused(Problem.INVALID):
            self.client.import_members(study, path)


def price(arm: bestpick.Arm) -> float:
    return float(next(attribute.value for attribute in arm.attributes if attribute.name == "price"))


class Results(Case):
    def answer_until_done(self, study: str) -> None:
        """Always picks the cheapest, until the study is done."""
        with contextlib.suppress(Problem):
            while True:
                question = self.client.ask(study)
                self.client.answer(study, question.token, min(question.arms, key=price).id)

    def test_events_until_done(self) -> None:
        study = self.opened({**AT_ONCE, "budget": 30})
        self.assertEqual(("asking", 0), (self.client.verdict(study).status, self.client.verdict(study).answers))
        person = threading.Thread(target=self.answer_until_done, args=(study,))
        person.start()
        verdicts = list(self.client.events(study))
        person.join()
        last = verdicts[-1]
        self.assertEqual(("done", self.client.study(study).reason), (last.state, last.reason))
        self.assertEqual(sorted(v.answers for v in verdicts), [v.answers for v in verdicts])
        self.assertGreater(len(verdicts), 1)
        assert last.leader is not None and last.at is not None
        self.assertEqual("..", last.leader.id)
        self.assertEqual(last, self.client.verdict(study))
        self.assertEqual(last.contenders, self.client.contenders(study).contenders)

    def test_events_of_a_study_that_goes(self) -> None:
        study = self.opened()
        events = self.client.events(study)
        self.assertEqual("open", next(events).state)
        self.client.delete(study)
        with self.refused(Problem.NOT_FOUND):
            for verdict in events:  # of the first plan, which may come late
                self.assertEqual("open", verdict.state)

    def test_files(self) -> None:
        study = self.opened()
        question = self.client.ask(study, "anna")
        self.client.answer(study, question.token, question.arms[0].id)
        rows = [json.loads(line) for line in self.client.export(study, "answers", "jsonl").splitlines()]
        self.assertEqual([("anna", [question.arms[0].id])], [(row["respondent"], row["picks"]) for row in rows])
        self.assertTrue(self.client.export(study, "arms").startswith(b"id,"))
        for name, start in (("arms.parquet", b"PAR1"), ("arms.jsonl", b"{"), ("arms.csv", b"id,")):
            self.client.export_to(self.folder / name, study, "arms")
            self.assertTrue((self.folder / name).read_bytes().startswith(start), name)
        self.client.export_to(self.folder / "study.log", study, "log")
        self.assertIn(b"bestpick_study", (self.folder / "study.log").read_bytes())
        with self.refused(Problem.INVALID):
            self.client.export_to(self.folder / "arms.docx", study, "arms")
        self.assertEqual({"arms.parquet", "arms.jsonl", "arms.csv", "study.log"}, set(os.listdir(self.folder)))

    def test_import(self) -> None:
        study = self.opened()
        answers = [
            {"shown": ["orb", "reed"], "picks": ["orb"], "respondent": "anna"},
            {"shown": ["reed", ".."], "picks": [".."]},
        ]
        done = self.client.import_answers(study, answers, batch="first")
        self.assertEqual(bestpick.Imported("first", 2), done)
        with self.refused(Problem.KNOWN):
            self.client.import_answers(study, answers, batch="first")
        self.client.export_to(self.folder / "answers.csv", study, "answers")
        other = self.draft()
        self.assertEqual(2, self.client.import_answers(other, self.folder / "answers.csv").answers)
        with self.refused(Problem.INVALID):
            self.client.import_answers(other, [{"shown": ["orb", "lost"], "picks": ["orb"]}])

    def test_prior(self) -> None:
        study = self.client.create("Lamps", LAMPS, settings={"assume": "linear"}).study
        answers = [{"shown": ["orb", "reed"], "picks": ["orb"]}]
        self.assertEqual(bestpick.Prior(1), self.client.set_prior(study.id, answers))
        self.assertEqual(1, self.client.study(study.id).prior)
        with self.refused(Problem.INVALID):
            self.client.set_prior(study.id, [{"shown": ["orb", "lost"], "picks": ["orb"]}])
        self.assertEqual(0, self.client.remove_prior(study.id).prior)

    def test_contexts(self) -> None:
        study = self.draft()
        texts = [
            {"arm": lamp["id"], "context": context, "text": f"{lamp['label']} in the {context}"}
            for lamp in LAMPS
            for context in ("hall", "garden")
        ]
        self.assertEqual(bestpick.Contexts(2, 8, "markdown"), self.client.set_contexts(study, texts, format="markdown"))
        with self.refused(Problem.INVALID):
            self.client.set_contexts(study, texts[1:])
        self.client.open(study)
        question = self.client.ask(study, "anna")
        self.assertIn(question.context, ("hall", "garden"))
        for arm in question.arms:
            self.assertEqual(("", True), (arm.label, arm.text.endswith(f"in the {question.context}")))

    def test_notes(self) -> None:
        study = self.draft({**AT_ONCE, "notes": True})
        self.client.open(study)
        question = self.client.ask(study, "gpt")
        self.client.answer(
            study, question.token, question.arms[0].id, rationale="shorter", metadata={"version": "7"}, judge="model"
        )
        row = self.client.rows(study, "answers")[0]
        self.assertEqual(("model", "shorter", {"version": "7"}), (row["judge"], row["rationale"], row["metadata"]))

    def test_judges(self) -> None:
        study = self.draft()
        order = ["orb", "reed", "..", "a/b"]
        answers = []
        for number in range(40):
            for judge in ("anna", "ben", "clicker"):
                for first, second in (("orb", "reed"), ("reed", ".."), ("..", "a/b"), ("orb", "a/b")):
                    likes = number % 2 == 0 if judge == "clicker" else number % 5 > 0
                    answers.append({"shown": [second, first], "picks": [first if likes else second], "respondent": judge})
        self.client.import_answers(study, answers)
        judges = self.client.judges(study)
        self.assertEqual((480, 3), (judges.answers, len(judges.judges)))
        self.assertEqual({"person"}, {judge.kind for judge in judges.judges})
        self.assertEqual(["clicker"], [judge.respondent for judge in judges.judges if judge.random])
        self.assertEqual(order, [estimate.arm.id for estimate in judges.estimates])


# A step is how a bad server replies to one request.
Step = Callable[[http.server.BaseHTTPRequestHandler], None]


def reply(status: int, body: bytes, *headers: str) -> Step:
    """Replies plainly, with headers such as "Retry-After: 1"."""

    def step(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for header in headers:
            handler.send_header(*header.split(": "))
        handler.end_headers()
        handler.wfile.write(body)

    return step


def hang_up(handler: http.server.BaseHTTPRequestHandler) -> None:
    """Replies nothing."""


BUSY = reply(503, b'{"type":"urn:bestpick:no-question","title":"Service Unavailable","status":503}', "Retry-After: 0")
OUTCOME = reply(200, b'{"kind":"answered"}')


def verdict(answers: int, state: str = "open") -> bytes:
    """Returns a verdict as a newer server might write it."""
    numbers = {"answers": answers, "plan": answers, "evidence": 0.5, "threshold": 3.0, "delta": 0.05, "epsilon": 0}
    nested = {"forecast": {"known": False, "mood": "good"}, "model": {"status": "fits"}, "contenders": []}
    told = {"state": state, "status": "asking", "news": [1, 2], **numbers, **nested}
    return b": a comment\nid: 1\nevent: verdict\ndata: " + json.dumps(told).encode() + b"\n\n"


class BadServer(unittest.TestCase):
    """Has a client of a server that replies as the steps say."""

    def setUp(self) -> None:
        self.steps: List[Step] = []
        self.requests: List[str] = []
        case = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                case.requests.append(f"{self.command} {self.path}")
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                case.steps.pop(0)(self)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.client = Client(f"http://127.0.0.1:{server.server_port}", "bestpick_secret", timeout=0.5)
        waits = mock.patch.object(_transport, "WAITS", (0.0, 0.0, 0.0))
        waits.start()
        self.addCleanup(waits.stop)


class BadServers(BadServer):
    def test_safe_requests_are_sent_again(self) -> None:
        self.steps = [hang_up, BUSY, OUTCOME]
        self.client.answer("s", "t", "a")
        self.assertEqual(["POST /api/v1/studies/s/answers"] * 3, self.requests)

    def test_not_for_ever(self) -> None:
        self.steps = [BUSY] * 9
        with self.assertRaises(Problem) as caught:
            self.client.ask("s")
        self.assertEqual((503, 4), (caught.exception.status, len(self.requests)))
        self.steps, self.requests = [hang_up] * 9, []
        with self.assertRaises(ConnectionError):
            self.client.ask("s")
        self.assertEqual(4, len(self.requests))

    def test_nothing_else_is_sent_again(self) -> None:
        for call in (self.client.skip, self.client.undo):
            self.steps, self.requests = [BUSY, OUTCOME], []
            with self.assertRaises(Problem):
                call("s", "t")
            self.assertEqual(1, len(self.requests))
        self.steps, self.requests = [reply(503, b""), OUTCOME], []  # it does not say when to come again
        with self.assertRaises(Problem):
            self.client.answer("s", "t", "a")
        self.assertEqual(1, len(self.requests))

    def test_events_go_on_after_a_loss(self) -> None:
        half = reply(200, verdict(1) + verdict(2)[:40])
        repeated, last = reply(200, verdict(1) + verdict(2)), reply(200, verdict(3, "done") + verdict(4))
        self.steps = [half, hang_up, BUSY, repeated, last]
        self.assertEqual([1, 2, 3], [v.answers for v in self.client.events("s")])

    def test_quiet_events_go_on(self) -> None:
        quiet = threading.Event()

        def silence(handler: http.server.BaseHTTPRequestHandler) -> None:
            reply(200, verdict(1))(handler)
            quiet.wait(5)

        self.client.timeout = 0.05
        self.steps = [silence, reply(200, verdict(2, "done"))]
        self.assertEqual([1, 2], [v.answers for v in self.client.events("s")])
        quiet.set()

    def test_events_end_when_the_server_is_gone(self) -> None:
        self.steps = [reply(200, verdict(1))] + [hang_up] * 9
        events = self.client.events("s")
        self.assertEqual(1, next(events).answers)
        with self.assertRaises(ConnectionError):
            next(events)
        self.assertEqual(4, len(self.requests))

    def test_half_a_file_is_none(self) -> None:
        chunked = reply(200, b"5\r\nid,x\n\r\n5\r\na", "Transfer-Encoding: chunked")
        for cut in (chunked, reply(200, b"id,x\n", "Content-Length: 100")):
            with tempfile.TemporaryDirectory() as folder:
                self.steps = [cut, cut]
                path = Path(folder, "arms.csv")
                path.write_text("before")
                with self.assertRaises(ConnectionError):
                    self.client.export_to(path, "s", "arms")
                with self.assertRaises(ConnectionError):
                    self.client.export("s", "arms")
                self.assertEqual((["arms.csv"], "before"), (os.listdir(folder), path.read_text()))

    def test_redirects_are_not_followed(self) -> None:
        self.steps = [reply(302, b"", f"Location: {self.client.url}/elsewhere"), OUTCOME]
        with self.assertRaises(Problem) as caught:
            self.client.verdict("s")
        self.assertEqual((302, 1), (caught.exception.status, len(self.requests)))

    def test_other_servers(self) -> None:
        self.steps = [reply(200, b"<html>"), reply(404, b"<html>"), reply(500, b"[1]")]
        with self.assertRaisesRegex(ValueError, "not JSON"):
            self.client.verdict("s")
        for status in (404, 500):
            with self.assertRaises(Problem) as caught:
                self.client.verdict("s")
            self.assertEqual(status, caught.exception.status)
            self.assertTrue(str(caught.exception))


class Secrets(unittest.TestCase):
    def test_no_token_is_told(self) -> None:
        self.assertNotIn("secret", repr(Client("http://127.0.0.1:1", "secret")))
        question = bestpick.Question("secret", "anna", "Which?", (), 1, datetime.now())
        self.assertNotIn("secret", repr(question))
        here = "http://127.0.0.1"
        bad = ((here, "secret\n"), (here, "secret é"), ("http://me:secret@host", None), ("file:///secret", None))
        for url, token in bad:
            with self.assertRaises(ValueError) as caught:
                Client(url, token)
            self.assertNotIn("secret", str(caught.exception))

    def test_nobody_there(self) -> None:
        with mock.patch.object(_transport, "WAITS", ()), self.assertRaises(ConnectionError) as caught:
            Client("http://127.0.0.1:1", "secret").answer("s", "secret", "a")
        self.assertNotIn("secret", str(caught.exception))

    def test_problems_survive_pickling(self) -> None:
        problem = Problem("t", "Title", 422, "detail", (bestpick.Detail("wrong", "body.x"),))
        again = pickle.loads(pickle.dumps(problem))
        self.assertEqual((422, "body.x: wrong", problem.errors), (again.status, str(again), again.errors))


class Times(unittest.TestCase):
    def test_times_of_any_precision(self) -> None:
        utc = timezone.utc
        for text, want in (
            ("2026-11-15T16:00:13Z", datetime(2026, 11, 15, 16, 0, 13, 0, utc)),
            ("2026-11-15T16:00:13.25Z", datetime(2026, 11, 15, 16, 0, 13, 250000, utc)),
            ("2026-11-15T16:00:13.256122631+02:00", datetime(2026, 11, 15, 14, 0, 13, 256122, utc)),
        ):
            self.assertEqual(want, read_time(text))
        with self.assertRaises(ValueError):
            read_time("yesterday")


if __name__ == "__main__":
    unittest.main()
