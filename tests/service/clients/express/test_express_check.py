"""The Express check of docs/admission-pass.md lets passes in and refuses all others.

`make test-express` installs what it needs.
"""

import subprocess
from pathlib import Path

import httpx

from tests.support.passes import ENTRY_ID, documented_check, issuer_at_a_url

HERE = Path(__file__).resolve().parent
# Prints its port, and ends with its stdin.
SERVER = """
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
"""


def test_it_lets_passes_of_its_list_in_and_no_others() -> None:
    """P5"""
    with issuer_at_a_url() as issuer:
        program = documented_check("js", issuer) + SERVER
        command = ["node", "--input-type=module", "--eval", program]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=HERE, stdin=pipe, stdout=pipe, text=True) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            url = f"http://127.0.0.1:{int(node.stdout.readline())}/shop"
            with httpx.Client(trust_env=False) as http:

                def shop(token: str) -> httpx.Response:
                    return http.get(url, headers={"Authorization": f"Bearer {token}"})

                assert shop(issuer.issue()).json() == {"welcome": ENTRY_ID}
                for name, token in issuer.refused().items():
                    assert shop(token).status_code == 401, name
                assert http.get(url).status_code == 401
            node.stdin.close()
