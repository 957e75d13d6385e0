"""A Redis script's header is its contract, and the code does what the header declares."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from tests.queue.behaviour.outcomes import example
from tests.rules.lua import LIBRARY, PRELUDE, SOURCES, VERBS, Source
from tests.support.each import each
from waitlist_queue import keys, scripts
from waitlist_queue.operations import OWN_KEYS, call_of, operation_of
from waitlist_queue.scripts import script_named
from waitlist_shared import contracts, limits, ranks
from waitlist_shared.errors import BY_CODE

each_verb = each("verb", VERBS)
each_piece = each("piece", LIBRARY)
each_guard = each("guard", PRELUDE)
each_source = each("source", SOURCES)
# The number of loops in each script. Each loop is bounded, for example by the length of a page, by
# the `count` of a claim, or by the number of segments of an entry.
LOOPS = {
    "allocate_tickets": 1,
    # These loops visit the first 200 positions one by one. After that, they skip more and more
    # positions, so that even a long queue needs few steps.
    "board": 3,
    "claim": 1,
    "complete": 1,
    "expire": 1,
    "list_off_queue": 1,
    "list_waiting": 3,
    "position": 1,
    "restore_many": 2,
    "segments": 2,
    "signup": 1,
    "untagged": 1,
    "lib/claim_limit": 3,  # With a new limit, the first claim visits all open claims and offers.
    "lib/decisions": 4,
    "lib/epoch": 1,
    "lib/expiry": 2,
    "lib/invitees": 1,  # A message has at most 100 invitees.
    "lib/offers": 1,  # This loop visits the entries that get an offer.
    # This loop visits the open offers that would outlast admissions.
    "lib/over": 2,
    "lib/policy": 4,  # A message covers at most three hours.
    "lib/pop": 4,
    # One loop visits the reasons why an entry is not ready, and the other ends pauses.
    "lib/readiness": 2,
    # Redis stores the last polls of at most 401 customers, so these loops mark at most 401
    # customers as away.
    "lib/presence": 5,
    "lib/reasons": 1,
    "lib/replay": 1,
    "lib/ranks": 2,
    "lib/segments": 1,
    "lib/settings": 3,
    "lib/waiting": 1,
}
ON_WAITLIST = [one for one in contracts.RESULTS if issubclass(one, contracts.OnWaitlist)]


@each_verb
def test_a_header_starts_with_the_verb_and_its_purpose(verb: Source) -> None:
    assert re.match(rf"{verb.name}: .{{10,}}", verb.header[0])


@each_source
def test_keys_and_arguments_are_used_with_the_names_in_the_header(source: Source) -> None:
    assert not re.search(r"\b(?:KEYS|ARGV)\[", source.code)
    assert not re.search(r"^local keys\b", source.code, re.MULTILINE)


@each_source
def test_the_values_of_a_reply_are_accessed_by_name(source: Source) -> None:
    """A script stores the values of a Redis reply in named variables, because indexes such as
    `reply[7]` would be hard to read.
    """
    assert not re.search(r"[\w)]\[\d+\]", source.code)


@each_source
def test_the_variables_for_meta_fields_have_the_names_and_order_of_the_fields(
    source: Source,
) -> None:
    """A script that reads several fields of the `meta` hash at once stores them in variables with
    the same names, in the same order. Only the last words of the names are compared.
    """
    read = re.compile(r"local ([\w, ]+) =\s+unpack\(redis\.call\('HMGET', keys\.meta,\s([^)]+)\)")
    for names, fields in read.findall(source.code):
        ends = [name.split("_")[-1] for name in re.findall(r"\w+", names)]
        assert ends == [field.split("_")[-1] for field in re.findall(r"\w+", fields)]


@each_verb
def test_every_declared_argument_is_used(verb: Source) -> None:
    guards = [PRELUDE[name].code for name in verb.declared("PRELUDE")]
    code = "".join([*guards, verb.code])
    for name in verb.declared("ARGV"):
        assert re.search(rf"(?<![.\w]){name}\b(?! = )", code), name


@each_verb
def test_the_key_module_builds_every_key_that_a_script_uses(verb: Source) -> None:
    """Every key that a script uses is built by a function of the key module. Keys that belong to a
    single request come last.
    """
    names = script_named(verb.name).keys
    own = tuple(name for name in names if name in OWN_KEYS)
    assert set(names) <= {*keys.OF_WAITLIST, *OWN_KEYS}
    assert names[len(names) - len(own) :] == own


@each_source
def test_the_code_returns_what_the_header_declares(source: Source) -> None:
    """A script returns the outcomes that its header declares, each with the declared number of
    values.
    """
    if not source.is_library:
        assert source.replies == {outcome: {size} for outcome, size in source.returns.items()}


@each_verb
def test_an_outcome_without_values_is_a_refusal_or_a_result_without_required_fields(
    verb: Source,
) -> None:
    requests = [one for one in ON_WAITLIST if operation_of(one).script.name == verb.name]
    needs_values = all(required_fields_of(contracts.RESULTS[one]) for one in requests)
    for outcome, values in script_named(verb.name).returns.items():
        is_refusal = outcome in BY_CODE
        assert not values if is_refusal else values or not needs_values, outcome


def test_a_script_returns_every_refusal_of_the_queue() -> None:
    given = {outcome for name in VERBS for outcome in script_named(name).returns}
    by_python = {"queue_unavailable", "invalid_request", "unsupported_version", "internal_error"}
    by_the_public_function = {"throttled"}
    assert set(BY_CODE) - by_python - by_the_public_function == {
        code for code in BY_CODE if code in given
    }


@each_verb
def test_the_loader_reads_all_declarations_of_the_header(verb: Source) -> None:
    script = script_named(verb.name)
    assert list(script.arguments) == verb.declared("ARGV")
    sizes = {word: len(names) + 1 for word, names in script.returns.items()}
    assert sizes.items() >= verb.returns.items()
    names = ", ".join(script.arguments + script.added)
    assert f"local {names} = unpack(ARGV)" in script.source or not names
    for number, name in enumerate(script.keys, 1):
        assert f"{name} = KEYS[{number}]" in script.source


@each_verb
def test_a_script_returns_the_refusals_of_its_guards(verb: Source) -> None:
    guards = [PRELUDE[name] for name in verb.declared("PRELUDE")]
    refusals = {outcome for guard in guards for outcome in guard.returns}
    assert refusals <= set(script_named(verb.name).returns)
    assert not refusals & set(verb.returns), "the header repeats what a guard declares"


@each_verb
def test_a_loaded_script_has_the_same_lines_as_its_files_without_comments(verb: Source) -> None:
    """Loading a script removes its comments but keeps its line breaks, so line numbers in Redis'
    error messages match the file.
    """
    guards = scripts.in_order(tuple(verb.declared("PRELUDE")), scripts.PRELUDE, "PRELUDE")
    needs = [name for text in [*guards, verb.text] for name in scripts.words(text, "NEEDS")]
    library = scripts.in_order(tuple(needs), scripts.LIBRARY, "NEEDS")
    lines = "".join([*library, *guards, verb.text]).splitlines()
    source = script_named(verb.name).source
    sent = source.splitlines()
    assert len(sent) == len(lines)
    named = "".join(library).count("\n")
    assert sent[named].startswith("local keys = {")
    sent[named] = ""
    assert all(line.startswith(code) for line, code in zip(lines, sent, strict=True))
    assert "--" not in source


@each_verb
def test_a_script_contains_no_function_that_is_not_called(verb: Source) -> None:
    """A loaded script contains no unused functions, because Redis defines all functions again
    whenever the script runs.
    """
    source = script_named(verb.name).source
    for function in re.findall(r"^local function (\w+)", source, re.MULTILINE):
        assert len(re.findall(rf"\b{function}\b", source)) > 1, function


@each_verb
def test_a_function_is_defined_before_the_code_that_calls_it(verb: Source) -> None:
    source = script_named(verb.name).source
    for found in re.finditer(r"^local function (\w+)", source, re.MULTILINE):
        assert not re.search(rf"(?<![.\w]){found[1]}\(", source[: found.start()]), found[1]


@each_source
def test_a_file_needs_exactly_the_library_files_whose_names_it_uses(source: Source) -> None:
    """A file declares exactly the library files whose functions it calls directly."""
    assert source.declared("NEEDS") == sorted(source.needed)


@each_source
def test_a_file_that_uses_the_clock_names_the_guard_that_reads_it(source: Source) -> None:
    if not source.is_library and source.name != "clock":
        assert ("clock" in source.declared("PRELUDE")) is source.uses("now")


@each_verb
def test_a_guard_that_hides_a_key_stands_in_exactly_the_scripts_that_need_it(verb: Source) -> None:
    """On waitlists that do not use a set such as `claimed`, a check hides the set's key. Only
    scripts that use the key need this check.
    """
    names = set(verb.declared("PRELUDE"))
    used = set(script_named(verb.name).keys)
    assert names & {"claimed", "tags", "not_ready"} <= used
    if verb.name not in ("purge", "init"):
        assert ("claimed" in names) is ("claimed" in used)


@each_verb
def test_every_script_checks_that_this_server_owns_the_queue(verb: Source) -> None:
    """Every script first checks that this Redis server owns the queue. The only exception is the
    script that deletes the queue (promise P7).
    """
    asks = bool({"cold", "owner"} & set(verb.declared("PRELUDE")))
    assert asks is not (verb.name == "purge")
    assert asks is (script_named(verb.name).added[-1:] == ("server_run_id",))


@each_source
def test_no_script_defines_a_global(source: Source) -> None:
    assert not re.findall(r"^function ", source.code, re.MULTILINE)
    assigned = set(re.findall(r"^([a-z_]+) =", source.code, re.MULTILINE))
    declared = {
        name.strip()
        for names in re.findall(r"^local ([\w, ]+)", source.code, re.MULTILINE)
        for name in names.split(",")
    }
    assert assigned <= declared | set(source.declared("ARGV"))


@each_source
def test_no_script_has_an_unbounded_loop(source: Source) -> None:
    """Every loop in a script is bounded. A developer who adds a loop must add it to LOOPS too, and
    say why it is bounded (promise P9).
    """
    loops = len(re.findall(r"\b(?:for|while|repeat)\b", re.sub(r"'\w*'", "", source.code)))
    assert loops == LOOPS.get(source.place, 0)


def test_every_function_of_the_library_is_used() -> None:
    loaded = "".join([script_named(name).source for name in VERBS])
    for piece in LIBRARY.values():
        assert all(f"function {name}(" in loaded for name in piece.functions), piece.name


def test_every_guard_is_used_by_several_scripts() -> None:
    """Every check that runs before a script is used by several scripts.

    A check for a single script belongs in the script itself.
    """
    named = Counter(name for verb in VERBS.values() for name in verb.declared("PRELUDE"))
    assert set(named) == set(PRELUDE)
    assert min(named.values()) > 1


def test_lua_and_python_compute_the_same_tickets() -> None:
    numbers = numbers_of(LIBRARY["tickets"])
    assert numbers["TIER"] == ranks.TIER
    assert numbers["MAX_PRIORITY"] == limits.MAX_PRIORITY
    assert numbers["EPOCH_MICROS"] == ranks.EPOCH.timestamp() * 1_000_000
    assert f"* {ranks.TICKETS_PER_MILLISECOND} / 1000" in LIBRARY["tickets"].code
    assert numbers["ROOM"] == ranks.ROOM == -limits.MIN_RANK
    assert limits.MAX_TICKET == ranks.TIER - ranks.ROOM - 1
    assert limits.MAX_RANK == 256 * ranks.TIER - 1 == 2**53 - 1


def test_moves_have_the_same_lifetime_in_lua_and_python() -> None:
    """P2"""
    assert numbers_of(LIBRARY["moves"])["MOVE_SECONDS"] == limits.ONCE_SECONDS


@each("request_type", {one.__name__: one for one in ON_WAITLIST})
def test_a_reply_has_every_field_of_its_result(request_type: type[contracts.OnWaitlist]) -> None:
    """A script's header declares all required fields of the result, and no unknown ones."""
    script = operation_of(request_type).script
    sharing = [one for one in ON_WAITLIST if operation_of(one).script is script]
    known = {name for one in sharing for name in fields_of(contracts.RESULTS[one], script.rows)}
    named = [name for names in [*script.returns.values(), *script.rows.values()] for name in names]
    assert set(named) <= known
    required = set(required_fields_of(contracts.RESULTS[request_type]))
    successes = [set(names) for names in script.returns.values() if names]
    assert all(required <= names for names in successes)


def fields_of(struct: Any, rows: Any) -> Iterator[str]:
    for field in msgspec.structs.fields(struct):
        yield field.name
        inner = [*get_args(field.type), field.type]
        for one in inner:
            if field.name in rows and hasattr(one, "__struct_fields__"):
                yield from fields_of(one, rows)


def required_fields_of(struct: Any) -> list[str]:
    own = [field for field in msgspec.structs.fields(struct) if field.name != "outcome"]
    return [field.name for field in own if field.required]


def numbers_of(source: Source) -> dict[str, int]:
    found = re.findall(r"^local ([A-Z_]+) = (\d+)", source.code, re.MULTILINE)
    return {name: int(number) for name, number in found}


def test_a_script_has_the_name_of_its_operation_or_of_the_base_class() -> None:
    for request in ON_WAITLIST:
        named = [contracts.operation_name(base.__name__) for base in request.__mro__]
        assert contracts.REQUESTS[named[0]] is request
        assert operation_of(request).script.name in named


def test_every_script_has_an_operation_and_every_operation_a_script() -> None:
    assert {operation_of(request).script.name for request in ON_WAITLIST} == set(VERBS)


@each("request_type", {one.__name__: one for one in ON_WAITLIST})
def test_a_call_has_as_many_values_as_the_header_declares(
    request_type: type[contracts.OnWaitlist],
) -> None:
    operation = operation_of(request_type)
    call = call_of([example(contracts.operation_name(request_type.__name__))])
    assert len(call.arguments) == len(operation.script.arguments)
    assert len(call.keys) == len(operation.script.keys)
    assert all(isinstance(value, str | int) for value in call.arguments)
