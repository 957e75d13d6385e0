"""How a function becomes a command: the options that all have, an example, an exit code."""

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from waitlist_cli.configuration import ENVIRONMENT_VARIABLE, URL_VARIABLE, Choice
from waitlist_cli.context import Context
from waitlist_cli.errors import INTERRUPTED, CliError, WrongUsage
from waitlist_cli.output import Console, Output, discard, escaped_json

SERVICE_PANEL = "Which service"
EXIT_CODES = (
    "Exit codes: 0 done, 1 refused by the service (of `import`: rows were refused; of `work`: a "
    "command failed), 2 wrong usage or a file that cannot be read or written, 3 the service is "
    "unreachable or unavailable, 4 not authorised, 5 the service failed, 130 interrupted."
)
EXAMPLE = "waitlist --local create bakery --name Bakery"


class Commands(TyperGroup):
    """Tells wrong usage in JSON, as all other problems are, to whoever asks for JSON."""

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

COMMON: dict[str, Any] = {
    "as_json": Annotated[
        bool | None, typer.Option("--json", help="Print JSON, for scripts.", show_default=False)
    ],
    "local": Annotated[
        bool | None,
        typer.Option(
            "--local",
            help="The service of `make run`, on PORT or 8080.",
            show_default=False,
            rich_help_panel=SERVICE_PANEL,
        ),
    ],
    "url": Annotated[
        str | None,
        typer.Option(
            help=f"The address of the API; else {URL_VARIABLE}, else the config file's.",
            rich_help_panel=SERVICE_PANEL,
        ),
    ],
    "environment": Annotated[
        str | None,
        typer.Option(
            "--env",
            help=f"An environment of the config file; else {ENVIRONMENT_VARIABLE}.",
            rich_help_panel=SERVICE_PANEL,
        ),
    ],
    "profile": Annotated[
        str | None, typer.Option(help="The AWS profile that signs.", rich_help_panel=SERVICE_PANEL)
    ],
    "region": Annotated[
        str | None, typer.Option(help="The AWS region.", rich_help_panel=SERVICE_PANEL)
    ],
}
Function = Callable[..., int | None]


def command(name: str, panel: str, example: str) -> Callable[[Function], Function]:
    """Register a function whose first parameter is the Context; it may return an exit code."""

    def register(function: Function) -> Function:
        registered = app.command(
            name,
            help=_flowing(function.__doc__ or ""),
            epilog=f"Example: {example}",
            rich_help_panel=panel,
        )
        registered(_with_context(function))
        return function

    return register


def _with_context(function: Function) -> Callable[..., None]:
    @wraps(function)
    def run(**given: Any) -> None:
        ctx: typer.Context = given.pop("ctx")
        typed = Choice(**{name: given.pop(name) for name in COMMON})
        choice = typed.over(ctx.obj or Choice())
        out = Output(bool(choice.as_json), Console(), Console(stderr=True))
        context = Context(choice, os.environ, out)
        raise typer.Exit(_ended(lambda: function(context, **given), context))

    _sign(run, function, skipped=1)
    return run


def _ended(work: Callable[[], int | None], context: Context) -> int:
    """Carry it out, and return the exit code."""
    try:
        return work() or 0
    except CliError as error:
        context.output.problem(error)
        return error.exit_code
    except KeyboardInterrupt:
        context.output.note("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output, as `head` does, has enough of it.
        discard(context.output.console)
        return 0
    except OSError as error:
        discard(context.output.console)
        what = f"{error.filename}" if error.filename else "What is to be written"
        problem = WrongUsage(f"{what}: {error.strerror}.", "file_problem")
        context.output.problem(problem)
        return problem.exit_code
    finally:
        context.close()


def _asks_for_json(words: Sequence[str]) -> bool:
    own = words[: words.index("--")] if "--" in words else words
    return "--json" in own


def _flowing(text: str) -> str:
    """Return a docstring's paragraphs without their line ends, which help would keep."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


def _sign(run: Callable[..., None], function: Function, skipped: int) -> None:
    """Let Typer see the function's own parameters, then those that all commands have."""
    hints = get_type_hints(function, include_extras=True)
    own = list(inspect.signature(function).parameters.values())[skipped:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", keyword, annotation=typer.Context),
        *[one.replace(kind=keyword, annotation=hints[one.name]) for one in own],
        *[
            inspect.Parameter(name, keyword, default=None, annotation=annotation)
            for name, annotation in COMMON.items()
        ],
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}


def _keep_choice(**given: Any) -> None:
    ctx: typer.Context = given.pop("ctx")
    ctx.obj = Choice(**given)


def _nothing_of_its_own(_context: Context) -> None:
    """Take the common options alone."""


_keep_choice.__doc__ = f"Run waiting lists from the terminal.\n\n{EXIT_CODES}"
_sign(_keep_choice, _nothing_of_its_own, skipped=1)
app.callback(epilog=f"Example: {EXAMPLE}")(_keep_choice)
