"""The story of a call centre.

Each caller gets the first waiting agent who speaks their language. Some callers also ask for a man
or a woman.
"""

from rich.console import Console

from tools.demo.agents_queue import AgentsQueue
from tools.demo.agents_report import print_agents, print_change
from tools.demo.agents_story import AGENTS, STORY, Call, EndOfCall, segment_of

BY_NAME = {agent.name: agent for agent in AGENTS}


def play(queue: AgentsQueue, console: Console) -> None:
    queue.open()
    for agent in AGENTS:
        queue.join(agent)
    print_agents(console, "The agents, in the order of their arrival", queue.statuses())
    queues = queue.queues()
    for step in STORY:
        moved, event = _carry_out(step, queue)
        before, queues = queues, queue.queues()
        print_change(console, event, moved, before, queues)
    print_agents(
        console,
        "The agents at the end of the story. Agents with the status `offered` are on a call.",
        queue.statuses(),
    )
    console.print(f"The waitlist is {queue.waitlist_id}. The next run creates a new waitlist.")


def _carry_out(step: Call | EndOfCall, queue: AgentsQueue) -> tuple[str | None, str]:
    """Return the agent who has joined or left the queues, and a sentence for the viewer."""
    if isinstance(step, EndOfCall):
        queue.end_call(BY_NAME[step.agent])
        return (
            step.agent,
            f"{step.agent}'s call has ended, so {step.agent} rejoins each queue at the end",
        )
    agent = queue.answer(segment_of(step.queue))
    return agent, f"A caller asks for {step.queue}: {agent or 'no agent is free'}"
