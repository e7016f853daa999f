"""Races without a server: the program bestpick runs them, and your judge answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._decode import decode
from ._tables import Rows, numbers, records
from ._types import CatalogueWarning, Fit, Forecast, Model

Option = Any  # a name or a dictionary, as the caller has given it
Pick = Any  # one of the options shown, a list of them with the best first, or None


@dataclass(frozen=True)
class RaceQuestion:
    """Options to pick from, in the order in which to show them, for one respondent."""

    options: Tuple[Option, ...]
    arms: Tuple[int, ...]  # their positions in the list of all options
    picks: int = 1  # how many of them to rank, the best first
    respondent: str = ""  # who has the question; a made-up name if they answer no other


@dataclass(frozen=True)
class RaceEstimate:
    """How many answers a race is expected to need: half of all races need between low and high."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class RaceContender:
    """An option that may still be better than the leader, whose true lead is between low and high."""

    option: Option
    evidence: float
    lead: float
    low: float
    high: float
    chosen: float = 0.0  # share of people who choose it over the leader, under majority
    compared: int = 0  # people who compared the two, under majority


@dataclass(frozen=True)
class RaceVerdict:
    """The current result of a race."""

    status: str  # asking, certified, decided (the answers refute the model) or cyclic (there is no favourite)
    assumption: str  # what the certificate rests on: linear or majority
    leader: Option  # the best option so far
    contenders: Tuple[RaceContender, ...]  # the most doubtful first
    others: int  # contenders that are not listed
    rivals: int  # options that may still be better than the leader, listed or not
    eliminated: int
    progress: float  # share of the other options that are eliminated
    asked: int
    answers: int
    respondents: int  # people whose answers are complete, under majority; each answer of run is one
    threshold: float  # the evidence that eliminates an option
    forecast: Forecast
    model: Fit
    statement: str = ""  # what the certificate means, once there is one
    partial: bool = False  # answers ranked fewer options than all but the last: it is about the questions as they were asked
    proven: Optional[Mapping[str, Any]] = None  # under majority, at any time: no other option is chosen over "option" by
    # more than a "share" of the people
    doubts: Tuple[Mapping[str, Any], ...] = ()  # about the assumptions of majority, as those of a study, with options

    @property
    def winner(self) -> Optional[Option]:
        """The certified option; None if there is none."""
        return self.leader if self.status == "certified" else None

    def rows(self) -> Rows:
        """Returns the leader and the listed contenders as rows: option, evidence, lead, low, high, chosen."""
        best = {"option": self.leader, "lead": 0.0}
        return Rows([best, *({"option": c.option, **numbers(c, "option")} for c in self.contenders)])


class Race:
    """Finds the best of some options by asking a judge, or people, with the guarantee of a study.

    race = bestpick.Race(["red", "green", "blue"])
    print(race.run(lambda options: options[0]).statement)

    The guarantee is that of a live study, also with attributes: put next to any single other option, the winner is
    chosen in at least 45 of 100 answers. That is wrong with probability at most delta, if respondents are drawn at
    random, and whether they answer does not depend on what they choose. With assume="linear" it holds only if the
    attributes explain what people like.

    It runs `bestpick engine` and ends it when it is closed. Use it from one thread at a time.
    """

    def __init__(
        self,
        options: Any,
        *,
        k: Optional[int] = None,
        picks: Optional[int] = None,
        delta: Optional[float] = None,
        epsilon: Optional[float] = None,
        assume: Optional[str] = None,
        fallback: Optional[float] = None,
        verify: Optional[float] = None,
        fakes: Optional[int] = None,
        model: Optional[Model] = None,
        seed: Optional[int] = None,
        kinds: Optional[Mapping[str, str]] = None,
        program: Optional[str] = None,
    ) -> None:
        """options are names, dictionaries, or anything that has to_dict("records"), such as a DataFrame.

        k is the number of options in a question (3), picks how many of them an answer ranks (all but the last; one
        under linear), delta the probability of a wrong winner (0.05), epsilon the tolerance (0.2, which is 5 people in
        100; 0 under linear), assume what the verdict rests on: "majority", the default for up to 300 options, or
        "linear", which then has verify (0.5) and fallback (0.25), fakes how many people may be fake without making a
        verdict by majority wrong (2). The same options, settings, seed (1) and picks give
        the same questions. kinds corrects the kinds of attributes.
        program is the path of bestpick. It defaults to BESTPICK_PROGRAM, and else is found in the PATH.
        """
        self._engine = _Engine(program)
        self.options: Sequence[Option] = _options(options)
        given = {
            "k": k,
            "picks": picks,
            "delta": delta,
            "epsilon": epsilon,
            "assume": assume,
            "fallback": fallback,
            "verify": verify,
            "fakes": fakes,
            "model": model,
            "seed": seed,
        }
        settings = {name: value for name, value in given.items() if value is not None}
        self._begin({"command": "start", "options": self.options, "kinds": kinds or {}, "settings": settings})

    @classmethod
    def restore(cls, snapshot: str, *, program: Optional[str] = None) -> Race:
        """Continues the race of a snapshot, exactly as if it had not been interrupted."""
        race = cls.__new__(cls)
        race._engine = _Engine(program)
        race._begin({"command": "restore", "snapshot": snapshot})
        return race

    def _begin(self, request: Mapping[str, object]) -> None:
        try:
            reply = self._engine.call(request)
        except BaseException:
            self.close()
            raise
        self.options = reply.get("options", getattr(self, "options", ()))
        self.settings: Dict[str, Any] = reply["settings"]
        self.warnings: Tuple[CatalogueWarning, ...] = tuple(decode(CatalogueWarning, w) for w in reply["warnings"])

    def __enter__(self) -> Race:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if "_engine" in self.__dict__:
            self.close()

    def close(self) -> None:
        """Ends the program. The race cannot be used any more."""
        self._engine.close()

    def __iter__(self) -> Iterator[RaceQuestion]:
        """Iterates over questions until the race has stopped, each for another person, as ask returns them."""
        while (question := self.ask()) is not None:
            yield question

    def run(self, judge: Callable[[Sequence[Option]], Pick], *, budget: Optional[int] = None) -> RaceVerdict:
        """Has a judge answer until the race has stopped, and returns the verdict.

        The judge receives the options shown. It returns the best of them, a list with the best first, or None if it
        cannot decide. A judge that returns one option is called again with the others, until picks are ranked. Each
        answer counts as that of another person, so the verdict is about what this judge chooses.

        It ends after budget calls of the judge at the latest, also without a winner: the verdict then has status
        "asking", and run goes on when it is called again. Without a budget it ends after 10,000 calls, with a warning.
        It warns once if the forecast exceeds the budget, is hopeless, or is not known after half of the budget: then
        more answers are expected than there are.
        """
        most = 10_000 if budget is None else budget
        calls, answers, warned = 0, 0, False
        for question in self:
            if calls + question.picks > most:
                self.lose(question)
                if budget is None:
                    self._warn(f"there is no winner after {calls} calls of the judge; run again to go on, with a budget")
                break
            ranked: Any = []
            rest = list(question.options)
            while len(ranked) < question.picks:
                calls += 1
                best = judge(tuple(rest))
                if best is None or isinstance(best, (list, tuple)):
                    ranked = best
                    break
                if best not in rest:
                    raise ValueError(f"the judge must return options of the question, got {best!r}")
                ranked.append(best)
                rest.remove(best)
            self.tell(question, ranked)
            answers += 1
            if not warned and answers % 100 == 0:
                forecast, left = self.verdict().forecast, (most - calls) / question.picks
                if forecast.hopeless or (forecast.low > left if forecast.known else calls > most / 2):
                    warned = True
                    near = "the best options may be equally good. Stop, or allow a larger epsilon"
                    self._warn(f"after {answers} answers the forecast, an estimate, has no winner within the budget: {near}")
        return self.verdict()

    @staticmethod
    def _warn(text: str) -> None:
        warnings.warn(text, RuntimeWarning, stacklevel=3)

    def ask(self, *, segment: str = "") -> Optional[RaceQuestion]:
        """Returns a question for a person who arrives now and has one question. None once the race has stopped.

        Earlier questions may still be unanswered. Use deal for people who answer several.
        """
        asked = self._engine.call({"command": "ask", "segment": segment})
        return self._question(asked) if "arms" in asked else None

    def deal(self, person: str, questions: int, *, segment: str = "") -> List[RaceQuestion]:
        """Returns the questions of a person who arrives now: that many, fewer if the race is nearly done.

        The answers count as the opinion of one person. Everyone is dealt questions once. The list is empty once the
        race has stopped.
        """
        request = {"command": "deal", "respondent": person, "segment": segment, "questions": questions}
        return [self._question(card) for card in self._engine.call(request)["questions"]]

    def _question(self, card: Mapping[str, Any]) -> RaceQuestion:
        options = tuple(self.options[arm] for arm in card["arms"])
        return RaceQuestion(options, tuple(card["arms"]), card["picks"], card["respondent"])

    def tell(self, question: RaceQuestion, pick: Pick) -> None:
        """Answers a question with one of its options, or a list of them with the best first.

        The answer is that of the person for whom the question is. None says that they do not answer it.
        """
        if not isinstance(question, RaceQuestion):
            raise TypeError(f"expected a question that ask or deal returned, got {question!r}; ask returns None once the race has stopped")
        if pick is None:
            self.lose(question)
            return
        ranked = pick if isinstance(pick, (list, tuple)) else [pick]
        try:
            picks = [question.arms[question.options.index(option)] for option in ranked]
        except ValueError:
            raise ValueError(f"the judge must return options of the question, got {pick!r}") from None
        self._engine.call({"command": "tell", "arms": question.arms, "picks": picks, "respondent": question.respondent})

    def lose(self, question: RaceQuestion) -> None:
        """Says that a question will not be answered."""
        self._engine.call({"command": "lose", "arms": question.arms, "respondent": question.respondent})

    def end(self, person: str) -> None:
        """Says that a person answers nothing more. It must not depend on what they chose."""
        self._engine.call({"command": "end", "respondent": person})

    def verdict(self) -> RaceVerdict:
        """Returns the current result."""
        told = self._engine.call({"command": "verdict"})
        for contender in told["contenders"]:
            contender["option"] = self.options[contender["arm"]]
        if told.get("proven"):
            told["proven"]["option"] = self.options[told["proven"].pop("arm")]
        for doubt in told.get("doubts", ()):
            doubt["option"], doubt["rival"] = self.options[doubt.pop("arm")], self.options[doubt["rival"]]
        return decode(RaceVerdict, {**told, "leader": self.options[told["leader"]]})

    def estimate(self) -> RaceEstimate:
        """Returns how many answers the race is expected to need from its start, each by another person.

        An answer that ranks several options may take as many calls of a judge as there are picks.
        """
        return decode(RaceEstimate, self._engine.call({"command": "estimate"}))

    def leaderboard(self) -> Rows:
        """Returns all options by their estimated utilities, less the mean: rows with option and utility.

        It is empty before the first answer, and with a model. It is no part of the guarantee. Under majority, once an
        option is nominated, the rows also have share, the share of people who choose the option over the leader, and
        low and high, between which all shares are with probability 1 - delta.
        """
        places = self._engine.call({"command": "leaderboard"})["leaderboard"]
        return Rows({"option": self.options[place.pop("arm")], **place} for place in places)

    def snapshot(self) -> str:
        """Returns a text from which restore continues the race. It is for the same version of bestpick."""
        return str(self._engine.call({"command": "snapshot"})["snapshot"])


def _options(options: Any) -> List[Union[str, Dict[str, Any]]]:
    """Returns the options as names, or as dictionaries with values that JSON has."""
    if hasattr(options, "to_dict"):
        return list(records(options))
    listed = list(options)
    if all(isinstance(option, str) for option in listed):
        return listed
    return list(records(listed))


class _Engine:
    """The program, which has one reply for each request."""

    def __init__(self, program: Optional[str]) -> None:
        installed = sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", os.defpath)
        found = program or os.environ.get("BESTPICK_PROGRAM") or shutil.which("bestpick", path=installed)
        if not found:
            raise FileNotFoundError(
                "the program bestpick is not in the PATH: install a wheel that contains it, or run `go install ./cmd/bestpick` "
                "in a clone; or name it with program= or BESTPICK_PROGRAM"
            )
        self._process = subprocess.Popen([found, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, request: Mapping[str, object]) -> Dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        text = json.dumps(request, allow_nan=False).encode() + b"\n"
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except (OSError, ValueError):
            line = b""
        if not line:
            raise RuntimeError("the program bestpick has ended")
        reply: Dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # the program has ended already
        self._process.stdout.close()
        self._process.wait()
