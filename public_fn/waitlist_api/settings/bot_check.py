"""The `bot_check_down` setting of a list."""

from typing import Literal

# What happens to new guests while the provider of the bot check does not answer.
WhenDown = Literal["refuse", "accept"]
