"""`waitlist`, also as `python -m waitlist_cli`."""

from waitlist_cli import commands
from waitlist_cli.commanding import app

PARTS = commands


def main() -> None:
    """Run what was typed; the exit code says how it ended."""
    app(prog_name="waitlist")


if __name__ == "__main__":
    main()
