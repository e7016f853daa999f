"""Requests and replies, as the server has them.

Settings are dictionaries, so that settings of a newer server survive being read, changed and sent back. Results are
dataclasses without the fields that they do not know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Dict, List, Optional, Tuple, TypedDict

from ._tables import Rows, numbers


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
    fakes: int  # how many people may be fake without making a verdict by majority wrong
    weighted: bool  # whether the verdict is about a population with the shares of model.segments
    model: Model
    top: int  # how many best arms are certified together, -1 for a ranking of all
    budget: int  # after how many answers the study ends in any case
    deadline: str  # when the study ends in any case, such as 2026-11-30T18:00:00Z
    each: int  # how many questions one respondent may answer or skip
    judges: bool  # with contexts: whether the verdict is about these judges, not about people
    reading_seconds: float  # faster answers are no evidence; 0 for no limit
    per_network: int  # people of one network who count in an hour; 0 for no limit
    straight_lining: bool  # whether people who keep picking the same place count only against the leader
    audience: str  # who may answer: link, ids, signed or personal
    notes: bool  # whether answers may have a rationale and metadata
    least_people: int  # how many people must answer before a certificate; 0 for no minimum
    least_days: int  # on how many days, in UTC
    retention_days: int  # names are removed so long after the end; 0 for never
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
    reason: str = ""  # why it is done: certified, refuted, cyclic, stopped, spent, expired or lapsed
    prior: int = 0  # recorded choices in the prior, which inform questions and predictions but do not count
    unnamed: Optional[datetime] = None  # when names were removed


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
    text: str = ""  # in the context of the question
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
    context: str = ""  # in which to compare the texts of the arms, if the study has contexts
    format: str = ""  # of the context and the texts: plain or markdown


@dataclass(frozen=True)
class WelcomeTexts:
    """What respondents read before the first question, in one language."""

    welcome: str = ""
    consent: str = ""  # the text to agree to; empty if the study asks for no consent
    consent_id: str = ""  # what to send when the respondent agrees


@dataclass(frozen=True)
class Welcome:
    """What respondents read before the first question."""

    texts: Dict[str, WelcomeTexts] = field(default_factory=dict)  # by language, such as en
    respondent: str = ""  # a new name with a signature, if anyone with the link may answer
    privacy: str = ""  # address of the privacy notice


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

    Not known, without numbers, while more answers are expected than there are. hopeless and
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
class Proven:
    """With probability 1 - delta, no single other arm is chosen over this one by more than a share of the people."""

    arm: Arm
    share: float


@dataclass(frozen=True)
class Doubt:
    """Evidence against an assumption of majority: some people, or answers, choose a rival over an arm otherwise."""

    kind: str  # drift, leavers, skips, slates, or people if these are too few to tell
    people: int
    text: str  # in English
    arm: Optional[Arm] = None
    rival: Optional[Arm] = None
    chosen: float = 0.0  # share of later people, leavers, skippers, or answers to pairs, who chose the rival
    otherwise: float = 0.0  # share of the others


@dataclass(frozen=True)
class Outside:
    """The arms that are certified to be better or worse than none of them."""

    better: Tuple[Arm, ...] = ()
    worse: Tuple[Arm, ...] = ()


@dataclass(frozen=True)
class Rank:
    """An arm in the leaderboard. With probability 1 - delta all intervals and ranges of ranks hold."""

    arm: Arm
    utility: float  # minus that of the leader; under majority the log odds of the share
    low: float
    high: float
    share: float  # of choices between this arm and the leader
    share_low: float
    share_high: float
    first: int  # of the range of ranks
    last: int


@dataclass(frozen=True)
class Leaderboard:
    """The ranks of all arms that are not withdrawn, by utility."""

    answers: int  # that it counts
    ranks: Tuple[Rank, ...] = ()

    def rows(self) -> Rows:
        """Returns the ranks as rows: id, label, utility, low, high, share, share_low, share_high, first, last."""
        return Rows({"id": rank.arm.id, "label": rank.arm.label, **numbers(rank, "arm")} for rank in self.ranks)


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
    reason: str = ""
    at: Optional[datetime] = None
    digest: str = ""
    counting: Optional[Counting] = None
    assumption: str = "linear"  # what the certificate rests on: majority or linear
    statement: str = ""  # what is certified or proven, and what that assumes
    sentence: str = ""  # the verdict in plain English, as on the page of the study
    respondents: int = 0  # people who answered and whose hand has ended, where people are counted
    answering: int = 0  # people who have answered and whose hand has not ended
    arrived: int = 0  # people who were dealt a hand
    finished: int = 0  # people who answered all of their hand
    guiding: int = 0  # answers that only guide the choice of questions
    erased: int = 0  # people who are left out because their data was deleted
    excluded_by_hand: int = 0  # people with and without whom a certificate holds
    until: Optional[datetime] = None  # the time of the last answer
    proven: Optional[Proven] = None  # what majority evidence shows at any time
    partial: bool = False  # the verdict is about the questions as they were asked, not about two arms alone
    withstands: int = 0  # how many people may have been fake, at a certificate by majority
    missing: float = 0.0  # the share of missing answers that may have gone against the leader, at a certificate
    first_choice: float = 0.0  # estimated share of people who would choose the leader among all arms
    doubts: Tuple[Doubt, ...] = ()  # about the assumptions of majority
    misfits: Tuple[Misfit, ...] = ()
    cycle: Tuple[Arm, ...] = ()  # each is chosen over the one before: there is no clear favourite
    segments: Tuple[SegmentVerdict, ...] = ()
    segments_differ: bool = False  # certified: no arm is a favourite of all segments
    outside: Optional[Outside] = None  # where none of the arms is an answer, under linear
    top: Tuple[Arm, ...] = ()  # the arms that look best, in studies of several best arms or a ranking
    epsilon_certified: Optional[float] = None  # the smallest, under linear once the study is over
    leaderboard: Optional[Leaderboard] = None

    def rows(self) -> Rows:
        """Returns the leader and the listed contenders as rows: id, label, evidence, lead, low, high, chosen."""
        best = [] if self.leader is None else [{"id": self.leader.id, "label": self.leader.label, "lead": 0.0}]
        others = [{"id": c.arm.id, "label": c.arm.label, **numbers(c, "arm")} for c in self.contenders]
        return Rows([*best, *others])


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
class Judge:
    """A respondent, compared with the consensus of all others."""

    respondent: str
    kind: str  # person or model
    answers: int
    agreement: float  # the share of choices that the consensus finds most likely
    expected: float  # the mean of agreement if the judge follows the consensus
    chance: float  # the mean of agreement for random picks
    scale: float  # 1 follows the consensus like the others, 0 not at all
    scale_error: float
    p: float
    random: bool  # whether the judge seems to answer at random


@dataclass(frozen=True)
class Estimate:
    """The Bradley-Terry estimate of an arm."""

    arm: Arm
    utility: float
    error: float


@dataclass(frozen=True)
class Judges:
    """How much respondents agree, and what they say together."""

    answers: int
    agreement: float
    expected: float
    error: float  # the approximate probability that a judge is called random although all follow the consensus
    unjudged: int
    judges: Tuple[Judge, ...]
    estimates: Tuple[Estimate, ...]  # the best arm first


@dataclass(frozen=True)
class Contexts:
    """How many contexts a study has, and how many texts of arms in them."""

    contexts: int
    texts: int
    format: str  # plain or markdown


@dataclass(frozen=True)
class Prior:
    """How many recorded choices the prior of a study has."""

    choices: int


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
    study: str = ""  # the only one that a viewer sees
    expires: Optional[datetime] = None  # of an invitation that was not accepted yet


@dataclass(frozen=True)
class CreatedToken(Token):
    """A new token with its secret, or an invitation with its link, which are shown this once."""

    secret: str = field(default="", repr=False)
    link: str = field(default="", repr=False)


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
    NO_CONSENT = "urn:bestpick:no-consent"  # the respondent must agree to the text of consent first
    FULL = "urn:bestpick:full"  # the budget is reserved by other respondents; a place may become free
    NO_PROFILE = "urn:bestpick:no-profile"  # the respondent must answer the profile questions first
    QUOTA_FULL = "urn:bestpick:quota-full"  # the study has enough respondents of this group now
    NOT_ELIGIBLE = "urn:bestpick:not-eligible"  # the study is for other respondents
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
    TOO_LARGE = "urn:bestpick:too-large"
    TOO_MANY = "urn:bestpick:too-many"  # rate limit exceeded; the client waits and tries again
    TAKEN = "urn:bestpick:taken"
    LAST_OWNER = "urn:bestpick:last-owner"
    UNAVAILABLE = "urn:bestpick:unavailable"
    TIMEOUT = "urn:bestpick:timeout"
    BUSY = "urn:bestpick:busy"
    UNAUTHORIZED = "urn:bestpick:unauthorized"
    FORBIDDEN = "urn:bestpick:forbidden"
    CROSS_ORIGIN = "urn:bestpick:cross-origin"
    WRONG_METHOD = "urn:bestpick:wrong-method"

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
        self.retry_after = retry_after  # in seconds, if the request may be sent again then

    def __str__(self) -> str:
        if self.errors:
            return "; ".join(f"{e.location}: {e.message}" if e.location else e.message for e in self.errors)
        return self.detail or self.title
