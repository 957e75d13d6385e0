"""Sends one message with example data to an address that an operator names; nothing is stored."""

from typing import Any, Literal

from msgspec import Struct, convert

from waitlist_api.messages.compose import Channel
from waitlist_api.messages.example import NONE_CHOSEN, example
from waitlist_api.messages.sender import Refused, Sender, TryAgain
from waitlist_api.settings.sms import takes_sms

# The field of the event by which the public function asks for one.
TRIAL = "trial"

TrialOutcome = Literal[
    "sent", "refused", "number_not_allowed", "no_channel", "no_waitlist", "try_again"
]


class Trial(Struct, frozen=True, kw_only=True):
    """A message of a kind in a language to one address, by mail or SMS."""

    waitlist_id: str
    kind: str
    language: str
    channel: Channel
    to: str


def send_trial(sender: Sender, event: dict[str, Any]) -> TrialOutcome:
    """Send the message that the event asks for, with the list's words."""
    trial = convert(event[TRIAL], Trial)
    waitlist = sender.waitlists.get(trial.waitlist_id)
    channel = sender.channels.get(trial.channel)
    if waitlist is None or waitlist.deleting:
        return "no_waitlist"
    if channel is None:
        return "no_channel"
    settings = waitlist.settings
    rules = settings.messages or NONE_CHOSEN
    if trial.channel == "sms" and not takes_sms(trial.to, rules, settings.identity):
        return "number_not_allowed"
    message = example(
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
