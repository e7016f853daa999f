"""The client for programs without asyncio."""

from __future__ import annotations

import json
import os
import urllib.parse
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Type, TypeVar, Union

from . import _transport
from ._decode import decode
from ._tables import Rows, Table, file
from ._transport import Reply, Request, Stop, Transport, at, form, may_pass, problem_of, wait_after
from ._types import (
    Arm,
    Columns,
    Contenders,
    Contexts,
    Created,
    CreatedToken,
    CreatedWebhook,
    Entry,
    Erased,
    Imported,
    Joined,
    Judges,
    Leaderboard,
    Member,
    Prior,
    Problem,
    Question,
    Settings,
    Study,
    Token,
    Verdict,
    Webhook,
    Welcome,
    _Outcome,
)

_T = TypeVar("_T")


class Client:
    """A connection to one server. Safe for concurrent use by threads.

    Connections are used again. Close idle ones with disconnect(), or use the client in a with statement.
    """

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 60.0) -> None:
        """url is the address of the server, token the token of an owner or a viewer: respondents need none.

        timeout is how many seconds to wait for the next bytes of a reply, and how long to keep trying while the
        server limits the rate of requests.
        """
        self._transport = Transport(url, token, timeout)

    @property
    def url(self) -> str:
        return self._transport.url

    @property
    def timeout(self) -> float:
        return self._transport.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._transport.timeout = seconds

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Closes idle connections. The client can still be used."""
        self._transport.connections.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # Studies

    def studies(self) -> Iterator[Study]:
        """Goes through all studies, newest first."""
        for study in self._pages("/studies", "studies"):
            yield decode(Study, study)

    def study(self, study: str) -> Study:
        """Reads a study."""
        return self._call(Study, "GET", at(study))

    def create(
        self,
        name: str,
        arms: Table,
        *,
        prompt: str = "",
        settings: Optional[Settings] = None,
        ids: Optional[Table] = None,
        columns: Optional[Columns] = None,
        dimensions: Optional[int] = None,
        sheet: Optional[str] = None,
    ) -> Created:
        """Creates a study, as a draft, from the path of a file of arms or from a dictionary for each arm.

        ids are those of the rows of a .npy. columns says how to read columns that are recognised wrongly. dimensions is to how many embeddings are reduced. sheet is that of an
        .xlsx; the first one if it is left out.
        """
        fields = {"name": name, "prompt": prompt, "settings": json.dumps(settings or {}), **_sheet(sheet)}
        if columns is not None:
            fields["columns"] = json.dumps(columns)
        if dimensions is not None:
            fields["dimensions"] = str(dimensions)
        return self._upload(Created, "POST", "/studies", fields, _arms(arms, ids))

    def change(
        self,
        study: str,
        version: int,
        *,
        name: Optional[str] = None,
        prompt: Optional[str] = None,
        settings: Optional[Settings] = None,
    ) -> Study:
        """Changes a study, if it still has the version that was read. What is left out stays.

        Settings that are left out stay, too: {"budget": 500} changes one, 0 removes that limit.
        """
        change = {"name": name, "prompt": prompt, "settings": settings}
        body = {key: value for key, value in change.items() if value is not None}
        return self._call(Study, "PATCH", at(study), body=body, version=version)

    def open(self, study: str, *, version: Optional[int] = None) -> Study:
        """Opens a study: from now on it asks."""
        return self._call(Study, "POST", at(study, "open"), version=version)

    def pause(self, study: str, *, version: Optional[int] = None) -> Study:
        """Pauses a study: it asks nothing, but takes answers to questions that are out."""
        return self._call(Study, "POST", at(study, "pause"), version=version)

    def close(self, study: str, *, version: Optional[int] = None) -> Study:
        """Closes a study for good."""
        return self._call(Study, "POST", at(study, "close"), version=version)

    def delete(self, study: str, *, version: Optional[int] = None) -> None:
        """Deletes a study with all its answers."""
        self._done(Request("DELETE", at(study), version=version))

    # Arms

    def arms(self, study: str) -> Iterator[Arm]:
        """Goes through all arms of a study."""
        for arm in self._pages(at(study, "arms"), "arms"):
            yield decode(Arm, arm)

    def add_arms(
        self,
        study: str,
        arms: Table,
        *,
        ids: Optional[Table] = None,
        version: Optional[int] = None,
        sheet: Optional[str] = None,
    ) -> Created:
        """Adds arms with the columns of the first ones, also while the study is open."""
        return self._upload(Created, "POST", at(study, "arms"), _sheet(sheet), _arms(arms, ids), version)

    def replace_arms(
        self, study: str, version: int, arms: Table, *, ids: Optional[Table] = None, sheet: Optional[str] = None
    ) -> Created:
        """Replaces the arms of a draft, if it still has the version that was read."""
        return self._upload(Created, "PUT", at(study, "arms"), _sheet(sheet), _arms(arms, ids), version)

    def set_contexts(self, study: str, texts: Table, *, format: str = "plain", version: Optional[int] = None) -> Contexts:
        """Sets the texts of a draft's arms in contexts, such as replies of models to prompts.

        The table has a row for each arm in each context, with the columns arm, context and text. The format of all
        texts is plain or markdown.
        """
        return self._upload(Contexts, "PUT", at(study, "contexts"), {"format": format}, {"texts": file("texts", texts)}, version)

    def set_prior(self, study: str, answers: Table, *, version: Optional[int] = None) -> Prior:
        """Sets recorded answers as the prior of a draft: they inform its questions and predictions, and do not count."""
        return self._upload(Prior, "PUT", at(study, "prior"), {}, {"answers": file("answers", answers)}, version)

    def remove_prior(self, study: str, *, version: Optional[int] = None) -> Study:
        """Removes the prior of a draft."""
        return self._call(Study, "DELETE", at(study, "prior"), version=version)

    def withdraw(self, study: str, arm: str, *, version: Optional[int] = None) -> Study:
        """Withdraws an arm: it is not asked about any more and cannot win."""
        return self._call(Study, "POST", at(study, "withdrawals"), body={"arm": arm}, version=version)

    # Panels

    def panel(self, study: str) -> Iterator[Member]:
        """Goes through the members of a panel, in the order in which they were added."""
        for member in self._pages(at(study, "panel"), "members"):
            yield decode(Member, member)

    def add_members(self, study: str, members: Iterable[Union[str, Mapping[str, str]]]) -> Tuple[Member, ...]:
        """Puts respondents into the panel of a study, up to 300: names, or dictionaries with name and segment.

        From then on only members may answer, each with their key. Who is in there already keeps theirs.
        """
        body = {"members": [{"name": one} if isinstance(one, str) else dict(one) for one in members]}
        told = self._call(dict, "POST", at(study, "panel"), body=body)
        return tuple(decode(Member, one) for one in told["members"])

    def import_members(self, study: str, path: Union[str, "os.PathLike[str]"]) -> Joined:
        """Does the same with a CSV that has a column name and, if they have segments, one called segment."""
        return self._upload(Joined, "POST", at(study, "panel", "import"), {}, {"members": file("members", path)})

    def remove_members(self, study: str, *names: str) -> int:
        """Removes respondents from the panel of a study and returns how many were in there.

        An empty panel means that no one may answer: change(…, settings={"audience": "link"}) opens the study again.
        """
        removed: int = self._call(dict, "POST", at(study, "panel", "removals"), body={"names": names})["removed"]
        return removed

    def renew_key(self, study: str, name: str) -> Member:
        """Gives a member another key. The old one is worthless then."""
        return self._call(Member, "POST", at(study, "panel", "keys"), body={"name": name})

    # Respondents

    def welcome(self, study: str) -> Welcome:
        """Reads the texts before the first question, by language, and a name for a respondent of an open link."""
        return self._call(Welcome, "GET", at(study, "welcome"))

    def ask(
        self,
        study: str,
        respondent: str = "",
        *,
        segment: str = "",
        key: str = "",
        consent: str = "",
        pid: str = "",
        signature: str = "",
    ) -> Question:
        """Asks for a question, and waits a little if there is none.

        The first question of a respondent with a name deals all questions of their session. The name is the respondent
        of the welcome; a client with an owner's token may use any. Without a name the respondent is another person each
        time, with this one question. Members of a panel ask with their key, which says who they are. The audiences ids
        and signed need the pid, and signed its signature. A study with a text of consent needs its consent_id once.
        """
        body = {"respondent": respondent, "segment": segment, "key": key, "consent": consent}
        body |= {"pid": pid, "signature": signature}
        return self._call(Question, "POST", at(study, "questions"), body={k: v for k, v in body.items() if v}, safe=True)

    def answer(
        self,
        study: str,
        token: str,
        *picks: str,
        worst: str = "",
        none: bool = False,
        tie: bool = False,
        rationale: str = "",
        metadata: Optional[Mapping[str, str]] = None,
        judge: str = "",
    ) -> None:
        """Answers a question with the ids of the arms picked, best first. It is then safe on disk.

        Where the question offers it, the answer names the worst arm, too, or is none or tie without picks.
        The rationale and the metadata are stored with the answer. The judge is a "person" or a "model".
        """
        body = _answer(token, picks, worst, none, tie, rationale, metadata, judge)
        self._call(dict, "POST", at(study, "answers"), body=body, safe=True)

    def answer_and_ask(
        self,
        study: str,
        token: str,
        *picks: str,
        worst: str = "",
        none: bool = False,
        tie: bool = False,
        rationale: str = "",
        metadata: Optional[Mapping[str, str]] = None,
        judge: str = "",
    ) -> Optional[Question]:
        """Answers a question and returns the next one, or None if there is none at once: then ask()."""
        body = {**_answer(token, picks, worst, none, tie, rationale, metadata, judge), "next": True}
        return self._call(_Outcome, "POST", at(study, "answers"), body=body, safe=True).next

    def answer_profile(
        self,
        study: str,
        answers: dict[str, str],
        *,
        respondent: str = "",
        key: str = "",
        after: bool = False,
        consent: str = "",
    ) -> str:
        """Says what a respondent answers to the profile questions, and returns the respondent's name."""
        body = {"answers": answers, "respondent": respondent, "key": key, "after": after, "consent": consent}
        admitted: dict[str, str] = self._call(dict, "POST", at(study, "profiles"), body=body, safe=True)
        return admitted["respondent"]

    def skip(self, study: str, token: str) -> None:
        """Says that the respondent cannot decide."""
        self._call(dict, "POST", at(study, "skips"), body={"token": token})

    def undo(self, study: str, token: str) -> None:
        """Takes an answer back, as long as it is not counted. The question can be answered again."""
        self._call(dict, "POST", at(study, "undos"), body={"token": token})

    def erase(self, study: str, respondent: str) -> Erased:
        """Deletes what is known of a respondent, for an owner. It may be asked for again."""
        return self._call(Erased, "POST", at(study, "erasures"), body={"respondent": respondent})

    def exclude(self, study: str, respondent: str, *, version: Optional[int] = None) -> Study:
        """Excludes a respondent by hand: a verdict is certified only if it holds with and without them."""
        return self._call(Study, "POST", at(study, "exclusions"), body={"respondent": respondent}, version=version)

    # Results

    def verdict(self, study: str) -> Verdict:
        """Reads which arm is best, and how sure that is."""
        return self._call(Verdict, "GET", at(study, "verdict"))

    def contenders(self, study: str) -> Contenders:
        """Reads which arms may still be better than the leader."""
        return self._call(Contenders, "GET", at(study, "contenders"))

    def leaderboard(self, study: str) -> Leaderboard:
        """Reads the ranks of the arms, none where the verdict has no leaderboard."""
        return self._call(Leaderboard, "GET", at(study, "leaderboard"))

    def judges(self, study: str) -> Judges:
        """Compares the respondents with one another: agreement, and who seems to answer at random. It can take seconds."""
        return self._call(Judges, "GET", at(study, "judges"))

    def events(self, study: str) -> Iterator[Verdict]:
        """Iterates over the verdicts of a study as they change, the current one first, until it is done.

        Reconnects after lost connections, and yields no verdict twice. A study that its owner has closed may
        count its last answers just after that: read verdict for the final state.
        """
        return self._events(study, Stop())

    def _events(self, study: str, stop: Stop) -> Iterator[Verdict]:
        """Does what events does, until another thread stops it."""
        last, failures = "", 0
        while True:
            try:
                with self._transport.send(_get(at(study, "events")), stop) as reply:
                    for event, data in reply.messages():
                        failures = 0
                        if event == "problem":
                            raise problem_of(json.loads(data))
                        if event != "verdict" or data == last:
                            continue
                        last = data
                        verdict = decode(Verdict, json.loads(data))
                        yield verdict
                        if verdict.state == "done":
                            return
            except (ConnectionError, Problem) as error:
                if failures == len(_transport.WAITS) or not may_pass(error):
                    raise
                if stop.wait(wait_after(error, failures)):
                    return
                failures += 1

    def set_webhook(self, study: str, url: str) -> CreatedWebhook:
        """Says where the verdict is posted when the study is done. Its secret is shown this once."""
        return self._call(CreatedWebhook, "PUT", at(study, "webhook"), body={"url": url})

    def webhook(self, study: str) -> Webhook:
        """Reads where the verdict is posted, and whether it was received."""
        return self._call(Webhook, "GET", at(study, "webhook"))

    def delete_webhook(self, study: str) -> None:
        """Has the verdict posted nowhere."""
        self._done(Request("DELETE", at(study, "webhook")))

    # Files

    def export(self, study: str, what: str, format: Optional[str] = None) -> bytes:
        """Returns a file of a study: its log, answers or arms; the last two as csv, jsonl or parquet."""
        query = {} if format is None else {"format": format}
        with self._transport.send(_get(at(study, "export", what), query)) as reply:
            return reply.read()

    def rows(self, study: str, what: str) -> Rows:
        """Returns the answers or the arms of a study as rows: rows(study, "answers").to_dataframe() with pandas."""
        return Rows(json.loads(line) for line in self.export(study, what, "jsonl").splitlines())

    def export_to(self, path: Union[str, "os.PathLike[str]"], study: str, what: str) -> None:
        """Writes a file of a study in the format that the ending of the path says, all of it or nothing."""
        whole = Path(path)
        part = whole.with_name(whole.name + ".part")
        query = {} if what == "log" else {"format": whole.suffix[1:]}
        with self._transport.send(_get(at(study, "export", what), query)) as reply:
            try:
                with part.open("wb") as out:
                    out.writelines(reply.blocks())
                part.replace(whole)
            except BaseException:
                part.unlink(missing_ok=True)
                raise

    def public_key(self) -> str:
        """Reads the key that verifies exported logs, for `bestpick verify --public-key`. It needs no token."""
        return str(self._call(dict, "GET", "/public-key")["public_key"])

    def import_answers(self, study: str, answers: Table, *, batch: str = "") -> Imported:
        """Adds answers that were recorded elsewhere, all or none: a file, or dictionaries with shown and picks.

        A batch is imported once. Without a name it is known by a hash of its contents.
        """
        fields = {"batch": batch} if batch else {}
        files = {"answers": file("answers", answers)}
        return self._upload(Imported, "POST", at(study, "import"), fields, files)

    # Who may do what

    def tokens(self) -> Tuple[Token, ...]:
        """Reads which tokens were given out, by name."""
        return tuple(decode(Token, one) for one in self._call(dict, "GET", "/tokens")["tokens"])

    def create_token(self, name: str, role: str, *, study: str = "", invite: bool = False) -> CreatedToken:
        """Creates a token with the role owner or viewer, or an invitation. Only this reply contains its secret or link.

        study restricts a viewer to one study.
        """
        body = {"name": name, "role": role, "study": study, "invite": invite}
        return self._call(CreatedToken, "POST", "/tokens", body={key: value for key, value in body.items() if value})

    def revoke_token(self, name: str) -> None:
        """Makes a token worthless, but for the last one of an owner."""
        self._done(Request("POST", "/revocations", json.dumps({"name": name}).encode()))

    def audit(self) -> Iterator[Entry]:
        """Goes through what was done, newest first."""
        for entry in self._pages("/audit", "entries"):
            yield decode(Entry, entry)

    # Requests

    def _call(
        self,
        kind: Type[_T],
        method: str,
        path: str,
        *,
        body: Optional[object] = None,
        version: Optional[int] = None,
        safe: bool = False,
    ) -> _T:
        """Sends JSON, if there is some, and reads the reply."""
        text = None if body is None else json.dumps(body).encode()
        request = Request(method, path, text, version=version, safe=safe or method == "GET")
        return self._transport.call(request, lambda reply: decode(kind, reply.json()))

    def _done(self, request: Request) -> None:
        """Sends a request whose reply says nothing but that it succeeded."""
        self._transport.call(request, Reply.read)

    def _upload(
        self,
        kind: Type[_T],
        method: str,
        path: str,
        fields: Mapping[str, str],
        files: Mapping[str, Tuple[str, bytes]],
        version: Optional[int] = None,
    ) -> _T:
        """Sends a form with files and reads the reply."""
        content_type, body = form(fields, files)
        request = Request(method, path, body, content_type, version)
        return self._transport.call(request, lambda reply: decode(kind, reply.json()))

    def _pages(self, path: str, name: str) -> Iterator[Any]:
        """Iterates over a list, page after page."""
        query: Dict[str, str] = {}
        while True:
            page = self._transport.call(_get(path, query), Reply.json)
            yield from page[name]
            if not page.get("next"):
                return
            query = {"cursor": page["next"]}


def _answer(
    token: str,
    picks: Tuple[str, ...],
    worst: str,
    none: bool,
    tie: bool,
    rationale: str,
    metadata: Optional[Mapping[str, str]],
    judge: str,
) -> Dict[str, Any]:
    """Returns the body of an answer, without fields that are empty."""
    body = {"token": token, "picks": picks, "worst": worst, "none": none, "tie": tie}
    body.update(rationale=rationale, metadata=metadata, judge=judge)
    return {key: value for key, value in body.items() if value}


def _get(path: str, query: Optional[Mapping[str, str]] = None) -> Request:
    return Request("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""), safe=True)


def _sheet(sheet: Optional[str]) -> Dict[str, str]:
    return {} if sheet is None else {"sheet": sheet}


def _arms(arms: Table, ids: Optional[Table]) -> Dict[str, Tuple[str, bytes]]:
    files = {"catalogue": file("arms", arms)}
    if ids is not None:
        files["ids"] = file("ids", ids)
    return files
