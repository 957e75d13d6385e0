"""Tests what all commands have in common: help with an example, --json, completion, and errors
without a traceback.
"""

import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.deployment.test_documents import list_documents
from tests.rules.sources import ROOT
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import GROUP, Typed, clean_environment, problem
from waitlist_api.errors import NotInside
from waitlist_cli.terminal.command import COMMON
from waitlist_shared.errors import ClaimExpired, NotOffered, OfferExpired, WaitlistError

PARENT = typer.Context(GROUP)
COMMANDS: dict[str, Any] = GROUP.commands
EXPECTED = (
    "create show check list edit pause resume open close delete policy page poster notice "
    "signup position leave rest confirm remove ready unban bump erase history explain "
    "reinstate token link verify "
    "admit admit-person invite invitations withdraw exit claim claim-person call complete release "
    "extend park redrive parked offered admitted inside work "
    "stats segments head find around health watch cost webhook messages message console "
    "import export"
)
each_command = pytest.mark.parametrize("name", sorted(COMMANDS))


def test_the_commands_are_complete() -> None:
    assert set(COMMANDS) == set(EXPECTED.split())


@each_command
def test_the_readme_names_every_command(name: str) -> None:
    text = (ROOT / "cli/README.md").read_text("utf-8")
    assert re.search(rf"`(?:waitlist )?{name}\b", text)


def test_options_in_documents_exist() -> None:
    texts = [
        (ROOT / name).read_text("utf-8") for name in list_documents() if "decisions/" not in name
    ]
    spans = re.findall(r"(?:^\$ |`|^)(waitlist [^`\n]+)", "\n".join(texts), re.MULTILINE)
    named = {
        (words[0], option)
        for words in map(_words_of_command, spans)
        if words
        for option in words
        if re.fullmatch(r"--[a-z-]+", option)
    }
    assert ("import", "--keep-time") in named
    assert {(name, one) for name, one in named if one not in _options(name)} == set()


def _words_of_command(span: str) -> list[str]:
    """Return the words of an example up to `--`. The words after it belong to another program."""
    words = span.partition(" -- ")[0].replace("|", " ").split()
    at = next((number for number, word in enumerate(words) if word in COMMANDS), len(words))
    return words[at:]


def _options(name: str) -> set[str]:
    parameters = COMMANDS[name].get_params(typer.Context(COMMANDS[name], parent=PARENT))
    return {one for parameter in parameters for one in (*parameter.opts, *parameter.secondary_opts)}


@each_command
def test_the_example_in_the_help_is_valid(name: str) -> None:
    text = Typed().run(name, "--help", COLUMNS="80")
    example = COMMANDS[name].epilog.removeprefix("\b\nExample: ")
    assert f"Example: {example}" in text
    program, command, *words = shlex.split(example)
    assert (program, command) == ("waitlist", name)
    # Parse the example without running it. An unknown option or a missing argument makes parsing
    # fail.
    COMMANDS[name].make_context(name, words, PARENT)


@each_command
def test_every_command_has_the_common_options(name: str) -> None:
    parameters = COMMANDS[name].get_params(typer.Context(COMMANDS[name], parent=PARENT))
    assert {"--json", "--local", "--url", "--env", "--profile", "--region"} <= _options(name)
    assert {parameter.name for parameter in parameters} >= COMMON


@each_command
def test_the_help_shows_whole_names_on_a_narrow_terminal(name: str) -> None:
    text = Typed().run(name, "--help", COLUMNS="80")
    options = {word for option in COMMANDS[name].params for word in option.opts if word[0] == "-"}
    assert {word for word in options if not re.search(rf"{word}\b", text)} == set()


@each_command
def test_the_help_of_a_command_begins_with_a_sentence(name: str) -> None:
    assert COMMANDS[name].help.partition("\n")[0].endswith(".")


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"cost"}))
def test_a_command_without_a_service_is_wrong_usage(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(COMMANDS[name].epilog)[2:]
    words = [one.replace("people.csv", "/dev/null") for one in words]
    result = Typed()(words[0], "--json", *words[1:])
    assert result.exit_code == 2, result.output
    assert problem(result)["detail"]
    assert list(tmp_path.iterdir()) == []


def test_the_common_options_may_come_before_or_after_the_command(fake: FakeService) -> None:
    fake.script = [answer(200, {"waitlists": [], "cursor": None})] * 2
    before = Typed()("--json", "--local", "--url", fake.url, "list")
    behind = Typed()("list", "--json", "--local", "--url", fake.url)
    assert json.loads(before.stdout) == json.loads(behind.stdout) == {"waitlists": []}


def test_the_help_documents_the_exit_codes() -> None:
    text = " ".join(Typed().run("--help", COLUMNS="200").split())
    for words in (
        "0 success",
        "1 refused",
        "2 wrong",
        "3 the",
        "4 not",
        "5 the",
        "130 interrupted",
    ):
        assert words in text


def test_the_shell_completes_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "waitlist_cli"],
        env=clean_environment(
            _WAITLIST_COMPLETE="complete_bash",
            COMP_WORDS="waitlist re",
            COMP_CWORD="1",
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    found = " ".join(done.stdout.split())
    assert found == "resume rest remove ready reinstate release redrive"


@pytest.mark.parametrize(
    ("scripted", "exit_code"),
    [
        (refusal(409, "waitlist_paused", "Paused."), 1),
        (refusal(403, "forbidden", "Not you."), 4),
        (refusal(500, "internal_error", "A defect."), 5),
    ],
)
def test_an_error_has_an_exit_code_and_shows_detail_and_code(
    fake: FakeService, scripted: Any, exit_code: int
) -> None:
    fake.script = [scripted, scripted]
    sent = json.loads(scripted[2])
    result = Typed(fake.url)("claim", "bakery")
    assert result.exit_code == exit_code
    assert result.stderr == f"{sent['detail']} ({sent['code']})\n"
    result = Typed(fake.url)("--json", "claim", "bakery")
    shown = problem(result)
    assert (shown["code"], shown["detail"]) == (sent["code"], sent["detail"])
    assert result.stdout == ""


def test_an_unreachable_service_ends_with_exit_code_3() -> None:
    result = Typed("http://127.0.0.1:9")("list")
    assert result.exit_code == 3
    assert "make run" in result.stderr


@pytest.mark.parametrize("words", ["claim", "no-such-command", "list --nope", "show BAKERY"])
def test_wrong_usage_is_reported_as_json_too(words: str) -> None:
    result = Typed()("--json", *words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem(result)["code"] == "wrong_usage"
    assert problem(result)["detail"]


def test_a_misspelt_command_gets_a_suggestion() -> None:
    result = Typed()("admitt", COLUMNS="200")
    assert (result.exit_code, "Did you mean 'admit'" in result.stderr) == (2, True)


def test_the_version_is_the_version_of_the_package() -> None:
    assert Typed().run("--version") == f"waitlist {version('waitlist-cli')}\n"


@pytest.mark.parametrize(("status", "exit_code"), [("ok", 0), ("degraded", 3)])
def test_health_shows_both_stores(fake: FakeService, status: str, exit_code: int) -> None:
    queue = "ok" if status == "ok" else "unavailable"
    fake.script = [answer(200, {"status": status, "queue": queue, "record": "ok"})]
    result = Typed(fake.url)("health")
    assert result.exit_code == exit_code
    assert result.stdout == f"status\t{status}\nqueue\t{queue}\nrecord\tok\n"
    assert "authorization" not in fake.requests[0][2]


def test_help_and_completion_do_not_import_slow_modules() -> None:
    """Help and completion import no slow modules, because they must start quickly."""
    text = "import sys, waitlist_cli.commands; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    slow = {"botocore", "httpx", "rich.live", "rich.progress"}
    assert slow & set(done.stdout.split()) == set()


def test_missing_credentials_end_with_exit_code_4(tmp_path: Any) -> None:
    nowhere = str(tmp_path / "none")
    result = Typed()(
        "--url",
        "http://127.0.0.1:9",
        "list",
        AWS_CONFIG_FILE=nowhere,
        AWS_SHARED_CREDENTIALS_FILE=nowhere,
        AWS_EC2_METADATA_DISABLED="true",
    )
    assert result.exit_code == 4
    assert "--profile" in result.stderr


STATUS_ERRORS = (ClaimExpired, NotInside, NotOffered, OfferExpired)


@pytest.mark.parametrize("error", STATUS_ERRORS, ids=lambda error: error.code)
def test_an_error_that_says_to_get_the_entry_names_the_command(
    fake: FakeService, error: type[WaitlistError]
) -> None:
    assert "Get the entry to see its" in error.advice
    fake.script = [refusal(409, error.code, error.advice)]
    result = Typed(fake.url)("show", "bakery", "a" * 26)
    assert "waitlist show WAITLIST ENTRY" in result.stderr


def test_a_pipe_that_closes_early_is_not_an_error(fake: FakeService) -> None:
    people = [{"entry_id": "a" * 26, "customer_id": f"c{number}"} for number in range(100)]
    names = ("position", "call_number", "priority", "joined_at", "profile", "attributes")
    rest = dict.fromkeys(names)
    page = {"entries": [{**one, **rest} for one in people], "cursor": "more"}
    fake.script = [answer(200, page)] * 1000
    command = [sys.executable, "-m", "waitlist_cli", *Typed(fake.url).service]
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join([*command, 'head', 'bakery', '-n', '90000'])} | head -n 2"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""
