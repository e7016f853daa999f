"""Which prompt makes a language model reply best? Another model judges, without a server.

    pip install ./clients/python
    python3 model_judge.py

Twelve prompts combine three tones, two lengths and an example or none. Each question shows the replies to three of
them. The judge here is simulated: replace judge() by a call of your model that returns one of the prompts shown. The
program bestpick must be in the PATH, or BESTPICK_PROGRAM must have its path.
"""

from __future__ import annotations

import math
import random
import sys
from itertools import product
from pathlib import Path
from typing import Any, Dict, List, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # not needed after pip install

from bestpick import Race

# How much the simulated judge likes each property of a prompt, in utility.
TASTE = {"formal": -0.8, "plain": 0.0, "friendly": 1.2, "long": -0.6, "short": 0.6, "no": -0.6, "yes": 0.6}

NOISE = random.Random(7)


def prompts() -> List[Dict[str, Any]]:
    """Returns the prompts with their properties."""
    properties = product(("formal", "plain", "friendly"), ("short", "long"), ("no", "yes"))
    return [
        {"id": f"{tone}, {length}, example: {example}", "tone": tone, "length": length, "example": example}
        for tone, length, example in properties
    ]


def judge(shown: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
    """Returns the prompt with the best reply, as a model would that likes some properties and is not always sure."""

    def appeal(prompt: Dict[str, Any]) -> float:
        liking = sum(TASTE[prompt[name]] for name in ("tone", "length", "example"))
        return liking - math.log(NOISE.expovariate(1))

    return max(shown, key=appeal)


def main() -> None:
    with Race(prompts(), k=3, delta=0.05, seed=1) as race:
        verdict = race.run(judge, budget=2000)
        if verdict.winner is None:
            print(f"Nothing is certified after {verdict.answers} answers.")
        else:
            print(f"{verdict.winner['id']} wins after {verdict.answers} answers. {verdict.statement}")
        for place, row in enumerate(race.leaderboard(), 1):
            print(f"{place:3}  {row['utility']:+.2f}  {row['option']['id']}")


if __name__ == "__main__":
    main()
