"""Define the `bot_check_down` setting of a waitlist."""

from typing import Literal

# Whether new guests can sign up while the provider of the bot check is not available.
WhenDown = Literal["refuse", "accept"]
