"""The release id changes if, and only if, something that is deployed changes."""

import shutil
from pathlib import Path

import pytest

from tools.deploy.release import LAYER, UNBUILT, check_sizes, release_of, write_release
from tools.local.table import read_template

TEMPLATE = f"Globals:\n  Function:\n    Environment:\n      Variables:\n        {UNBUILT}\n"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "one" / "build"
    for name, text in {
        "template.yaml": TEMPLATE,
        "PublicFn/app.py": "public = 1\n",
        "SharedLayer/python/ids.py": "shared = 1\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "samconfig.toml").write_text('parameter_overrides = "LogLevel=INFO"\n')
    return folder


def release(built: Path) -> str:
    return release_of(built, built.parent.parent / "samconfig.toml")


@pytest.mark.parametrize(
    "changed",
    ["template.yaml", "PublicFn/app.py", "SharedLayer/python/ids.py", "../../samconfig.toml"],
)
def test_a_change_of_any_deployed_part_changes_the_release_id(built: Path, changed: str) -> None:
    """If any deployed part changes, so does the release id.

    This includes the layer and the values of parameters, which SAM itself does not compare.
    """
    before = release(built)
    with (built / changed).open("a") as file:
        file.write("# another\n")
    assert release(built) != before


def test_renaming_a_file_changes_the_release_id(built: Path) -> None:
    before = release(built)
    (built / "PublicFn" / "app.py").rename(built / "PublicFn" / "main.py")
    assert release(built) != before


def test_the_release_id_does_not_depend_on_the_folder(built: Path, tmp_path: Path) -> None:
    before = release(built)
    elsewhere = tmp_path / "two" / "build"
    shutil.copytree(built, elsewhere)
    assert release(elsewhere) == before


def test_the_release_id_is_written_to_the_built_template_as_a_string(built: Path) -> None:
    named = write_release(built, built.parent.parent / "samconfig.toml")
    text = (built / "template.yaml").read_text()
    assert f"RELEASE: '{named}'" in text
    assert UNBUILT not in text


def test_a_template_without_a_placeholder_is_refused(built: Path) -> None:
    (built / "template.yaml").write_text("Globals: {}\n")
    with pytest.raises(ValueError, match="Build it again with `make sam-build`"):
        write_release(built, built.parent.parent / "samconfig.toml")


def test_every_function_of_the_stack_has_the_release_id() -> None:
    """Every function has the release id in its environment.

    When an environment variable changes, SAM publishes a new version of the function.
    """
    environment = read_template()["Globals"]["Function"]["Environment"]["Variables"]
    name, value = UNBUILT.split(": ")
    assert environment == {name: value}


def test_a_function_that_is_too_large_with_its_layer_is_refused(built: Path) -> None:
    sizes = [
        (built / name).stat().st_size for name in ("PublicFn/app.py", f"{LAYER}/python/ids.py")
    ]
    check_sizes(built, sum(sizes))
    with pytest.raises(ValueError, match="PublicFn has 22 bytes with its layer, but Lambda allows"):
        check_sizes(built, sum(sizes) - 1)
