"""`waitlist`, also as `python -m waitlist_cli`."""

import sys


def main() -> None:
    """Run what was typed; the exit code says how it ended."""
    try:
        # Not above: a Ctrl-C while they are imported ends without a traceback, too.
        from waitlist_cli.commands import app
        from waitlist_cli.output import take_any_text

        take_any_text(sys.stdout)
        take_any_text(sys.stderr)
        app(prog_name="waitlist")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
