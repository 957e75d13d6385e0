"""Tests that the links, paths, commands and tables in the documents are correct."""

import re
import subprocess
from pathlib import Path
from typing import get_args

from tests.deployment.documents import read_tables
from tests.rules.sources import ROOT
from tests.support.each import each, labelled
from waitlist_api.records.entry import MOVED, Status
from waitlist_api.records.lifecycle import LIFECYCLE
from waitlist_queue import keys

LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
TARGET = re.compile(r"(?:^ *|`)make ([a-z-]+)", re.MULTILINE)
SECRET_ARGUMENT = re.compile(
    r"""(?:--user|-u) +(?!local:local\b)"?[$A-Z][^\s]*:\S+"""
    r"""|--secret-string +(?!file:)\S+"""
    r"""|(?:-H|--header) +["'](?:X-Amz-Security-Token|Authorization): *(?:Bearer +)?\$A\S+"""
    r"""|--(?:password|pass|auth-token)[ =]\S+|redis-cli[^\n`]* -a +\S+"""
)
PATH = re.compile(
    r"`((?:cli|events|overload|private_fn|proof|public_fn|shared|tests|tools)/[\w/.*-]*)`"
)
RULE = re.compile(r"^([a-z-]+):", re.MULTILINE)
# The document's table of statuses leaves out `moved`, because a record with this status only refers
# to a different record.
STATUSES = {*get_args(Status)} - {MOVED}


def list_documents() -> list[str]:
    command = ["git", "ls-files", "*.md"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def find_anchors(document: Path) -> set[str]:
    headings = HEADING.findall(document.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each("name", labelled(*list_documents()))
def test_every_link_leads_to_an_existing_place(name: str) -> None:
    document = ROOT / name
    for path, anchor in LINK.findall(document.read_text("utf-8")):
        target = document.parent / path if path else document
        assert target.exists(), path
        assert not anchor or anchor in find_anchors(target), (path, anchor)


@each("name", labelled(*list_documents()))
def test_every_table_has_a_header(name: str) -> None:
    """A blank line inside a table would end the table, and Markdown would render the following rows
    as plain text.
    """
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text("utf-8"), flags=re.M | re.S)
    assert re.findall(r"(?:^|\n\n)(\|.*\n(?!\|[ :|-]+\|\n))", text) == []


@each("name", labelled(*list_documents()))
def test_no_command_contains_a_secret(name: str) -> None:
    """No document passes a secret as a command-line argument, because all users of a machine can
    see the arguments of running commands (promise P5).

    The example `local:local` is not a secret.
    """
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    assert SECRET_ARGUMENT.findall(text) == []


@each("name", labelled(*list_documents()))
def test_the_make_targets_in_documents_exist(name: str) -> None:
    rules = set(RULE.findall((ROOT / "Makefile").read_text("utf-8")))
    assert set(TARGET.findall((ROOT / name).read_text("utf-8"))) <= rules


def test_the_architecture_page_lists_every_redis_key() -> None:
    (table,) = [rows for rows in read_tables("docs/internals/architecture.md") if "type" in rows[0]]
    stored = [make("bakery").split(":")[2] for make in keys.OF_WAITLIST.values()]
    listed = [row["key"].strip("`").split(":")[0] for row in table]
    assert sorted(listed) == sorted([*stored, "moves", "once"])


def test_the_diagram_on_the_architecture_page_has_every_status() -> None:
    text = (ROOT / "docs/internals/architecture.md").read_text("utf-8")
    diagram = text.partition("stateDiagram-v2")[2].partition("```")[0]
    drawn = set(re.findall(r"^  (\w+) -->", diagram, re.M)) | set(re.findall(r"--> (\w+)", diagram))
    assert drawn == STATUSES


def test_the_architecture_page_maps_redis_states_and_verbs_to_each_status() -> None:
    page = read_tables("docs/internals/architecture.md")
    (table,) = [rows for rows in page if "state in Redis" in rows[0]]
    words = re.compile(r"`(\w+)`")
    status_of: dict[str, str] = {}
    stages: set[tuple[str, str]] = set()
    for row in table:
        (status,) = words.findall(row["status in the record"])
        status_of |= dict.fromkeys(words.findall(row["verbs of decisions"]), status)
        stages |= {(status, state) for state in words.findall(row["state in Redis"])}
    assert status_of == {verb: stage.status for stage in LIFECYCLE for verb in stage.verbs}
    # The document also describes an interrupted signup, for which `LIFECYCLE` has no stage. Redis
    # has the entry, but its record still says `joining`.
    assert stages - {("joining", "waiting")} == {(stage.status, stage.state) for stage in LIFECYCLE}
    assert {words.findall(row["status in the record"])[0] for row in table} == STATUSES


def test_the_documents_that_files_name_exist() -> None:
    """Every document that is named in a comment, an alarm or a message exists."""
    command = ["git", "grep", "-hoE", r"\bdocs/[a-z0-9/-]+\.md"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    named = set(found.stdout.split())
    assert "docs/operate/alarms.md" in named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@each("name", labelled(*list_documents()))
def test_the_paths_in_documents_exist(name: str) -> None:
    named = set(PATH.findall((ROOT / name).read_text("utf-8")))
    assert [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []


@each("name", labelled(*list_documents()))
def test_documents_deploy_stacks_only_with_make_and_a_section(name: str) -> None:
    """Documents must not use the plain command `sam deploy`. It would deploy a stack named
    `default` instead of the release that was built.
    """
    text = (ROOT / name).read_text("utf-8")
    assert re.findall(r"SAM_DEPLOY_FLAGS=.*--parameter-overrides", text) == []
    assert re.findall(r"^\s*(?:\$ )?sam (?:build|deploy|package)\b.*", text, re.M) == []
