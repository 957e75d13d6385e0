"""Makes pydantic models from the classes that declare a waitlist's settings."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields
from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from waitlist_api.http.schemas.common import AsAnyOf, Body
from waitlist_api.settings.declared import Setting, Settings

# If a setting accepts either a string or an object, pydantic adds one of these tags to the path of
# an error. The tags are in parentheses, because error responses leave out such parts of a path.
TEXT, OTHER = "(text)", "(other)"
LIMITS = ("ge", "le", "min_length", "max_length")
Problems = Callable[[Any], Iterator[tuple[str, str]]]
# Maps each group of settings to the pydantic model of its request body.
BODIES: dict[type[Settings], type[Body]] = {}


def request_body(
    name: str,
    group: type[Settings],
    problems: Problems | None = None,
    document: Callable[[dict[str, Any]], None] | None = None,
) -> Any:
    """Create the pydantic model for a group of settings.

    `problems` is a function that finds settings that contradict each other. `document` is a
    function that changes the model's JSON schema.
    """
    finds = problems or (group.problems if "problems" in vars(group) else None)
    validators: Any = {}
    if finds is not None:
        validators["check"] = model_validator(mode="after")(_checked(group, finds))
    given: dict[str, Any] = {
        field.name: _in_request(field) for field in fields(group) if not is_internal(field)
    }
    BODIES[group] = create_model(
        name, __base__=Body, __doc__=group.__doc__, __validators__=validators, **given
    )
    if document is not None:
        BODIES[group].model_config["json_schema_extra"] = document
    return BODIES[group]


def in_response(group: type[Settings]) -> dict[str, Any]:
    """Return the fields of the response model for this group of settings.

    The fields have no limits or descriptions.
    """
    return {field.name: _type(field.type, is_plain=True) for field in fields(group)}


def in_public(group: type[Settings]) -> dict[str, Any]:
    """Return the fields of the response model for the public settings of this group."""
    return {
        name: Annotated[_type(hint, is_plain=True), Field(**_words(_settings(hint)))]
        for name, hint in _public(group)
    }


def settings_in(group: type[msgspec.Struct], body: Body) -> Any:
    """Return the settings that a valid request body contains."""
    return msgspec.convert(body.model_dump(by_alias=True), group)


def shown(value: Any) -> Any:
    """Return settings as the API returns them."""
    if isinstance(value, Settings):
        return {key: shown(getattr(value, name)) for key, name in _shown_fields(type(value))}
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    if isinstance(value, Mapping):
        return {name: shown(item) for name, item in value.items()}
    return value


@cache
def _shown_fields(group: type[Settings]) -> list[tuple[str, str]]:
    """Return each field's name in the API and its name in the code.

    The result is cached, because resolving the types of a group's fields takes longer than the rest
    of a request.
    """
    return [(one.encode_name, one.name) for one in fields(group) if not is_internal(one)]


def shown_publicly(settings: Settings) -> dict[str, Any]:
    """Return the public settings as the API returns them."""
    return {name: shown(getattr(settings, name)) for name, _ in _public(type(settings))}


@cache
def _public(group: type[Settings]) -> list[tuple[str, Any]]:
    """Return the names and the types of a group's public settings. The result is cached, because
    `shown_publicly` needs it for each request.
    """
    found = [(field.name, field.type) for field in fields(group)]
    return [(name, hint) for name, hint in found if any(one.is_public for one in _settings(hint))]


def is_internal(field: FieldInfo) -> bool:
    return any(setting.is_internal for setting in _settings(field.type))


def _checked(group: type[Settings], problems: Problems) -> Callable[[Any], Any]:
    def check(body: Body) -> Body:
        found = [
            InitErrorDetails(
                type=PydanticCustomError("value_error", message),
                loc=tuple(field.split(".")) if field else (),
                input=None,
            )
            for field, message in problems(settings_in(group, body))
        ]
        if found:
            raise ValidationError.from_exception_data(group.__name__, found)
        return body

    return check


def _in_request(field: FieldInfo) -> tuple[Any, Any]:
    """Return the type and default of a field in a request."""
    options: dict[str, Any] = {}
    if field.encode_name != field.name:
        options["alias"] = field.encode_name
    default = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    if isinstance(default, tuple):
        default = list(default)
    if default in ([], {}):
        options["default_factory"] = type(default)
    elif default is not msgspec.NODEFAULT:
        options["default"] = default
    return _type(field.type), Field(**options)


def _type(hint: Any, *, is_plain: bool = False) -> Any:
    """Return the type that pydantic validates a setting's values with.

    The type includes the setting's limits, such as its maximum, unless `is_plain` is true.
    """
    settings = [] if is_plain else _settings(hint)
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    kinds = [kind for kind in members if kind is not NoneType]
    found = _choice(kinds) if len(kinds) > 1 else _kind(kinds[0], is_plain)
    for limit in _limits(settings):
        found = Annotated[found, limit]
    if NoneType in members:
        found = found | None
    words = _words(settings)
    return Annotated[found, Field(**words)] if words else found


def _kind(kind: Any, is_plain: bool) -> Any:
    origin, of = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _type(kind, is_plain=is_plain)
    if origin is tuple:
        return list[_type(of[0], is_plain=is_plain)]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[_type(of[0]), _type(of[1])]  # type: ignore[misc]
    is_group = isinstance(kind, type) and issubclass(kind, Settings)
    if not is_group:
        return kind
    return BODIES.get(kind) or request_body(f"{kind.__name__}Body", kind)


def _choice(kinds: list[Any]) -> Any:
    """Return the type for a setting whose value can be a string or an object."""
    found: Any = Union[  # noqa: UP007 the members are only known at run time
        tuple(Annotated[_type(kind), Tag(TEXT if _is_text(kind) else OTHER)] for kind in kinds)
    ]
    by_type = Discriminator(lambda value: TEXT if isinstance(value, str) else OTHER)
    return Annotated[found, by_type, AsAnyOf()]


def _is_text(kind: Any) -> bool:
    return (get_args(kind) or (kind,))[0] is str


def _limits(settings: list[Setting]) -> Iterator[Any]:
    """Yield the annotations that make pydantic check a setting's limits.

    Simple limits, such as a maximum, come first, followed by functions that check the value.
    """
    for setting in settings:
        limits = {name: getattr(setting, name) for name in LIMITS}
        given: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
        if setting.pattern is not None and not setting.refusal:
            given["pattern"] = setting.pattern
        if setting.schema:
            given["json_schema_extra"] = dict(setting.schema)
        if given:
            yield Field(**given)
    for setting in settings:
        if setting.pattern is not None and setting.refusal:
            yield AfterValidator(_matching(setting.pattern, setting.refusal))
            yield Field(json_schema_extra={"pattern": setting.pattern})
        if setting.check is not None:
            yield AfterValidator(setting.check)


def _matching(pattern: str, refusal: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(refusal)
        return text

    return check


def _words(settings: list[Setting]) -> dict[str, Any]:
    words: dict[str, Any] = {}
    for setting in settings:
        if setting.about:
            null = f" Null means {setting.null}." if setting.null else ""
            words["description"] = setting.about + null
        if setting.examples:
            words["examples"] = list(setting.examples)
    return words


def _settings(hint: Any) -> list[Setting]:
    if get_origin(hint) is not Annotated:
        return []
    return [one for one in get_args(hint)[1:] if isinstance(one, Setting)]
