"""A script's header is its contract: what it declares is what the code does."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from tests.rules.lua import LIBRARY, VERBS, Source
from tests.rules.sources import ROOT
from tests.support.each import each
from waitlist_queue import keys
from waitlist_queue.operations import OWN_KEYS, SHARED_SCRIPTS, call_of, operation_of
from waitlist_queue.scripts import script_named
from waitlist_shared import contracts, limits, ranks
from waitlist_shared.errors import BY_CODE

each_verb = each("verb", VERBS)
each_piece = each("piece", LIBRARY)
each_source = each("source", VERBS | {f"lib/{name}": one for name, one in LIBRARY.items()})
# Loops that are bounded: by a page, by the stays of one run, by a claim's count, by the instants of
# a message, by the fields of a policy, by the places that are kept, by the holds that
# end at once, by the segments of an entry or of a request, by the settings, by the decisions that
# are kept of an entry, by the shared milliseconds of a call, by halving, by doubling and halving.
LOOPS = {
    "allocate_tickets": 1,
    "board": 3,  # 200 entries, then 1,100 for ten million: each position is 1% above the last
    "claim": 1,
    "claim_limit": 3,  # the open holds, by the first claim after a change of the settings
    "complete": 1,
    "pending_decisions": 4,
    "due": 4,  # a message has three hours at most
    "epoch": 1,
    "expire": 1,
    "expiry": 2,
    "list": 4,
    "offer": 1,  # the entries that a run takes
    "pop": 4,
    "position": 1,
    "readiness": 1,  # the reasons of an entry
    "reasons": 1,
    "replay": 1,
    "restore_many": 2,
    "rests": 1,  # those that end at once
    "run_length": 2,
    "segment_index": 1,
    "segments": 2,
    "settings": 2,
    "signup": 1,
    "untagged": 1,
    "waiting_at": 1,
}
ON_WAITLIST = [one for one in contracts.RESULTS if issubclass(one, contracts.OnWaitlist)]
# What there is nothing more to say of.
BARE_RESULTS = ("purged", "settled", "changed", "tagged", "kept", "absent", "exited", "ended")


@each_verb
def test_a_header_begins_with_the_verb_and_its_purpose(verb: Source) -> None:
    assert re.match(rf"{verb.name}: .{{10,}}", verb.header[0])


@each_source
def test_keys_and_arguments_are_used_by_the_names_of_the_header(source: Source) -> None:
    assert not re.search(r"\b(?:KEYS|ARGV)\[", source.code)
    assert not re.search(r"^local keys\b", source.code, re.MULTILINE)


@each_source
def test_a_value_of_a_reply_has_a_name_and_no_number(source: Source) -> None:
    """A reader would have to count the words of the command."""
    assert not re.search(r"[\w)]\[\d+\]", source.code)


@each_source
def test_fields_of_the_list_are_read_in_the_order_of_their_names(source: Source) -> None:
    """`local rate, paused = unpack(…, 'old_rate', 'paused')`: each name ends as its field does."""
    read = re.compile(r"local ([\w, ]+) =\s+unpack\(redis\.call\('HMGET', keys\.meta,\s([^)]+)\)")
    for names, fields in read.findall(source.code):
        ends = [name.split("_")[-1] for name in re.findall(r"\w+", names)]
        assert ends == [field.split("_")[-1] for field in re.findall(r"\w+", fields)]


@each_verb
def test_a_script_uses_the_fields_of_the_list_that_it_declares_and_no_others(verb: Source) -> None:
    used = set(re.findall(r"\bmeta_(\w+)", verb.code))
    assert used == set(verb.declared("META"))


@each_verb
def test_a_script_uses_the_keys_that_it_declares_and_no_others(verb: Source) -> None:
    """In its own code, and in the library's functions that it reaches."""
    assert verb.declared("KEYS")
    if "unpack(KEYS)" not in verb.code:
        assert used_keys(verb) == set(verb.declared("KEYS"))


def used_keys(verb: Source) -> set[str]:
    reached = "".join([verb.code, *verb.functions_reached])
    by_loader = {"meta"} if verb.declared("META") else set()
    return by_loader | set(re.findall(r"\bkeys\.(\w+)", reached)) - (
        # The index of segments, and that of claims, is kept only by the scripts that declare it.
        {"tags", "segments", "claimed"} - set(verb.declared("KEYS"))
    )


@each_verb
def test_every_declared_argument_is_used(verb: Source) -> None:
    for name in verb.declared("ARGV"):
        assert re.search(rf"(?<![.\w]){name}\b(?! = )", verb.code), name


@each_verb
def test_every_declared_key_is_one_that_the_key_module_makes(verb: Source) -> None:
    """Those of one request come last, where `operations` puts them."""
    declared = verb.declared("KEYS")
    own = [name for name in declared if name in OWN_KEYS]
    assert set(declared) <= {*keys.OF_WAITLIST, *OWN_KEYS}
    assert declared[len(declared) - len(own) :] == own


@each_verb
def test_the_code_returns_what_the_header_declares(verb: Source) -> None:
    """Each outcome with as many values as it lists."""
    assert verb.replies == {outcome: {size} for outcome, size in verb.returns.items()}


@each_verb
def test_an_outcome_is_a_refusal_or_a_result_and_nothing_between(verb: Source) -> None:
    """A refusal has a code and no values; what has values is no refusal."""
    for outcome, size in verb.returns.items():
        is_refusal = size == 1 and outcome not in BARE_RESULTS
        assert (outcome in BY_CODE) is is_refusal, outcome


def test_every_refusal_of_the_order_is_given_by_a_script() -> None:
    given = {outcome for verb in VERBS.values() for outcome in verb.returns}
    by_python = {"queue_unavailable", "invalid_request", "unsupported_version", "internal_error"}
    assert set(BY_CODE) - by_python == {code for code in BY_CODE if code in given}


@each_verb
def test_the_loader_reads_the_header_as_it_is(verb: Source) -> None:
    script = script_named(verb.name)
    assert list(script.keys) == verb.declared("KEYS")
    assert list(script.arguments) == verb.declared("ARGV")
    assert {word: len(names) + 1 for word, names in script.returns.items()} == verb.returns
    names = ", ".join(verb.declared("ARGV"))
    assert f"local {names} = unpack(ARGV)" in script.source or not names
    for number, name in enumerate(verb.declared("KEYS"), 1):
        assert f"{name} = KEYS[{number}]" in script.source
    values = ", ".join(f"meta_{field}" for field in verb.declared("META"))
    fields = ", ".join(f"'{field}'" for field in verb.declared("META"))
    read = f"local {values} = unpack(redis.call('HMGET', keys.meta, {fields}))\n"
    assert read in script.source or not values


@each_verb
def test_a_loaded_script_has_the_lines_of_its_files_without_comments(verb: Source) -> None:
    """An error of Redis names a line: it is the same one with and without comments."""
    texts = [LIBRARY[piece].text for piece in verb.declared("USES")]
    lines = "".join([*texts, verb.text]).splitlines()
    source = script_named(verb.name).source
    sent = source.splitlines()
    assert len(sent) == len(lines)
    named = len(sent) - len(verb.text.splitlines())
    assert sent[named].startswith("local keys = {")
    sent[named] = ""
    assert all(line.startswith(code) for line, code in zip(lines, sent, strict=True))
    assert "--" not in source


@each_verb
def test_no_function_is_sent_that_is_not_called(verb: Source) -> None:
    """Redis makes each function again at each run."""
    source = script_named(verb.name).source
    for function in re.findall(r"^local function (\w+)", source, re.MULTILINE):
        assert len(re.findall(rf"\b{function}\b", source)) > 1, function


@each_verb
def test_the_library_that_is_named_is_the_library_that_is_used(verb: Source) -> None:
    used = verb.declared("USES")
    for piece in LIBRARY.values():
        called = any(verb.calls(name) or _called_in(used, name) for name in piece.functions)
        is_constant_used = piece.name == "ticket" and re.search(r"\bTIER\b", verb.code)
        assert (piece.name in used) is bool(called or is_constant_used), piece.name


def _called_in(pieces: list[str], function: str) -> bool:
    return any(
        LIBRARY[name].calls(function) for name in pieces if function not in LIBRARY[name].functions
    )


@each_verb
def test_a_clock_is_an_argument(verb: Source) -> None:
    """The store adds it: a script that draws a ticket takes the time from its caller."""
    readers = ("next_stamp", "ticket_after", "micros", "has_expired_holds")
    draws = any(verb.calls(name) for name in readers)
    assert ("now" in verb.declared("ARGV")) is draws


@each_verb
def test_every_script_asks_whether_the_order_is_at_home(verb: Source) -> None:
    """P7: but the one that forgets it."""
    asks = verb.calls("owned_state")
    assert asks is (verb.declared("ARGV")[-1:] == ["server_run_id"])
    assert asks or verb.name == "purge"


@each_source
def test_nothing_is_global(source: Source) -> None:
    assert not re.findall(r"^function ", source.code, re.MULTILINE)
    assigned = set(re.findall(r"^([a-z_]+) =", source.code, re.MULTILINE))
    declared = {
        name.strip()
        for names in re.findall(r"^local ([\w, ]+)", source.code, re.MULTILINE)
        for name in names.split(",")
    }
    assert assigned <= declared | set(source.declared("ARGV"))


@each_source
def test_no_script_loops_over_a_list(source: Source) -> None:
    """P9: a new loop has to be shown to be bounded, here."""
    loops = len(re.findall(r"\b(?:for|while|repeat)\b", re.sub(r"'\w*'", "", source.code)))
    assert loops == LOOPS.get(source.name, 0)


def test_every_piece_of_the_library_is_used() -> None:
    used = {name for verb in VERBS.values() for name in verb.declared("USES")}
    assert used == set(LIBRARY)


def test_lua_counts_tickets_as_python_does() -> None:
    numbers = numbers_of(LIBRARY["ticket"])
    assert numbers["TIER"] == ranks.TIER
    assert numbers["EPOCH_MICROS"] == ranks.EPOCH.timestamp() * 1_000_000
    assert f"* {ranks.TICKETS_PER_MILLISECOND} / 1000" in LIBRARY["ticket"].code
    assert numbers["ROOM"] == ranks.ROOM == -limits.MIN_RANK
    assert limits.MAX_TICKET == ranks.TIER - ranks.ROOM - 1
    assert limits.MAX_RANK == 256 * ranks.TIER - 1 == 2**53 - 1


def test_tombstones_last_as_long_in_lua_as_in_python() -> None:
    """P2"""
    numbers = numbers_of(LIBRARY["tombstone"])
    assert numbers["TOMBSTONE_SECONDS"] == limits.TOMBSTONE_SECONDS


def test_moves_and_shared_milliseconds_last_as_long_in_lua_as_in_python() -> None:
    """P2"""
    assert numbers_of(LIBRARY["moves"])["MOVE_SECONDS"] == limits.ONCE_SECONDS
    assert (
        numbers_of(VERBS["allocate_tickets"])["SHARED_MILLISECOND_SECONDS"]
        == limits.SHARED_MILLISECOND_SECONDS
    )


@each("request_type", {one.__name__: one for one in ON_WAITLIST})
def test_a_reply_has_every_field_of_its_result(request_type: type[contracts.OnWaitlist]) -> None:
    """The names of RETURNS and EACH are fields, or of another result of the same script."""
    script = operation_of(request_type).script
    sharing = [one for one in ON_WAITLIST if operation_of(one).script is script]
    known = {name for one in sharing for name in fields_of(contracts.RESULTS[one], script.rows)}
    named = [name for names in [*script.returns.values(), *script.rows.values()] for name in names]
    assert set(named) <= known
    required = set(required_fields_of(contracts.RESULTS[request_type]))
    successes = [set(names) for names in script.returns.values() if names]
    assert all(required <= names for names in successes)


def fields_of(struct: Any, rows: Any) -> Iterator[str]:
    """Yield the fields of a result, and those of the structs that it holds."""
    for field in msgspec.structs.fields(struct):
        yield field.encode_name
        inner = [*get_args(field.type), field.type]
        for one in inner:
            if field.encode_name in rows and hasattr(one, "__struct_fields__"):
                yield from fields_of(one, rows)


def required_fields_of(struct: Any) -> list[str]:
    own = [field for field in msgspec.structs.fields(struct) if field.encode_name != "outcome"]
    return [field.encode_name for field in own if field.required]


@pytest.mark.parametrize("verb", ["signup", "bump"])
def test_the_lowest_priority_is_the_same_everywhere(verb: str) -> None:
    lowest = set(re.findall(r"\b(\d+) (?:\* TIER|- tonumber)", VERBS[verb].code))
    assert lowest == {str(limits.MAX_PRIORITY)}


def numbers_of(source: Source) -> dict[str, int]:
    found = re.findall(r"^local ([A-Z_]+) = (\d+)", source.code, re.MULTILINE)
    return {name: int(number) for name, number in found}


def test_a_script_has_the_name_of_its_operation_unless_operations_share_it() -> None:
    """`operation_name` gives the name to the request, and SHARED_SCRIPTS lists what shares."""
    users = Counter(operation_of(request).script.name for request in ON_WAITLIST)
    for request in ON_WAITLIST:
        name = operation_of(request).script.name
        own_name = contracts.operation_name(request.__name__)
        assert contracts.REQUESTS[own_name] is request
        if users[name] == 1:
            assert name == own_name
            assert request not in SHARED_SCRIPTS
        else:
            assert name in (SHARED_SCRIPTS.get(request), own_name)


def test_every_script_has_an_operation_and_every_operation_a_script() -> None:
    assert {operation_of(request).script.name for request in ON_WAITLIST} == set(VERBS)


@each("request_type", {one.__name__: one for one in ON_WAITLIST})
def test_as_many_values_are_sent_as_the_header_declares(
    request_type: type[contracts.OnWaitlist],
) -> None:
    operation = operation_of(request_type)
    call = call_of([example(str(request_type.__struct_config__.tag))])
    declared, added = operation.script.arguments, operation.script.added
    assert declared[len(declared) - len(added) :] == added
    assert len(call.arguments) + len(added) == len(declared)
    assert len(call.keys) == len(operation.script.keys)
    assert all(isinstance(value, str | int) for value in call.arguments)


def example(verb: str) -> Any:
    text = (ROOT / "events" / "private" / f"{verb}.json").read_text("utf-8")
    return msgspec.convert(json.loads(text), contracts.Single)
