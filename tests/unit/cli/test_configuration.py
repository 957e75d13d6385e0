"""The service's URL, the region and the credentials come from options, environment variables or the
configuration file.
"""

from pathlib import Path

import pytest

from tests.unit.cli.typed import Typed
from waitlist_cli.client.configuration import Choice, Target, target_of
from waitlist_cli.errors import WrongUsage

FILE = """
default = "dev"
region = "eu-west-1"

[environments.dev]
url = "https://dev.example.com"
profile = "d"

[environments.prod]
url = "https://abc.execute-api.eu-central-1.amazonaws.com/"
region = "eu-central-1"
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_text(FILE, "utf-8")
    return {"WAITLIST_CONFIG": str(path)}


def test_the_local_service_is_on_its_usual_port_or_on_another() -> None:
    assert target_of(Choice(local=True), {}) == Target("http://127.0.0.1:8080", is_local=True)
    assert target_of(Choice(local=True), {"PORT": "9"}).url == "http://127.0.0.1:9"


def test_the_default_environment_of_the_file_is_used(environ: dict[str, str]) -> None:
    assert target_of(Choice(), environ) == Target("https://dev.example.com", "d", "eu-west-1")


def test_a_file_may_begin_with_a_byte_order_mark(environ: dict[str, str]) -> None:
    Path(environ["WAITLIST_CONFIG"]).write_text(FILE.strip(), "utf-8-sig")
    assert target_of(Choice(), environ).url == "https://dev.example.com"


def test_an_environment_is_chosen_by_option_or_variable(environ: dict[str, str]) -> None:
    prod = Target("https://abc.execute-api.eu-central-1.amazonaws.com", None, "eu-central-1")
    assert target_of(Choice(environment="prod"), environ) == prod
    assert target_of(Choice(), {**environ, "WAITLIST_ENV": "prod"}) == prod


def test_options_override_variables_and_variables_override_the_file(
    environ: dict[str, str],
) -> None:
    named = {**environ, "WAITLIST_URL": "https://variable.example.com"}
    assert target_of(Choice(), named).url == "https://variable.example.com"
    typed = Choice(url="https://typed.example.com", profile="p", region="r")
    assert target_of(typed, named) == Target("https://typed.example.com", "p", "r")
    assert target_of(Choice(environment="dev"), named).url == "https://dev.example.com"


def test_the_region_is_read_from_the_url_of_an_api_gateway() -> None:
    choice = Choice(url="https://abc.execute-api.ap-south-1.amazonaws.com")
    assert target_of(choice, {}).region == "ap-south-1"


def test_the_region_variable_is_used_last() -> None:
    """AWS_REGION is used if nothing else names a region.

    The AWS CLI and most SDKs also read it, but botocore reads only AWS_DEFAULT_REGION.
    """
    environ = {"AWS_REGION": "sa-east-1"}
    assert target_of(Choice(url="https://host"), environ).region == "sa-east-1"
    assert target_of(Choice(url="https://host", region="r"), environ).region == "r"
    gateway = Choice(url="https://abc.execute-api.ap-south-1.amazonaws.com")
    assert target_of(gateway, environ).region == "ap-south-1"


@pytest.mark.parametrize(
    "url",
    [
        "http://dev.example.com",
        "HTTP://dev.example.com",
        "http://192.168.1.7:8080",
        "http://127.0.0.1.example.com",
        "http://127.0.0.1@example.com",
        "http://localhost.example.com",
        "http://[2001:db8::1]:8080",
        "http://0.0.0.0:8080",
    ],
)
def test_plain_http_is_allowed_only_for_this_computer(url: str, tmp_path: Path) -> None:
    """A plain HTTP URL is refused unless its host is this computer, whether it comes from an
    option, an environment variable or the configuration file (promise P5).
    """
    path = tmp_path / "config.toml"
    path.write_text(f'url = "{url}"', "utf-8")
    for choice, environ, origin in (
        (Choice(url=url), {}, "--url"),
        (Choice(), {"WAITLIST_URL": url}, "WAITLIST_URL"),
        (Choice(), {"WAITLIST_CONFIG": str(path)}, "config.toml"),
        (Choice(url=url, local=True), {}, "--url"),
    ):
        with pytest.raises(WrongUsage, match="unencrypted") as caught:
            target_of(choice, environ)
        assert origin in caught.value.message


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("url = 3", 'url = "…"'),
        ("environments = 3", "there are: none"),
        ('default = ["dev"]\n[environments.dev]\nurl = "https://host"', "there are: dev"),
        ("[environments.dev]\nprofile = true", 'profile = "…"'),
        ('[environments.dev]\nurl = "host"', "url in .*config.toml"),
    ],
)
def test_a_value_of_the_wrong_type_in_the_file_is_an_error(
    tmp_path: Path, text: str, advice: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    choice = Choice() if "default" in text else Choice(environment="dev")
    with pytest.raises(WrongUsage, match=advice):
        target_of(choice, {"WAITLIST_CONFIG": str(path)})


def test_a_bad_address_is_an_error_with_its_source() -> None:
    with pytest.raises(WrongUsage, match="WAITLIST_URL"):
        target_of(Choice(), {"WAITLIST_URL": "host"})


@pytest.mark.parametrize(
    ("choice", "advice"),
    [
        (Choice(), "--local"),
        (Choice(environment="qa"), "environments there are"),
        (Choice(url="example.com"), "https://"),
        (Choice(url="https://host:port"), "https://"),
        (Choice(url="ftp://host"), "https://"),
        (Choice(url=" https://host"), "https://"),
        (Choice(url="https://my host"), "https://"),
        (Choice(url="https://host\r\n"), "https://"),
        (Choice(url="https://host..example.com"), "https://"),
        (Choice(url=f"https://{'a' * 64}.example.com"), "https://"),
    ],
)
def test_the_error_about_a_missing_service_says_how_to_name_it(
    tmp_path: Path, choice: Choice, advice: str
) -> None:
    empty = tmp_path / "empty.toml"
    empty.write_text("", "utf-8")
    with pytest.raises(WrongUsage, match=advice):
        target_of(choice, {"WAITLIST_CONFIG": str(empty)})


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("ALL_PROXY", "gopher://127.0.0.1:9", "the proxy in HTTPS_PROXY"),
        ("SSL_CERT_FILE", "/nowhere/certificates.pem", "The certificates in SSL_CERT_FILE"),
    ],
)
def test_an_invalid_network_variable_is_named(name: str, value: str, advice: str) -> None:
    result = Typed()("--url", "https://host.invalid", "list", **{name: value})
    assert result.exit_code == 2
    assert advice in result.stderr


def test_an_invalid_host_name_is_wrong_usage() -> None:
    result = Typed()("--url", "https://☃.invalid", "list")
    assert result.exit_code == 2
    assert "The address, or" in result.stderr


def test_a_named_configuration_file_must_exist_and_be_toml(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    with pytest.raises(WrongUsage, match="does not exist"):
        target_of(Choice(), {"WAITLIST_CONFIG": str(path)})
    path.write_text("url = https://", "utf-8")
    with pytest.raises(WrongUsage, match="TOML"):
        target_of(Choice(), {"WAITLIST_CONFIG": str(path)})


def test_an_option_after_the_command_overrides_an_option_before_it() -> None:
    both = Choice(region="near").with_defaults(Choice(region="far", local=True))
    assert both == Choice(region="near", local=True)
