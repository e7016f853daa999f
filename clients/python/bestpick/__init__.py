"""A client of bestpick, which finds the best of many options by asking people, or models, to pick one of a few.

With a server, Client and AsyncClient run live studies:

    client = bestpick.Client("http://127.0.0.1:8080", token)
    study = client.create("Lamps", "lamps.csv", prompt="Which would you buy?").study
    client.open(study.id)
    question = client.ask(study.id, "anna")
    client.answer(study.id, question.token, question.arms[0].id)
    print(client.verdict(study.id).leader)

Without a server, Race has a judge of yours answer:

    print(bestpick.Race(["red", "green", "blue"], k=2).run(judge).winner)

A request that the server refuses raises a Problem. A server that cannot be reached, or does not reply in time, raises
a ConnectionError.
"""

from ._async import AsyncClient
from ._client import Client
from ._race import Race, RaceContender, RaceEstimate, RaceQuestion, RaceVerdict
from ._tables import Rows, Table
from ._types import (
    Arm,
    Attribute,
    CatalogueWarning,
    Columns,
    Contender,
    Contenders,
    Contexts,
    Counting,
    Created,
    CreatedToken,
    CreatedWebhook,
    Detail,
    Doubt,
    Entry,
    Erased,
    Estimate,
    Fit,
    Forecast,
    Imported,
    Joined,
    Judge,
    Judges,
    Leaderboard,
    Member,
    Misfit,
    Model,
    Outside,
    Prior,
    Problem,
    Proven,
    Question,
    Rank,
    Segment,
    SegmentVerdict,
    Settings,
    Study,
    Token,
    Verdict,
    Webhook,
    Welcome,
    WelcomeTexts,
)

__version__ = "0.2.0"

__all__ = [
    "Arm",
    "AsyncClient",
    "Attribute",
    "CatalogueWarning",
    "Client",
    "Columns",
    "Contender",
    "Contenders",
    "Contexts",
    "Counting",
    "Created",
    "CreatedToken",
    "CreatedWebhook",
    "Detail",
    "Doubt",
    "Entry",
    "Erased",
    "Estimate",
    "Fit",
    "Forecast",
    "Imported",
    "Joined",
    "Judge",
    "Judges",
    "Leaderboard",
    "Member",
    "Misfit",
    "Model",
    "Outside",
    "Prior",
    "Problem",
    "Proven",
    "Question",
    "Race",
    "RaceContender",
    "RaceEstimate",
    "RaceQuestion",
    "RaceVerdict",
    "Rank",
    "Rows",
    "Segment",
    "SegmentVerdict",
    "Settings",
    "Study",
    "Table",
    "Token",
    "Verdict",
    "Webhook",
    "Welcome",
    "WelcomeTexts",
]
