"""A client of bestpick, which finds the best of many options by asking people to pick one of a few.

One file that needs nothing but Python 3.9 or later: copy it next to your program.

    client = bestpick.Client("http://127.0.0.1:8080", token)
    study = client.create("Lamps", "lamps.csv", prompt="Which would you buy?").study
    client.open(study.id)
    question = client.ask(study.id, "anna")
    client.answer(study.id, question.token, question.arms[0].id)
    print(client.verdict(study.id).leader)

What the server refuses is raised as a Problem. If the server cannot be reached, or does not reply in
time, that is a ConnectionError.
"""

from __future__ import annotations

import dataclasses
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

# A file in a format that the server reads, by its path, or rows that are sent as JSON Lines.
Table = Union[str, "os.PathLike[str]", Iterable[Mapping[str, object]]]

_T = TypeVar("_T")

# Seconds to wait before something is sent once more, after the first failure, the second and so on.
_WAITS = (0.25, 0.5, 1.0, 2.0)
_LONGEST_WAIT = 30.0


# Requests and replies. Settings are dictionaries, so that those of a newer server survive being
# read, changed and sent back. Results are dataclasses that leave out what they do not know.


class Segment(TypedDict):
    """A part of the population. Shares need not sum to 1."""

    name: str
    share: float


class Model(TypedDict, total=False):
    """What picks may depend on besides the features of the arms."""

    slots: bool
    intercepts: bool
    clicks: bool
    segments: List[Segment]


class Settings(TypedDict, total=False):
    """How a study is run. What is left out has its default."""

    k: int  # how many arms a question shows
    picks: int  # how many of them are ranked
    outside: bool  # whether none of the arms is an answer, too
    ties: bool  # whether it is an answer, too, that all arms are equally good
    best_worst: bool  # whether to ask for the best and the worst arm
    delta: float  # how likely a wrong verdict may be
    assume: str  # what the certificate rests on: majority or linear
    epsilon: float  # how much better another arm may be than the one that is certified
    verify: float
    fallback: float  # share of delta with which a linear study continues under majority
    model: Model
    budget: int  # after how many answers the study ends in any case
    each: int  # how many questions one respondent may answer or skip
    plain_cards: bool  # whether respondents do not see the attributes of arms
    lease_seconds: float
    grace_seconds: float  # how long an answer can be taken back; -1 for not at all
    seed: int


class Columns(TypedDict, total=False):
    """How to read columns of a file of arms that are recognised wrongly."""

    kinds: Dict[str, str]  # by column, such as {"price": "category"}
    missing: Dict[str, str]  # what to do about missing values, by column: drop, mean or level


@dataclass(frozen=True)
class Study:
    """What an owner has set up, and where it stands."""

    id: str
    name: str
    prompt: str
    state: str  # draft, open, paused or done
    settings: Settings
    arms: int
    withdrawn: int
    link: str
    version: int
    created: datetime
    changed: datetime
    reason: str = ""  # why it is done: certified, refuted, cyclic, stopped, spent or lapsed
    panel: bool = False  # only members of its panel may answer


@dataclass(frozen=True)
class CatalogueWarning:
    """What a statistician would raise about the arms."""

    text: str
    column: str = ""


@dataclass(frozen=True)
class Created:
    """A study that has new arms."""

    study: Study
    warnings: Tuple[CatalogueWarning, ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A column of the catalogue, as its owner wrote it."""

    name: str
    value: str


@dataclass(frozen=True)
class Arm:
    """One of the options, as people see it."""

    id: str
    label: str = ""
    description: str = ""
    image: str = ""
    attributes: Tuple[Attribute, ...] = ()
    withdrawn: bool = False  # in the list of arms; elsewhere it is not said


@dataclass(frozen=True)
class Question:
    """Arms to pick from, in the order in which they are to be shown."""

    token: str = field(repr=False)  # what to answer with
    respondent: str
    prompt: str
    arms: Tuple[Arm, ...]
    picks: int  # how many to pick, best first
    expires: datetime
    none: bool = False  # whether none of the arms is an answer, too
    tie: bool = False  # whether it is an answer, too, that all arms are equally good
    worst: bool = False  # whether to name the worst arm, too
    done: Optional[int] = None  # questions answered or skipped; None without a limit, or if only the name is known
    each: int = 0  # the limit of questions per respondent; 0 if there is none


@dataclass(frozen=True)
class _Outcome:
    next: Optional[Question] = None


@dataclass(frozen=True)
class Member:
    """A member of a panel. The key, which is in the link, identifies the member."""

    name: str
    key: str = field(repr=False)
    link: str = field(repr=False)
    added: datetime
    segment: str = ""  # theirs, whatever they say
    done: int = 0  # questions they have answered or skipped


@dataclass(frozen=True)
class Joined:
    """How many members a file has, and how many of them are new."""

    members: int
    added: int


@dataclass(frozen=True)
class Contender:
    """An arm that may still be better than the leader, whose true lead is between low and high."""

    arm: Arm
    evidence: float
    lead: float
    low: float
    high: float
    chosen: float = 0.0  # share of people who choose it over the leader, under majority
    compared: int = 0  # people who compared the two, under majority


@dataclass(frozen=True)
class Misfit:
    """An arm whose features do not explain how often it was picked."""

    arm: Arm
    picked: float
    expected: float


@dataclass(frozen=True)
class Contenders:
    """The contenders, the most doubtful first, and how many others are not listed."""

    contenders: Tuple[Contender, ...] = ()
    others: int = 0


@dataclass(frozen=True)
class Forecast:
    """How many more answers are likely to be needed. 0 stands for more than 10 million.

    Not known, without numbers, while the total number of answers spans more than a factor of ten. hopeless and
    epsilon may be present even then.
    """

    known: bool
    median: float = 0.0
    low: float = 0.0
    high: float = 0.0
    hopeless: bool = False
    epsilon: float = 0.0


@dataclass(frozen=True)
class Fit:
    """Whether the answers fit the model."""

    status: str  # fits, doubtful or refuted
    evidence: float = 0.0
    check: str = ""
    sentence: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Counting:
    """How many outcomes of the log are counted, while a backlog is being counted."""

    counted: int
    total: int


@dataclass(frozen=True)
class SegmentVerdict:
    """What a study under majority knows about the people of one segment."""

    segment: str
    status: str  # asking, certified or cyclic
    respondents: int
    answers: int
    forecast: Forecast
    contenders: Tuple[Arm, ...] = ()
    others: int = 0
    leader: Optional[Arm] = None


@dataclass(frozen=True)
class Outside:
    """The arms that are certainly better or worse than none of them."""

    better: Tuple[Arm, ...] = ()
    worse: Tuple[Arm, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What a study knows."""

    state: str
    status: str  # asking, decided, certified or cyclic
    answers: int
    evidence: float  # at the threshold all other arms are refuted
    threshold: float
    delta: float
    epsilon: float
    forecast: Forecast
    model: Fit
    plan: int
    contenders: Tuple[Contender, ...] = ()
    others: int = 0
    rivals: int = 0  # arms that may still be better than the leader, listed or not
    eliminated: int = 0  # arms that are not
    progress: float = 0.0  # share of the arms other than the leader that are eliminated
    leader: Optional[Arm] = None
    outside: Optional[Outside] = None  # where none of the arms is an answer, under linear
    reason: str = ""
    at: Optional[datetime] = None
    digest: str = ""
    counting: Optional[Counting] = None
    assumption: str = "linear"  # what the certificate rests on: majority or linear
    statement: str = ""  # what the certificate means, once the leader is certified
    respondents: int = 0  # people whose answers are complete, where people are counted
    misfits: Tuple[Misfit, ...] = ()
    cycle: Tuple[Arm, ...] = ()  # each is chosen over the one before: there is no clear favourite
    segments: Tuple[SegmentVerdict, ...] = ()
    segments_differ: bool = False  # certified: no arm is a favourite of all segments


@dataclass(frozen=True)
class Webhook:
    """Where the verdict is posted when a study is done, and whether it was received."""

    url: str
    set: datetime
    state: str  # waiting, delivered or given-up
    delivery: str  # the id of what is posted, the same at every attempt
    attempts: int = 0
    last: Optional[datetime] = None
    status: int = 0  # of HTTP, that the last attempt was replied with
    problem: str = ""  # why it was not
    next: Optional[datetime] = None


@dataclass(frozen=True)
class CreatedWebhook(Webhook):
    """A new webhook, with the secret of its signatures that is shown this once."""

    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class Imported:
    """How many answers were imported, under which name."""

    batch: str
    answers: int


@dataclass(frozen=True)
class Erased:
    """What was deleted of a respondent, and what that did to the verdict."""

    answers: int
    skips: int
    taken_back: int  # answers that did not count
    member: bool  # they were in the panel
    sentence: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class Token:
    """What is known of a token that was given out."""

    name: str
    role: str  # owner or viewer
    created: datetime


@dataclass(frozen=True)
class CreatedToken(Token):
    """A new token, with the secret that is shown this once."""

    secret: str = field(repr=False)


@dataclass(frozen=True)
class Entry:
    """An entry of the audit log."""

    at: datetime
    operation: str  # such as create-study
    by: str = ""  # the name of the token
    study: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Detail:
    """One thing that is wrong, and where."""

    message: str = ""
    location: str = ""


class Problem(Exception):
    """What the server refused, and why. Tell problems apart by type, such as Problem.DONE."""

    NOT_FOUND = "urn:bestpick:not-found"
    DRAFT = "urn:bestpick:draft"  # the study has not been opened yet
    PAUSED = "urn:bestpick:paused"  # the study is paused and may continue later
    DONE = "urn:bestpick:done"  # the study is done
    LAPSED = "urn:bestpick:lapsed"  # the study ended for a reason that no longer holds; its owner may open it again
    NOT_MEMBER = "urn:bestpick:not-member"
    NO_QUESTION = "urn:bestpick:no-question"
    ENOUGH = "urn:bestpick:enough"
    CONFLICT = "urn:bestpick:conflict"
    REPLACED = "urn:bestpick:replaced"
    TOO_LATE = "urn:bestpick:too-late"
    NOT_ANSWERED = "urn:bestpick:not-answered"
    BAD_TOKEN = "urn:bestpick:bad-token"
    CHANGED = "urn:bestpick:changed"
    NO_VERSION = "urn:bestpick:no-version"
    STARTED = "urn:bestpick:started"
    WRONG_STATE = "urn:bestpick:wrong-state"
    KNOWN = "urn:bestpick:known"
    INVALID = "urn:bestpick:invalid"
    TAKEN = "urn:bestpick:taken"
    LAST_OWNER = "urn:bestpick:last-owner"
    UNAVAILABLE = "urn:bestpick:unavailable"
    TIMEOUT = "urn:bestpick:timeout"
    BUSY = "urn:bestpick:busy"
    UNAUTHORIZED = "urn:bestpick:unauthorized"
    FORBIDDEN = "urn:bestpick:forbidden"

    def __init__(
        self,
        type: str,
        title: str,
        status: int,
        detail: str = "",
        errors: Tuple[Detail, ...] = (),
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(type, title, status, detail, errors, retry_after)
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.errors = errors
        self.retry_after = retry_after  # in seconds, where the server says that it has no time

    def __str__(self) -> str:
        if self.errors:
            return "; ".join(f"{e.location}: {e.message}" if e.location else e.message for e in self.errors)
        return self.detail or self.title


class Client:
    """Talks to one server. It keeps no connection, so any number of threads may use it."""

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 60.0) -> None:
        """url is where the server is, token that of an owner or a viewer: respondents need none.

        timeout is how many seconds to wait for a sign of the server.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("the url must be http://… or https://…, without a name and a password")
        if token is not None and not re.fullmatch(r"[!-~]+", token):
            raise ValueError("the token is empty, or has characters such as spaces that no token has")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # Studies

    def studies(self) -> Iterator[Study]:
        """Goes through all studies, newest first."""
        for study in self._pages("/studies", "studies"):
            yield _decode(Study, study)

    def study(self, study: str) -> Study:
        """Reads a study."""
        return self._call(Study, "GET", _at(study))

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
        panel: Optional[bool] = None,
        settings: Optional[Settings] = None,
    ) -> Study:
        """Changes a study, if it still has the version that was read. What is left out stays.

        panel says whether only members of its panel may answer.
        Settings are replaced as a whole: {**study.settings, "budget": 500} changes one.
        """
        change = {"name": name, "prompt": prompt, "panel": panel, "settings": settings}
        body = {key: value for key, value in change.items() if value is not None}
        return self._call(Study, "PATCH", _at(study), body=body, version=version)

    def open(self, study: str, *, version: Optional[int] = None) -> Study:
        """Opens a study: from now on it asks."""
        return self._call(Study, "POST", _at(study, "open"), version=version)

    def pause(self, study: str, *, version: Optional[int] = None) -> Study:
        """Pauses a study: it asks nothing, but takes answers to questions that are out."""
        return self._call(Study, "POST", _at(study, "pause"), version=version)

    def close(self, study: str, *, version: Optional[int] = None) -> Study:
        """Closes a study for good."""
        return self._call(Study, "POST", _at(study, "close"), version=version)

    def delete(self, study: str, *, version: Optional[int] = None) -> None:
        """Deletes a study with all its answers."""
        self._send("DELETE", _at(study), version=version).close()

    # Arms

    def arms(self, study: str) -> Iterator[Arm]:
        """Goes through all arms of a study."""
        for arm in self._pages(_at(study, "arms"), "arms"):
            yield _decode(Arm, arm)

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
        return self._upload(Created, "POST", _at(study, "arms"), _sheet(sheet), _arms(arms, ids), version)

    def replace_arms(
        self, study: str, version: int, arms: Table, *, ids: Optional[Table] = None, sheet: Optional[str] = None
    ) -> Created:
        """Replaces the arms of a draft, if it still has the version that was read."""
        return self._upload(Created, "PUT", _at(study, "arms"), _sheet(sheet), _arms(arms, ids), version)

    def withdraw(self, study: str, arm: str, *, version: Optional[int] = None) -> Study:
        """Withdraws an arm: it is not asked about any more and cannot win."""
        return self._call(Study, "POST", _at(study, "withdrawals"), body={"arm": arm}, version=version)

    # Panels

    def panel(self, study: str) -> Iterator[Member]:
        """Goes through the members of a panel, in the order in which they were added."""
        for member in self._pages(_at(study, "panel"), "members"):
            yield _decode(Member, member)

    def add_members(self, study: str, members: Iterable[Union[str, Mapping[str, str]]]) -> Tuple[Member, ...]:
        """Puts respondents into the panel of a study, up to 300: names, or dictionaries with name and segment.

        From then on only members may answer, each with their key. Who is in there already keeps theirs.
        """
        body = {"members": [{"name": one} if isinstance(one, str) else dict(one) for one in members]}
        with self._send("POST", _at(study, "panel"), body=json.dumps(body).encode()) as reply:
            return tuple(_decode(Member, one) for one in _json(reply)["members"])

    def import_members(self, study: str, path: Union[str, "os.PathLike[str]"]) -> Joined:
        """Does the same with a CSV that has a column name and, if they have segments, one called segment."""
        return self._upload(Joined, "POST", _at(study, "panel", "import"), {}, {"members": _file("members", path)})

    def remove_members(self, study: str, *names: str) -> int:
        """Removes respondents from the panel of a study and returns how many were in there.

        An empty panel means that no one may answer: change(…, panel=False) opens the study again.
        """
        with self._send("POST", _at(study, "panel", "removals"), body=json.dumps({"names": names}).encode()) as reply:
            removed: int = _json(reply)["removed"]
            return removed

    def renew_key(self, study: str, name: str) -> Member:
        """Gives a member another key. The old one is worthless then."""
        return self._call(Member, "POST", _at(study, "panel", "keys"), body={"name": name})

    # Respondents

    def ask(self, study: str, respondent: str = "", *, segment: str = "", key: str = "") -> Question:
        """Asks for a question, and waits a little if there is none. Without a name the respondent is new.

        Members of a panel ask with their key, which says who they are.
        """
        body = {"respondent": respondent, "segment": segment, "key": key}
        return self._insist(Question, _at(study, "questions"), {k: v for k, v in body.items() if v})

    def answer(self, study: str, token: str, *picks: str, worst: str = "", none: bool = False, tie: bool = False) -> None:
        """Answers a question with the ids of the arms picked, best first. It is then safe on disk.

        Where the question offers it, the answer names the worst arm, too, or is none or tie without picks.
        """
        self._insist(dict, _at(study, "answers"), _answer(token, picks, worst, none, tie))

    def answer_and_ask(
        self, study: str, token: str, *picks: str, worst: str = "", none: bool = False, tie: bool = False
    ) -> Optional[Question]:
        """Answers a question and returns the next one, or None if there is none at once: then ask()."""
        body = {**_answer(token, picks, worst, none, tie), "next": True}
        return self._insist(_Outcome, _at(study, "answers"), body).next

    def skip(self, study: str, token: str) -> None:
        """Says that the respondent cannot decide."""
        self._call(dict, "POST", _at(study, "skips"), body={"token": token})

    def undo(self, study: str, token: str) -> None:
        """Takes an answer back, as long as it is not counted. The question can be answered again."""
        self._call(dict, "POST", _at(study, "undos"), body={"token": token})

    def erase(self, study: str, respondent: str) -> Erased:
        """Deletes what is known of a respondent, for an owner. It may be asked for again."""
        return self._call(Erased, "POST", _at(study, "erasures"), body={"respondent": respondent})

    # Results

    def verdict(self, study: str) -> Verdict:
        """Reads which arm is best, and how sure that is."""
        return self._call(Verdict, "GET", _at(study, "verdict"))

    def contenders(self, study: str) -> Contenders:
        """Reads which arms may still be better than the leader."""
        return self._call(Contenders, "GET", _at(study, "contenders"))

    def events(self, study: str) -> Iterator[Verdict]:
        """Iterates over the verdicts of a study as they change, the current one first, until it is done.

        Reconnects after lost connections, and yields no verdict twice. A study that its owner has closed may
        count its last answers just after that: read verdict for the final state.
        """
        last, failures = "", 0
        while True:
            try:
                for event, data in self._messages(_at(study, "events")):
                    failures = 0
                    if event == "problem":
                        raise _problem(json.loads(data))
                    if event != "verdict" or data == last:
                        continue
                    last = data
                    verdict = _decode(Verdict, json.loads(data))
                    yield verdict
                    if verdict.state == "done":
                        return
            except (ConnectionError, Problem) as error:
                if failures == len(_WAITS) or not _again(error):
                    raise
                time.sleep(_wait(error, failures))
                failures += 1

    def set_webhook(self, study: str, url: str) -> CreatedWebhook:
        """Says where the verdict is posted when the study is done. Its secret is shown this once."""
        return self._call(CreatedWebhook, "PUT", _at(study, "webhook"), body={"url": url})

    def webhook(self, study: str) -> Webhook:
        """Reads where the verdict is posted, and whether it was received."""
        return self._call(Webhook, "GET", _at(study, "webhook"))

    def delete_webhook(self, study: str) -> None:
        """Has the verdict posted nowhere."""
        self._send("DELETE", _at(study, "webhook")).close()

    # Files

    def export(self, study: str, what: str, format: Optional[str] = None) -> bytes:
        """Returns a file of a study: its log, answers or arms; the last two as csv, jsonl or parquet."""
        query = {} if format is None else {"format": format}
        with self._send("GET", _at(study, "export", what), query=query) as reply:
            return _read(reply)

    def export_to(self, path: Union[str, "os.PathLike[str]"], study: str, what: str) -> None:
        """Writes a file of a study in the format that the ending of the path says, all of it or nothing."""
        whole = Path(path)
        part = whole.with_name(whole.name + ".part")
        query = {} if what == "log" else {"format": whole.suffix[1:]}
        with self._send("GET", _at(study, "export", what), query=query) as reply:
            try:
                with part.open("wb") as file:
                    file.writelines(_blocks(reply))
                part.replace(whole)
            except BaseException:
                part.unlink(missing_ok=True)
                raise

    def public_key(self) -> str:
        """Reads the key that verifies exported logs, for `bestpick verify --public-key`. It needs no token."""
        with self._send("GET", "/public-key") as reply:
            return str(_json(reply)["public_key"])

    def import_answers(self, study: str, answers: Table, *, batch: str = "") -> Imported:
        """Adds answers that were recorded elsewhere, all or none: a file, or dictionaries with shown and picks.

        A batch is imported once. Without a name it is known by a hash of its contents.
        """
        fields = {"batch": batch} if batch else {}
        files = {"answers": _file("answers", answers)}
        return self._upload(Imported, "POST", _at(study, "import"), fields, files)

    # Who may do what

    def tokens(self) -> Tuple[Token, ...]:
        """Reads which tokens were given out, by name."""
        with self._send("GET", "/tokens") as reply:
            return tuple(_decode(Token, one) for one in _json(reply)["tokens"])

    def create_token(self, name: str, role: str) -> CreatedToken:
        """Creates a token with the role owner or viewer. Only this reply contains its secret."""
        return self._call(CreatedToken, "POST", "/tokens", body={"name": name, "role": role})

    def revoke_token(self, name: str) -> None:
        """Makes a token worthless, but for the last one of an owner."""
        self._send("POST", "/revocations", body=json.dumps({"name": name}).encode()).close()

    def audit(self) -> Iterator[Entry]:
        """Goes through what was done, newest first."""
        for entry in self._pages("/audit", "entries"):
            yield _decode(Entry, entry)

    # How requests are made

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, str]] = None,
        version: Optional[int] = None,
        kind: str = "application/json",
        body: Optional[bytes] = None,
    ) -> http.client.HTTPResponse:
        """Sends a request and returns the reply, if it is one of success. It must be closed."""
        address = self.url + "/api/v1" + path
        if query:
            address += "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(address, data=body, method=method, headers={"User-Agent": "bestpick-python"})
        if self._token is not None:
            request.add_header("Authorization", "Bearer " + self._token)
        if body is not None:
            request.add_header("Content-Type", kind)
        if version is not None:
            request.add_header("If-Match", f'"{version}"')
        try:
            reply: http.client.HTTPResponse = self._opener.open(request, timeout=self.timeout)
            return reply
        except urllib.error.HTTPError as error:
            raise _refused(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from error

    def _call(
        self, kind: Type[_T], method: str, path: str, *, body: Optional[object] = None, version: Optional[int] = None
    ) -> _T:
        """Sends JSON, if there is some, and reads the reply."""
        text = None if body is None else json.dumps(body).encode()
        with self._send(method, path, body=text, version=version) as reply:
            return _decode(kind, _json(reply))

    def _insist(self, kind: Type[_T], path: str, body: object) -> _T:
        """Posts what is safe to send again, a few times if the server is away or has no time."""
        for failures in range(len(_WAITS)):
            try:
                return self._call(kind, "POST", path, body=body)
            except (ConnectionError, Problem) as error:
                if not _again(error):
                    raise
                time.sleep(_wait(error, failures))
        return self._call(kind, "POST", path, body=body)

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
        content_type, body = _form(fields, files)
        with self._send(method, path, version=version, kind=content_type, body=body) as reply:
            return _decode(kind, _json(reply))

    def _pages(self, path: str, name: str) -> Iterator[Any]:
        """Goes through a list, page after page."""
        query: Dict[str, str] = {}
        while True:
            with self._send("GET", path, query=query) as reply:
                page = _json(reply)
            yield from page[name]
            if not page.get("next"):
                return
            query = {"cursor": page["next"]}

    def _messages(self, path: str) -> Iterator[Tuple[str, str]]:
        """Goes through server-sent events, each its name and data. They never end but with an error."""
        with self._send("GET", path) as reply:
            event, data = "message", ""
            for line in _lines(reply):
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


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: they could carry the token to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _answer(token: str, picks: Tuple[str, ...], worst: str, none: bool, tie: bool) -> Dict[str, Any]:
    """Returns the body of an answer, without fields that are empty."""
    body = {"token": token, "picks": picks, "worst": worst, "none": none, "tie": tie}
    return {key: value for key, value in body.items() if value}


def _at(study: str, *more: str) -> str:
    """Returns the path of something of a study. One that is called .. is no step up."""
    parts = [urllib.parse.quote(part, safe="").replace(".", "%2E") for part in (study, *more)]
    return "/studies/" + "/".join(parts)


def _sheet(sheet: Optional[str]) -> Dict[str, str]:
    return {} if sheet is None else {"sheet": sheet}


def _arms(arms: Table, ids: Optional[Table]) -> Dict[str, Tuple[str, bytes]]:
    files = {"catalogue": _file("arms", arms)}
    if ids is not None:
        files["ids"] = _file("ids", ids)
    return files


def _file(name: str, table: Table) -> Tuple[str, bytes]:
    """Returns the name of a file and what is in it. The ending of the name says what it is."""
    if isinstance(table, (str, os.PathLike)):
        path = Path(table)
        return path.name, path.read_bytes()
    rows = [json.dumps(dict(row), allow_nan=False) + "\n" for row in table]
    return name + ".jsonl", "".join(rows).encode()


def _form(fields: Mapping[str, str], files: Mapping[str, Tuple[str, bytes]]) -> Tuple[str, bytes]:
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


def _read(reply: http.client.HTTPResponse, most: Optional[int] = None) -> bytes:
    """Reads a reply, up to a maximum number of bytes."""
    try:
        return reply.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(error) from error


def _blocks(reply: http.client.HTTPResponse) -> Iterator[bytes]:
    """Goes through a reply as it comes. One that is cut off is an error."""
    while block := _read(reply, 1 << 16):
        yield block
    if reply.length:
        raise ConnectionError(f"the reply ends {reply.length} bytes too early")


def _lines(reply: http.client.HTTPResponse) -> Iterator[str]:
    """Goes through the lines of a reply as they come."""
    try:
        for line in reply:
            yield line.decode("utf-8", "replace").rstrip("\r\n")
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(error) from error


def _json(reply: http.client.HTTPResponse) -> Any:
    text = _read(reply)
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError("the reply is not JSON: is there another server than bestpick?") from None


def _refused(error: urllib.error.HTTPError) -> Problem:
    """Returns what a reply that is none of success says."""
    try:
        told = json.loads(error.read())
    except (OSError, http.client.HTTPException, ValueError):
        told = None
    finally:
        error.close()
    problem = _problem(told if isinstance(told, dict) else {}, error.code, error.reason)
    after = error.headers.get("Retry-After")
    if error.code == 503 and after is not None:
        problem.retry_after = float(after) if after.isdecimal() else 1.0
    return problem


def _problem(told: Mapping[str, Any], status: int = 0, title: str = "") -> Problem:
    return Problem(
        told.get("type", "about:blank"),
        told.get("title", title),
        told.get("status", status),
        told.get("detail", ""),
        tuple(_decode(Detail, one) for one in told.get("errors") or ()),
    )


def _unreachable(error: Exception) -> ConnectionError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return ConnectionError(str(reason) or type(error).__name__)


def _again(error: Exception) -> bool:
    """Reports whether something that failed may work later."""
    return isinstance(error, ConnectionError) or isinstance(error, Problem) and error.retry_after is not None


def _wait(error: Exception, failures: int) -> float:
    """Returns how many seconds to wait after an error."""
    if isinstance(error, Problem) and error.retry_after is not None:
        return min(error.retry_after, _LONGEST_WAIT)
    return _WAITS[failures]


def _decode(kind: Type[_T], value: Any) -> _T:
    """Turns JSON into one of the results above."""
    result: _T = _convert(kind, value)
    return result


def _convert(kind: Any, value: Any) -> Any:
    """Turns JSON into what a field is declared as, without what is not declared."""
    if get_origin(kind) is Union:  # Optional
        return None if value is None else _convert(get_args(kind)[0], value)
    if get_origin(kind) is tuple:
        return tuple(_convert(get_args(kind)[0], one) for one in value or ())
    if kind is datetime:
        return _time(value)
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: _convert(hint, value[name]) for name, hint in hints.items() if name in value})
    return value


def _time(text: str) -> datetime:
    """Reads a time of RFC 3339. It may have nine digits of a second, of which Python keeps six."""
    match = re.fullmatch(r"(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text)
    if match is None:
        raise ValueError(f"{text!r} is not a time")
    second, fraction, zone = match[1], match[2] or "", match[3].replace("Z", "+00:00")
    return datetime.fromisoformat(f"{second}.{fraction[:6]:0<6}{zone}")
