"""A sample client: a customer joins a waitlist, waits, accepts an offer and goes out again.

Run it with `python client.py http://127.0.0.1:8080 WAITLIST_ID`.
"""

import json
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

TRIES = 8


class Problem(Exception):
    """The error that the service has returned. If no response arrived, `status` is 0."""

    def __init__(self, status, code, detail, retry_after=1):
        super().__init__(detail)
        self.status, self.code, self.retry_after = status, code, retry_after

    @property
    def is_retryable(self):
        # If the error comes from API Gateway and not from the service, the body has no code.
        is_from_gateway = self.status == 500 and not self.code
        return is_from_gateway or self.status in (0, 429, 502, 503, 504)


class Waitlist:
    def __init__(self, api, waitlist_id):
        self.entries = f"{api}/v1/waitlists/{waitlist_id}/entries"

    def join(self, customer_id, profile, key):
        """Sign up, and return the entry with its token.

        Keep `key` in storage until the entry is stored. A request with the same key repeats the
        same signup.
        """
        body = {"customer_id": customer_id, "profile": profile}
        return self._call("POST", "", body=body, key=key)

    def poll(self, entry):
        return self._call_entry("GET", entry)

    def enter(self, entry):
        return self._call_entry("POST", entry, "/enter")

    def decline(self, entry, offered_until):
        """Refuse the offer, which then goes to the next customer.

        This customer moves to the end of the queue.
        """
        return self._call_entry(
            "POST", entry, "/decline", {"to": "back", "offered_until": offered_until}
        )

    def exit(self, entry):
        return self._call_entry("POST", entry, "/exit")

    def leave(self, entry):
        return self._call_entry("DELETE", entry)

    def _call_entry(self, method, entry, rest="", body=None):
        path = f"/{entry['entry_id']}{rest}"
        return self._call(method, path, token=entry["entry_token"], body=body)

    def _call(self, method, path, token=None, body=None, key=None):
        """Send a request. Repeat it unchanged if the error may be temporary."""
        for attempt in range(TRIES - 1):
            try:
                return self._send_once(method, path, token, body, key)
            except Problem as problem:
                if not problem.is_retryable:
                    raise
                longest = min(2**attempt, 8)
                time.sleep(problem.retry_after + random.random() * longest)
        return self._send_once(method, path, token, body, key)

    def _send_once(self, method, path, token, body, key):
        request = urllib.request.Request(self.entries + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if key:
            request.add_header("Idempotency-Key", key)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            try:
                problem = json.loads(error.read())
            except ValueError:
                problem = {}
            retry_after = min(int(error.headers.get("Retry-After") or 1), 30)
            code, detail = problem.get("code", ""), problem.get("detail", error.reason)
            raise Problem(error.code, code, detail, retry_after) from error
        except OSError as error:
            raise Problem(0, "", str(error)) from error


def main(api, waitlist_id):
    waitlist = Waitlist(api, waitlist_id)
    entry = waitlist.join("ada", {"name": "Ada"}, key=str(uuid.uuid4()))
    print("joined at", entry["position"])
    while True:
        found = waitlist.poll(entry)
        if found["status"] == "offered":
            admission = waitlist.enter(entry)
            print("entered with a pass of", len(admission["pass"].split(".")), "parts")
            waitlist.exit(entry)
            print("exited")
            return
        if found["poll_after_seconds"] is None:
            print("it is over:", found["status"])
            return
        time.sleep(found["poll_after_seconds"] * (1 + random.random() / 10))


if __name__ == "__main__":
    main(*sys.argv[1:])
