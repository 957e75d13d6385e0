"""Define the `bot_check_down` setting of a waitlist."""

from typing import Literal

# Whether signups of new guests are refused or accepted while the provider of the bot check does not
# answer.
WhenDown = Literal["refuse", "accept"]
