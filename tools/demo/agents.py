"""`make demo-agents`: callers are given agents by language and gender, first come, first served."""

import argparse
import os
import secrets
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console

from tools.demo.agents_queue import AgentsLine
from tools.demo.agents_report import print_agents, print_change
from tools.demo.agents_story import AGENTS, STORY, Call, EndOfCall, segment_of
from tools.local.api_client import ApiClient, ApiError, NotRunningError
from tools.local.http_server import HOST
from tools.local.settings import SettingError, Settings

BY_NAME = {agent.name: agent for agent in AGENTS}


def main(arguments: Sequence[str], environ: Mapping[str, str], console: Console) -> int:
    argparse.ArgumentParser(prog="python -m tools.demo.agents", description=__doc__).parse_args(
        arguments
    )
    try:
        url = environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(environ).port}"
        with ApiClient(url) as client:
            client.check_running()
            play(AgentsLine(client, f"agents-{secrets.token_hex(3)}"), console)
    except NotRunningError as error:
        return _explain(f"{error} is not running. Start it first: make run")
    except ApiError as error:
        return _explain(f"{error}\nLook at what `make run` says, then try again: make demo-agents")
    except SettingError as error:
        return _explain(f"{error}. Set it so, then try again: make demo-agents")
    except KeyboardInterrupt:
        return _explain("Interrupted. Begin anew: make demo-agents")
    return 0


def play(line: AgentsLine, console: Console) -> None:
    """The whole story, printed as it happens."""
    line.open()
    for agent in AGENTS:
        line.join(agent)
    print_agents(console, "The agents, in the order of their coming", line.statuses())
    queues = line.queues()
    for step in STORY:
        moved, happening = _carry_out(step, line)
        before, queues = queues, line.queues()
        print_change(console, happening, moved, before, queues)
    print_agents(console, "In the end: whoever is offered is on a call", line.statuses())
    console.print(f"All of this is waitlist {line.waitlist_id}; the next run makes its own.")


def _carry_out(step: Call | EndOfCall, line: AgentsLine) -> tuple[str | None, str]:
    """Return who moved, and what happened, in words."""
    if isinstance(step, EndOfCall):
        line.end_call(BY_NAME[step.agent])
        return step.agent, f"{step.agent}'s call has ended: back in line behind everybody"
    agent = line.answer(segment_of(step.queue))
    return agent, f"A caller asks for {step.queue}: {agent or 'nobody is free'}"


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, Console()))
