"""Compare admission policies with a simple model in Python, which must give the same result after
each random operation.

The tests run a few sequences of operations. `make reasons` runs 1,000 more, with 100 operations
each, and fails if a result differs from the model.
"""

import argparse
import traceback

from tests.queue.test_admission_against_a_model import HISTORIES, STEPS, AdmissionHistory
from tests.support.line import Line
from tests.support.redis_servers import running_server


def main() -> int:
    first = max(seeds.stop for seeds in HISTORIES.values())
    parser = argparse.ArgumentParser(prog="python -m tests.queue", description=__doc__)
    parser.add_argument("--first", type=int, default=first, help="the seed of the first history")
    parser.add_argument("--count", type=int, default=1000, help="the number of histories")
    options = parser.parse_args()
    failed = []
    with running_server() as server:
        for seed in range(options.first, options.first + options.count):
            server.client.flushall()
            history = AdmissionHistory(seed, Line(server.client))
            try:
                for _ in range(STEPS):
                    history.step()
            except AssertionError:
                traceback.print_exc()
                print(f"the history of the seed {seed} fails", flush=True)
                failed.append(seed)
    print(f"{options.count * STEPS:,} steps, failed seeds: {failed or 'none'}")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
