"""Which of four models replies best to your prompts? People or a model judge, two replies at a time.

    export BESTPICK_TOKEN=bestpick_…
    python3 judge_replies.py               # prints the link for people
    python3 judge_replies.py --simulate    # a simulated model judges, until there is a verdict

Each question shows the replies of two models to one prompt, without the names of the models. Replace replies() by the
replies of your models, and judge() by a call of your judge.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
from pathlib import Path
from typing import Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # not needed after pip install

from bestpick import Arm, Client, Problem, Question, Settings

MODELS = ("breeze", "gale", "gust", "squall")
PROMPTS = ("Explain tides to a child.", "Write a haiku about rain.", "Why is the sky blue?", "Name a good book.")

# One judge answers many questions, so the certificate rests on a model of the answers, not on the number of people.
SETTINGS: Settings = {"k": 2, "delta": 0.05, "assume": "linear", "fallback": 0, "each": 10_000, "grace_seconds": -1}

NOISE = random.Random(7)


def replies() -> List[Dict[str, str]]:
    """Returns the reply of each model to each prompt."""
    words = {"breeze": 8, "gale": 2, "gust": 5, "squall": 6}
    return [
        {"arm": model, "context": prompt, "text": " ".join([prompt] + ["indeed"] * words[model])}
        for model in MODELS
        for prompt in PROMPTS
    ]


def judge(question: Question) -> Tuple[Arm, str]:
    """Returns the better reply and the reason, as a model would that likes short replies and is not always sure."""

    def appeal(arm: Arm) -> float:
        return -len(arm.text.split()) / 2 - math.log(NOISE.expovariate(1))

    best = max(question.arms, key=appeal)
    return best, f"because {len(best.text.split())} words are enough"


def simulate(client: Client, study: str) -> None:
    """Lets the simulated model judge until the study is done."""
    while True:
        try:
            question = client.ask(study, "judge-1")
            arm, why = judge(question)
            client.answer(study, question.token, arm.id, rationale=why, metadata={"version": "1"}, judge="model")
        except Problem as problem:
            if problem.type == Problem.DONE:
                return
            if problem.type not in (Problem.REPLACED, Problem.NO_QUESTION):
                raise


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", default="http://127.0.0.1:8080")
    arguments.add_argument("--simulate", action="store_true")
    given = arguments.parse_args()
    with Client(given.url, os.environ["BESTPICK_TOKEN"]) as client:
        arms = [{"id": model} for model in MODELS]
        study = client.create("Models", arms, prompt="Which reply is better?", settings=SETTINGS).study.id
        client.set_contexts(study, replies())
        client.open(study)
        if not given.simulate:
            print(f"People answer at {given.url}/s/{study}")
            return
        simulate(client, study)
        verdict = client.verdict(study)
        if verdict.reason == "certified" and verdict.leader:
            print(f"\nThe best model is {verdict.leader.id}, after {verdict.answers} answers.")
        else:
            print(f"\nNothing is certified after {verdict.answers} answers.")
        for row in client.rows(study, "answers")[:3]:
            print(f"{row['picks'][0]} for “{row['context']}” {row['rationale']}")


if __name__ == "__main__":
    main()
