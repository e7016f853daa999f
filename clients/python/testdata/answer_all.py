"""Answers questions of a study with several threads, and prints what the server has acknowledged.

    python3 answer_all.py URL STUDY THREADS ANSWERS

Each line has the respondent, the arms shown and the arm picked, as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bestpick import Client, _transport

_transport.WAITS = (0.25,) * 80  # a busy machine starts a server slowly

url, study, threads, answers = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
client = Client(url, timeout=20)


def answer() -> None:
    name = client.welcome(study).respondent
    question = client.ask(study, name)
    for number in range(answers):
        shown = [arm.id for arm in question.arms]
        following = client.answer_and_ask(study, question.token, shown[number % len(shown)])
        sys.stdout.write(json.dumps([name.split(".")[0], shown, shown[number % len(shown)]]) + "\n")  # one write, so that lines stay whole
        question = following or client.ask(study, name)


people = [threading.Thread(target=answer) for _ in range(threads)]
for person in people:
    person.start()
for person in people:
    person.join()
