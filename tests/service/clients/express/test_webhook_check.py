"""Tests the JavaScript code in docs/app/webhooks.md that verifies webhooks.

It must accept the service's webhooks and refuse everything else. `make test-express` installs what
these tests need.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.service.webhooks.test_documented import SECRET, documented, wrong_ones

HERE = Path(__file__).resolve().parent
# The program reads webhooks from standard input and prints whether it accepts each one.
PROGRAM = """
let text = "";
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const [body, headers, secret] of JSON.parse(text)) {
  try {
    answers.push(receive(body, headers, secret));
  } catch (error) {
    answers.push(error.name);
  }
}
console.log(JSON.stringify(answers));
"""


def test_the_documented_check_takes_webhooks_of_each_secret_and_no_others() -> None:
    """P5"""
    good, wrong = wrong_ones()
    cases: list[Any] = [[body.decode(), headers, secret] for body, headers, secret in good + wrong]
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", documented("js") + PROGRAM],
        input=json.dumps(cases),
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(done.stdout)
    assert answers[: len(good)] == [json.loads(body) for body, _, _ in good]
    assert set(map(str, answers[len(good) :])) == {"WebhookVerificationError"}
    assert SECRET
