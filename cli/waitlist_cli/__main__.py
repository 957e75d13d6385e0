"""The entry point of the `waitlist` command and of `python -m waitlist_cli`."""

import sys


def main() -> None:
    """Run the command line, then exit with the command's exit code."""
    try:
        # Import the command line here, inside the `try`, so that pressing Ctrl-C during the import
        # prints no traceback.
        from waitlist_cli.commands import app
        from waitlist_cli.terminal.output import accept_any_text

        accept_any_text(sys.stdout)
        accept_any_text(sys.stderr)
        app(prog_name="waitlist")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
