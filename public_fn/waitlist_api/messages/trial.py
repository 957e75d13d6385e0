"""Sends an example message to an address that an operator enters. Nothing is stored."""

from typing import Any, Literal

from msgspec import Struct, convert

from waitlist_api.messages.example import NO_KINDS_CHOSEN, compose_example
from waitlist_api.messages.sender import Refused, Sender, TryAgain
from waitlist_api.settings.messages import Channel
from waitlist_api.settings.sms import takes_sms

# The field of the Lambda event that contains the request for an example message.
TRIAL = "trial"

TrialOutcome = Literal[
    "sent", "refused", "number_not_allowed", "no_channel", "no_waitlist", "try_again"
]


class Trial(Struct, frozen=True, kw_only=True):
    """A request to send an example message to one address."""

    waitlist_id: str
    kind: str
    language: str
    channel: Channel
    to: str


def send_trial(sender: Sender, event: dict[str, Any]) -> TrialOutcome:
    """Send the requested example message, using the waitlist's own texts."""
    trial = convert(event[TRIAL], Trial)
    waitlist = sender.waitlists.get(trial.waitlist_id)
    channel = sender.channels.get(trial.channel)
    if waitlist is None or waitlist.deleting:
        return "no_waitlist"
    if channel is None:
        return "no_channel"
    settings = waitlist.settings
    rules = settings.messages or NO_KINDS_CHOSEN
    if trial.channel == "sms" and not takes_sms(trial.to, rules, settings.identity):
        return "number_not_allowed"
    message = compose_example(
        trial.kind,
        trial.language,
        trial.waitlist_id,
        settings,
        (trial.channel, trial.to),
        sender.head.base_url,
        sender.now_millis(),
    )
    try:
        channel.send(message, None)
    except Refused:
        return "refused"
    except TryAgain:
        return "try_again"
    return "sent"
