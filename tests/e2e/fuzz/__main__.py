"""Fuzz the service with many more requests than the tests send, and with different requests in each
run.

`make fuzz` runs this program.
"""

import argparse
import subprocess
import sys

from tests.e2e.fuzz.campaign import ACCOUNTS, GUESTS, campaign_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--examples", type=int, default=300, help="number of requests to each operation"
    )
    parser.add_argument("--seed", help="the seed of an earlier run, to repeat its requests")
    given = parser.parse_args()
    options = ["--max-examples", str(given.examples), "--continue-on-failure"]
    if given.seed:
        options += ["--seed", given.seed]
    codes = []
    for stack in (GUESTS, ACCOUNTS):
        with campaign_of(stack) as campaign:
            command = campaign.command(options)
            codes.append(subprocess.run(command, env=campaign.environ, check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
