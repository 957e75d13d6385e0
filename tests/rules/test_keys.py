"""Only one module builds Redis keys, and all keys of a waitlist are in the same hash slot."""

import ast
import inspect
from pathlib import Path

import pytest

from tests.rules.sources import MODULES, SCRIPTS
from waitlist_queue import keys

ENTRY = "a" * 26
ONCE = "0" * 32


def all_keys(waitlist_id: str) -> list[str]:
    made = [make(waitlist_id) for make in keys.OF_WAITLIST.values()]
    return [*made, keys.moves(waitlist_id, ENTRY), keys.once(waitlist_id, "claim", ONCE)]


def test_only_the_key_module_contains_the_key_prefix() -> None:
    spelling = [
        name
        for name, module in MODULES.items()
        if any(
            isinstance(node, ast.Constant) and isinstance(node.value, str) and "wl:" in node.value
            for node in ast.walk(module.tree)
        )
    ]
    assert spelling == ["waitlist_queue.keys"]


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.lua")), ids=lambda path: path.stem)
def test_no_script_contains_the_key_prefix(path: Path) -> None:
    assert "wl:" not in path.read_text("utf-8")


def test_every_function_of_the_key_module_builds_a_different_key() -> None:
    functions = dict(inspect.getmembers(keys, inspect.isfunction))
    assert functions.items() >= keys.OF_WAITLIST.items()
    made = all_keys("cinema")
    assert len(set(made)) == len(keys.OF_WAITLIST) + 2
    assert all(key.startswith("wl:{cinema}:") for key in made)


def test_all_keys_of_a_waitlist_have_the_same_hash_tag() -> None:
    """A script may access keys in only one hash slot, so all keys of a waitlist have the same hash
    tag, which determines the slot.
    """
    for key in all_keys("cinema-7"):
        assert key[key.index("{") + 1 : key.index("}")] == "cinema-7"


def test_no_two_waitlists_share_a_key() -> None:
    assert not set(all_keys("cinema")) & set(all_keys("cinema-7"))


def test_a_key_of_a_waitlist_ends_with_the_name_of_its_function() -> None:
    for name, make in keys.OF_WAITLIST.items():
        assert make("cinema") == f"wl:{{cinema}}:{name}"
