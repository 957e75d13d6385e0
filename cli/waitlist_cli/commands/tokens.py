"""Defines the commands that issue entry tokens and links, and that verify addresses by hand."""

from waitlist_cli.operations.tokens import LINK, TOKEN, VERIFY
from waitlist_cli.terminal.action_commands import person_command

PANEL = "People"

person_command(TOKEN, PANEL, "waitlist token bakery --customer ada")
person_command(LINK, PANEL, "waitlist link bakery --customer ada")
person_command(VERIFY, PANEL, "waitlist verify bakery --customer ada --reason passport")
