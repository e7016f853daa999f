"""Receives the verdict of a study when it is done, and prints it.

    export BESTPICK_TOKEN=bestpick_…
    python3 webhook_receiver.py --study ID --at https://example.com/hook

sets the webhook of the study and listens on port 8081, to which something that does TLS must lead from
that address. On one machine, with bestpick serve --webhooks-to-private, --at http://127.0.0.1:8081 does.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Dict, Mapping, Set

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bestpick import Client, Problem

TOLERANCE = 300  # seconds that clocks may differ, or a message be on its way
LARGEST = 1 << 20  # bytes


def verified(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Reports whether the body has a valid and recent signature (standardwebhooks.com).

    The standardwebhooks package does the same: Webhook(secret).verify(body, headers).
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    timestamp = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    valid = any(hmac.compare_digest(want, signature) for signature in given)
    return valid and timestamp.isdecimal() and abs(now - int(timestamp)) <= TOLERANCE


def sentence(notice: Dict[str, Any]) -> str:
    """Returns the message in words."""
    verdict = notice["verdict"]
    leader = verdict.get("leader")
    name = (leader.get("label") or leader["id"]) if leader else "nothing"
    if notice["reason"] == "certified":
        return f"{notice['name']}: {name} is best, after {verdict['answers']} answers."
    return f"{notice['name']} is {notice['reason']} after {verdict['answers']} answers; {name} leads."


class Receiver(http.server.BaseHTTPRequestHandler):
    """Handles posts. Anyone can post here, so it verifies each message first."""

    secret = ""
    received: Set[str] = set()  # ids of deliveries: the same may come again
    timeout = 10  # seconds to receive a message

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            return self.reply(413)
        body = self.rfile.read(int(length))
        if not verified(self.secret, self.headers, body, time.time()):
            return self.reply(400)
        notice = json.loads(body)
        if notice["delivery"] not in self.received:
            print(sentence(notice), flush=True)  # what you do with it; keep the id in the same transaction
            self.received.add(notice["delivery"])
        return self.reply(204)

    def reply(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the verdict of a study when it is done.")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where bestpick is")
    parser.add_argument("--study", required=True, help="the id of the study")
    parser.add_argument("--at", required=True, help="the address at which bestpick reaches this program")
    parser.add_argument("--port", type=int, default=8081, help="where it listens, on this machine")
    options = parser.parse_args()
    token = os.environ.get("BESTPICK_TOKEN")
    if token is None:
        parser.error("the token of an owner must be in BESTPICK_TOKEN")

    with http.server.HTTPServer(("127.0.0.1", options.port), Receiver) as server:
        Receiver.secret = Client(options.url, token).set_webhook(options.study, options.at).secret
        print("listening", flush=True)
        while not Receiver.received:  # a server of yours would go on
            server.handle_request()


if __name__ == "__main__":
    try:
        main()
    except (Problem, ConnectionError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print()
