"""Registers functions as `waitlist` commands."""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from waitlist_cli.client.configuration import ENVIRONMENT_VARIABLE, URL_VARIABLE, Choice
from waitlist_cli.client.ids import checked_waitlist_id
from waitlist_cli.errors import INTERRUPTED, CliError, WrongUsage
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import discard, escaped_json

# The names of the options that every command accepts.
COMMON = frozenset(field.name for field in fields(Choice))
SERVICE_PANEL = "Which service"
EXIT_CODES = (
    "Exit codes: 0 success. 1 refused by the service, an `import` had refused rows, or a program "
    "run by `work` failed. 2 wrong usage, or a file cannot be read or written. 3 the service is "
    "unreachable or unavailable. 4 not authorised. 5 the service failed. 130 interrupted."
)
EXAMPLE = "waitlist --local create bakery --name Bakery"


class Commands(TyperGroup):
    """The group of all commands.

    If the operator gives `--json`, usage errors are printed as JSON.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        more = (prog_name, complete_var)
        if not (standalone_mode and _asks_for_json(words)):
            return super().main(words, *more, standalone_mode, windows_expand_args, **extra)
        try:
            code = super().main(words, *more, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            problem = WrongUsage(error.format_message())
            sys.stderr.write(escaped_json(problem.as_json()) + "\n")
            sys.exit(error.exit_code)
        sys.exit(code or 0)


app = typer.Typer(
    name="waitlist",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Function = Callable[..., int | None]


class Command(TyperCommand):
    """A command that accepts its own options and those of `waitlist`, such as `--json`."""

    context_class = Context

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help without panels, which would cut off long option names on a terminal with
        80 columns.
        """
        self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> list[Any]:
        own = super().get_params(ctx)
        return [*own, *(option for option in ctx.parent.command.params if option.name in COMMON)]

    def invoke(self, ctx: Any) -> NoReturn:
        typed = Choice(**{name: ctx.params.pop(name) for name in COMMON})
        ctx.choice = typed.with_defaults(ctx.obj)

        def run() -> Any:
            if "waitlist" in ctx.params:
                checked_waitlist_id(ctx.params["waitlist"])
            return super(Command, self).invoke(ctx)

        raise typer.Exit(_exit_code(ctx, run))


def command(name: str, panel: str, example: str) -> Callable[[Function], Function]:
    """Return a decorator that registers a function as a command.

    The function can return an exit code.
    """

    def register(function: Function) -> Function:
        registered = app.command(
            name,
            cls=Command,
            help=_unwrapped(function.__doc__ or ""),
            # After `\b`, the help prints the example as a single line, so that it can be copied.
            epilog=f"\b\nExample: {example}",
            rich_help_panel=panel,
        )
        return registered(function)

    return register


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"waitlist {version('waitlist-cli')}")
        raise typer.Exit


@app.callback(
    help=f"Run waiting lists from the terminal.\n\n{EXIT_CODES}", epilog=f"Example: {EXAMPLE}"
)
def _keep_choice(
    ctx: typer.Context,
    as_json: Annotated[
        bool | None, typer.Option("--json", help="Print JSON for scripts.", show_default=False)
    ] = None,
    local: Annotated[
        bool | None,
        typer.Option(
            "--local",
            help="Use the local service started by `make run`, on the port in the PORT environment "
            "variable, or on port 8080.",
            show_default=False,
            rich_help_panel=SERVICE_PANEL,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help=f"Address of the API. Default: {URL_VARIABLE}, then the config file.",
            rich_help_panel=SERVICE_PANEL,
        ),
    ] = None,
    environment: Annotated[
        str | None,
        typer.Option(
            "--env",
            help=f"Environment in the config file. Default: {ENVIRONMENT_VARIABLE}.",
            rich_help_panel=SERVICE_PANEL,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="AWS profile that signs the requests.", rich_help_panel=SERVICE_PANEL),
    ] = None,
    region: Annotated[
        str | None, typer.Option(help="AWS region of the API.", rich_help_panel=SERVICE_PANEL)
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    ctx.obj = Choice(url, environment, profile, region, local, as_json)


def _exit_code(context: Context, run: Callable[[], int | None]) -> int:
    """Run a command and return its exit code. If the command fails, print the error."""
    output = context.output
    try:
        return run() or 0
    except CliError as error:
        output.problem(error)
        return error.exit_code
    except KeyboardInterrupt:
        output.note("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # The program that reads the output, such as `head`, has exited.
        discard(output.console)
        return 0
    except OSError as error:
        discard(output.console)
        subject = str(error.filename) if error.filename else "The output cannot be written"
        problem = WrongUsage(f"{subject}: {error.strerror}.", "file_problem")
        output.problem(problem)
        return problem.exit_code


def _asks_for_json(words: Sequence[str]) -> bool:
    own = words[: words.index("--")] if "--" in words else words
    return "--json" in own


def _unwrapped(text: str) -> str:
    """Put each paragraph on a single line, because Typer keeps the line breaks in help texts."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
