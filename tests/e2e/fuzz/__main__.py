"""`make fuzz`: as the tests do, with many more requests, and others each time."""

import argparse
import subprocess
import sys

from tests.e2e.fuzz.campaign import ACCOUNTS, GUESTS, campaign_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="requests to each operation")
    parser.add_argument("--seed", help="that of a former run, to ask the same again")
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
