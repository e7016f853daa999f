"""Which prompt makes a language model reply best? People judge, three replies at a time.

    export BESTPICK_TOKEN=bestpick_…
    python3 judge_prompts.py                          # you judge
    python3 judge_prompts.py --study ID --judge anna  # another judge, who needs no token
    python3 judge_prompts.py --simulate               # simulated judges, until there is a verdict

The arms are prompts, described by features: tone, length, has_example. Answers about one prompt are informative
about all prompts that share a feature with it, so far fewer answers are needed than without features.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import threading
from itertools import count, product
from pathlib import Path
from typing import Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bestpick import Arm, Client, Problem, Question, Settings, Verdict

# A few judges answer many questions each. So the certificate rests on one model for all of them, not on the number
# of people, and every answer counts at once.
SETTINGS: Settings = {"k": 3, "delta": 0.05, "assume": "linear", "fallback": 0}
JUDGES = 6  # simulated ones, at a time

OPENINGS = {"formal": "Kindly proceed as follows.", "friendly": "Happy to help!", "plain": ""}
STEPS = {
    "short": "Choose “Forgot password” and follow the link that we send you.",
    "long": "Open the page where you sign in. Choose “Forgot password”. Type your address. "
    "We send you a link that is good for an hour. Follow it and choose a new password.",
}
EXAMPLE = "For example: three words that no other person would put together."

# What simulated judges like, in utility.
TASTE = {"formal": -0.8, "plain": 0.0, "friendly": 1.2, "long": -0.6, "short": 0.6, "no": -0.6, "yes": 0.6}


def prompts() -> List[Dict[str, object]]:
    """Returns a row for each prompt, with what the model replied to “How do I reset my password?”

    Here replies are put together. In your study they come from the model, once for each prompt.
    """
    rows: List[Dict[str, object]] = []
    for tone, length, example in product(OPENINGS, STEPS, ("no", "yes")):
        reply = " ".join(filter(None, (OPENINGS[tone], STEPS[length], EXAMPLE if example == "yes" else "")))
        label = f"{tone}, {length}, {'with' if example == 'yes' else 'without'} an example"
        row = {"id": f"{tone}-{length}-{example}", "label": label, "description": reply}
        rows.append({**row, "tone": tone, "length": length, "has_example": example})
    return rows


def judge(question: Question) -> Optional[Arm]:
    """Shows a question in the terminal and returns what was picked, None for nothing. Ctrl-D ends it."""
    print(f"\n{question.prompt}\n")
    for number, arm in enumerate(question.arms, 1):
        print(f"  {number}  {arm.description}\n")  # not the label: judges should not know the prompt
    while True:
        typed = input(f"1 to {len(question.arms)}, or s to skip: ").strip()
        if typed == "s":
            return None
        if typed.isdecimal() and 1 <= int(typed) <= len(question.arms):
            return question.arms[int(typed) - 1]


def simulated(question: Question) -> Arm:
    """Picks as the model of bestpick says people do: by utility and Gumbel noise."""

    def appeal(arm: Arm) -> float:
        return sum(TASTE[a.value] for a in arm.attributes) - math.log(random.expovariate(1))

    return max(question.arms, key=appeal)


def judge_all(client: Client, study: str, name: str, simulate: bool) -> None:
    """Has one judge answer until the study is done; of simulated ones, another one after every 20 questions."""
    for number in count():
        try:
            question = client.ask(study, f"{name}.{number // 20}" if simulate else name)
            if not simulate:
                name = question.respondent  # that of a judge without a name is the server's choice
            pick = simulated(question) if simulate else judge(question)
            if pick is None:
                client.skip(study, question.token)
            else:
                client.answer(study, question.token, pick.id)
        except Problem as problem:
            if problem.type == Problem.DONE:
                return
            if problem.type not in (Problem.REPLACED, Problem.NO_QUESTION):
                raise


def simulate_all(client: Client, study: str) -> None:
    """Has many judges answer at once, and tells how far they are."""
    judges = [threading.Thread(target=judge_all, args=(client, study, f"judge {i}", True)) for i in range(JUDGES)]
    for one in judges:
        one.start()
    for verdict in client.events(study):
        print(f"{verdict.answers:5} answers, evidence {verdict.evidence:5.1f} of {verdict.threshold:.1f}")
    for one in judges:
        one.join()


def sentence(verdict: Verdict) -> str:
    """Says in words what is known."""
    if verdict.leader is None or verdict.answers == 0:
        return "No answer is counted yet."
    if verdict.reason == "certified":
        seldom = f"That is wrong at most once in {1 / verdict.delta:.0f} studies."
        return f"The best prompt is “{verdict.leader.label}”. {seldom}"
    if verdict.reason == "refuted":
        return f"Nothing is certified: {verdict.model.sentence} {verdict.model.remedy}"
    others = len(verdict.contenders) + verdict.others
    return f"“{verdict.leader.label}” leads after {verdict.answers} answers; {others} others are possible."


def main() -> None:
    parser = argparse.ArgumentParser(description="Finds the best of twelve prompts.")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where bestpick is")
    parser.add_argument("--study", help="one that is there already")
    parser.add_argument("--judge", default="", help="your name, or a number that stands for you")
    parser.add_argument("--simulate", action="store_true", help="have simulated judges answer")
    options = parser.parse_args()
    token = os.environ.get("BESTPICK_TOKEN")
    if token is None and (options.simulate or options.study is None):
        parser.error("the token of an owner must be in BESTPICK_TOKEN")

    client = Client(options.url, token)
    study = options.study
    if study is None:
        settings: Settings = {**SETTINGS, "grace_seconds": -1} if options.simulate else SETTINGS
        created = client.create("Prompts", prompts(), prompt="Which reply helps more?", settings=settings)
        study = client.open(created.study.id).id
        print(f"The study is {study}.")
    if options.simulate:
        simulate_all(client, study)
    else:
        try:
            judge_all(client, study, options.judge, False)
        except (EOFError, KeyboardInterrupt):
            print()
    if token is not None:
        print(sentence(client.verdict(study)))


if __name__ == "__main__":
    try:
        main()
    except (Problem, ConnectionError) as error:
        sys.exit(str(error))
