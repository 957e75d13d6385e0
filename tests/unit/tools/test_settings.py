import inspect
import re
from pathlib import Path

import pytest

from tests.deployment.documents import read_tables
from tools.local import settings
from tools.local.settings import LOG_LEVELS, SettingError, Settings, without_password
from tools.local.settings import WEBHOOK_SECRET as SECRET


def test_the_document_about_the_local_run_lists_all_variables() -> None:
    (table,) = [rows for rows in read_tables("docs/app/local-run.md") if "variable" in rows[0]]
    listed = [name for row in table for name in re.findall(r"`(\w+)`", row["variable"])]
    read = set(re.findall(r'"([A-Z_]{4,})"', inspect.getsource(settings))) - set(LOG_LEVELS)
    assert sorted(listed) == sorted(read)


def test_settings_from_the_environment_are_used() -> None:
    environ = {
        "PORT": "9000",
        "REDIS_URL": "rediss://:secret@cache.example.com:6380/0",
        "REDIS_CLUSTER": "true",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:8000",
        "LOG_LEVEL": "debug",
        "PRIVATE_CONCURRENCY": "4",
        "PUBLIC_CONCURRENCY": "32",
        "SIGNUP_RATE_LIMIT": "300",
    }
    assert Settings.from_env(environ) == Settings(
        port=9000,
        redis_url="rediss://:secret@cache.example.com:6380/0",
        redis_cluster=True,
        dynamodb_url="http://127.0.0.1:8000",
        log_level="DEBUG",
        private_concurrency=4,
        public_concurrency=32,
        signup_rate_limit=300,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "-1"),
        ("PORT", "65536"),
        ("PORT", "²"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "http://localhost:6379"),
        ("REDIS_URL", "redis://"),
        ("REDIS_URL", "redis://localhost:port"),
        ("REDIS_CLUSTER", "maybe"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "dynamodb.local"),
        ("LOG_LEVEL", "loud"),
        ("PRIVATE_CONCURRENCY", "0"),
        ("PUBLIC_CONCURRENCY", "1001"),
        ("SIGNUP_RATE_LIMIT", "many"),
    ],
)
def test_the_error_about_a_bad_value_names_variable_and_value(name: str, value: str) -> None:
    with pytest.raises(SettingError) as error:
        Settings.from_env({name: value})
    assert f"{name}={value}" in str(error.value)


def test_a_password_is_never_shown() -> None:
    assert without_password("rediss://user:se@cret@host:6380/0") == "rediss://host:6380/0"
    with pytest.raises(SettingError) as error:
        Settings.from_env({"REDIS_URL": "http://:secret@host:1"})
    assert "secret" not in str(error.value)


def test_an_issuer_needs_its_audiences() -> None:
    environ = {"JWT_ISSUER": "https://issuer.example.com", "JWT_AUDIENCE": "waitlist,other"}
    settings = Settings.from_env(environ)
    assert settings.jwt_issuer == "https://issuer.example.com"
    assert (settings.jwt_audiences, settings.jwt_jwks) == (("waitlist", "other"), None)
    keys = "https://issuer.example.com/keys"
    assert Settings.from_env({**environ, "JWT_JWKS": keys}).jwt_jwks == keys


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"JWT_ISSUER": "https://issuer.example.com"}, "JWT_AUDIENCE"),
        ({"JWT_AUDIENCE": "waitlist"}, "JWT_ISSUER"),
        ({"JWT_JWKS": "https://issuer.example.com/keys"}, "JWT_ISSUER"),
        ({"JWT_ISSUER": "issuer", "JWT_AUDIENCE": "waitlist"}, "JWT_ISSUER=issuer"),
    ],
)
def test_the_error_about_an_incomplete_issuer_names_the_variable(
    environ: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingError, match=named):
        Settings.from_env(environ)


def test_only_the_embedded_dynamodb_can_keep_its_data_in_a_folder() -> None:
    assert Settings.from_env({"KEEP": "/data"}).keep == Path("/data")
    with pytest.raises(SettingError, match="KEEP"):
        Settings.from_env({"KEEP": "/data", "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:8000"})


def test_a_webhook_must_be_on_this_machine_and_have_a_valid_secret() -> None:
    """In a local run, the URL of the webhook must be on this computer, so that no event leaves it.
    The webhook's secret must be valid (promise P8).
    """
    url = "http://127.0.0.1:9000/hook"
    settings = Settings.from_env({"WEBHOOK_URL": url, "WEBHOOK_SECRET": f"{SECRET} {SECRET}"})
    assert (settings.webhook_url, settings.webhook_secret) == (url, f"{SECRET} {SECRET}")
    assert Settings.from_env({"WEBHOOK_URL": "https://localhost/"}).webhook_url
    assert Settings.from_env({}).webhook_url == ""
    for wrong in (
        {"WEBHOOK_URL": "https://example.com/hook"},
        {"WEBHOOK_URL": "http://127.0.0.1.example.com"},
        {"WEBHOOK_URL": url, "WEBHOOK_SECRET": "whsec_short"},
        {"WEBHOOK_URL": url, "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:8000"},
    ):
        with pytest.raises(SettingError, match="WEBHOOK_"):
            Settings.from_env(wrong)


def test_a_bot_check_needs_a_known_provider_and_guests() -> None:
    settings = Settings.from_env({"BOT_CHECK": "hcaptcha", "BOT_CHECK_URL": "http://127.0.0.1:9/v"})
    assert (settings.bot_check, settings.bot_check_url) == ("hcaptcha", "http://127.0.0.1:9/v")
    assert Settings.from_env({}).bot_check == ""
    for wrong in (
        {"BOT_CHECK": "recaptcha"},
        {"BOT_CHECK_SECRET": "key"},
        {"BOT_CHECK": "turnstile", "BOT_CHECK_URL": "9000"},
        {"BOT_CHECK": "turnstile", "JWT_ISSUER": "https://i.example.com", "JWT_AUDIENCE": "a"},
    ):
        with pytest.raises(SettingError, match="BOT_CHECK"):
            Settings.from_env(wrong)
