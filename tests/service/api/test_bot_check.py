"""Tests for bot checks. A new guest must send a token from a provider's widget. In these tests, a
local server plays the provider.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes
from tests.support.faults import Crash, Wire, crash_before
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World
from tests.unit.tools.fakes import serving, url_of
from tools.local.bot_check import SCRIPT, SECRET, SITE_KEY, VERIFY, BotCheckStandIn
from waitlist_api.aws.deadline import Deadline
from waitlist_api.bots.check import BotCheck, SecretUnreadable
from waitlist_api.bots.providers import PROVIDERS
from waitlist_api.bots.siteverify import SiteVerify
from waitlist_api.http.api import Api
from waitlist_api.observability.metrics import MetricsCollector

API = "api.example.com"  # of the events that tests send
SHOP = "https://shop.example.com"
EDGE = "https://d111.cloudfront.net"
GOOD = f"person.signup.1.{API}"


class Guarded(People):
    """A waitlist with a bot check, and a local server that plays the provider."""

    stand_in: BotCheckStandIn
    metrics: MetricsCollector
    wire: Wire

    def join(self, name: str, token: str | None = None, key: str = "", **more: Any) -> Answer:
        fields = {} if token is None else {"bot_token": token}
        return self.sign_up(name, key=key or None, **fields, **more)

    @property
    def questions(self) -> int:
        return len(self.stand_in.questions)


Make = Callable[..., Guarded]


@pytest.fixture
def make() -> Iterator[Make]:
    stand_in, deadline = BotCheckStandIn(), Deadline()
    with serving(stand_in) as server, deadline.limited_to(60):

        def guarded(
            provider: str = "turnstile",
            *,
            url: str = url_of(server) + VERIFY,
            read_secret: Callable[[], str] = lambda: SECRET,
            seconds: float = 60,
            origins: tuple[str, ...] = (SHOP,),
            **settings: Any,
        ) -> Guarded:
            metrics, wire = MetricsCollector(), Wire()
            patient = Deadline()
            patient._end = patient._monotonic() + seconds
            check = BotCheck(
                PROVIDERS[provider].at(url, url_of(server) + SCRIPT),
                SITE_KEY,
                SiteVerify(url, patient).ask,
                read_secret,
                origins,
                metrics,
            )
            world = World.on(wire.client(new_table()), empty_redis(), wire.client, bot_check=check)
            world.stage_variables = {"edge_url": EDGE}
            people = Guarded(world)
            people.stand_in, people.metrics, people.wire = stand_in, metrics, wire
            assert people.configure(**settings).status == 201
            return people

        yield guarded
        stand_in.is_over.set()


def test_a_person_joins_and_the_provider_is_asked_once(make: Make) -> None:
    people = make()
    assert people.join("ada", GOOD).status == 201
    (asked,) = people.stand_in.questions
    assert (asked["secret"], asked["response"]) == (SECRET, GOOD)
    # The service sends nothing about the customer to the provider.
    assert asked.keys() == {"secret", "response", "idempotency_key"}


@pytest.mark.parametrize(
    "token",
    [
        None,
        "bot.signup.1.api.example.com",
        "person.signup.1.evil.example.com",
        "person.signup.1.example.com",
        "person.login.1.api.example.com",
    ],
)
@pytest.mark.parametrize("when_down", ["refuse", "accept"])
def test_a_signup_that_fails_the_bot_check_leaves_no_trace(
    make: Make, token: str | None, when_down: str
) -> None:
    people = make(bot_check_down=when_down)
    with nothing_changes(people.world):
        answer = people.join("ada", token, key="k")
    assert (answer.status, answer.code) == (403, "bot_check_failed")
    assert people.metrics.take()["bot_checks_failed"] == 1
    assert people.join("ada", GOOD, key="k").status == 201


@pytest.mark.parametrize("host", [API, "d111.cloudfront.net", "shop.example.com"])
def test_the_token_may_be_of_the_page_of_the_edge_or_of_an_allowed_origin(
    make: Make, host: str
) -> None:
    assert make().join("ada", f"person.signup.1.{host}").status == 201


def test_a_stack_for_pages_of_every_origin_takes_tokens_of_every_host(make: Make) -> None:
    people = make(origins=("*",))
    assert people.join("ada", "person.signup.1.any.example.net").status == 201


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", ["bot", "another-site", "test-key"])
def test_a_token_that_is_not_of_this_service_is_refused_also_where_an_outage_lets_guests_in(
    make: Make, provider: str, kind: str
) -> None:
    """If the provider says that a token is invalid, the service must not treat this as an outage of
    the provider.
    """
    reads: list[str] = []

    def read_secret() -> str:
        reads.append("the secret")
        return SECRET

    people = make(provider, read_secret=read_secret, bot_check_down="accept")
    for number in range(3):
        with nothing_changes(people.world):
            refused = people.join("ada", f"{kind}.signup.{number}.{API}")
        assert (refused.status, refused.code) == (403, "bot_check_failed")
    counted = people.metrics.take()
    assert (counted["bot_checks_failed"], counted.get("bot_checks_unavailable")) == (3, None)
    assert len(reads) == 1


def test_a_token_longer_than_turnstile_makes_is_refused_without_a_question(make: Make) -> None:
    """The service does not send an overlong token to the provider, because a firewall in between
    could refuse the request.
    """
    people = make("turnstile", bot_check_down="accept")
    refused = people.join("ada", f"person.signup.{'x' * 2048}.{API}")
    assert (refused.code, people.questions) == ("bot_check_failed", 0)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_token_is_good_for_one_entry(make: Make, provider: str) -> None:
    people = make(provider)
    assert people.join("ada", GOOD, key="k").status == 201
    assert people.join("bob", GOOD, key="k").code == "bot_check_failed"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("key", [None, "k"])
def test_a_token_is_good_for_one_signup_of_an_entry(
    make: Make, provider: str, key: str | None
) -> None:
    """A customer who leaves and signs up again needs a new token, with or without an
    Idempotency-Key.
    """
    people = make(provider)
    assert people.join("ada", GOOD, key=key or "").status == 201
    people.leave("ada")
    again = people.join("ada", GOOD, key=f"{key}-2" if key else "")
    assert again.code == "bot_check_failed"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("key", [None, "k" * 16])
def test_a_token_is_good_for_one_signup_of_an_address_that_is_to_be_verified(
    make: Make, provider: str, key: str | None
) -> None:
    """Each signup with an address sends an email, so a guest needs a new token for each signup,
    even with the same Idempotency-Key.
    """
    people = make(provider, identity={"field": "email", "verify": "before_offer"})

    def join() -> Answer:
        body = {"profile": {"email": "ada@example.com"}, "bot_token": GOOD}
        return people.world.request("POST", f"{people.path}/entries", body=body, key=key)

    assert join().status == 202
    assert [join().code for _ in range(3)] == ["bot_check_failed"] * 3


def test_a_repeat_with_its_key_is_answered_without_a_question(make: Make) -> None:
    people = make()
    first = people.join("ada", GOOD, key="k")
    for token in (GOOD, None, "bot.signup.2.x"):
        again = people.join("ada", token, key="k")
        assert (again.status, again.json) == (200, first.json)
    token = people.token_of("ada")
    body = {"customer_id": "ada"}
    known = people.world.request("POST", f"{people.path}/entries", body=body, token=token)
    assert known.status == 200
    assert people.questions == 1


def test_a_stranger_does_not_learn_who_is_on_the_list_without_solving_anything(make: Make) -> None:
    people = make()
    people.join("ada", GOOD)
    for name in ("ada", "bob"):
        assert people.join(name).code == "bot_check_failed"
    assert people.questions == 1
    assert people.join("ada", f"person.signup.2.{API}").code == "already_on_list"
    people.configure(open=False)
    for name in ("ada", "bob"):
        assert people.join(name).code == "waitlist_closed"
    assert people.questions == 2


def test_a_refusal_of_every_entry_costs_no_token(make: Make) -> None:
    people = make(max_guest_bytes=10)
    assert people.join("ada", GOOD, profile={"name": "Ada Lovelace"}).code == "invalid_request"
    assert people.questions == 0


def test_a_rejoin_is_a_new_signup(make: Make) -> None:
    people = make()
    people.join("ada", GOOD, key="k")
    people.leave("ada")
    token = people.token_of("ada")
    body = {"customer_id": "ada"}
    back = people.world.request("POST", f"{people.path}/entries", body=body, token=token)
    assert back.code == "bot_check_failed"
    assert people.join("ada", f"person.signup.2.{API}", key="other").status == 201


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_customer_can_repeat_a_signup_that_crashed_at_any_step(make: Make, provider: str) -> None:
    people = make(provider)
    assert people.join("zoe", f"person.signup.0.{API}").status == 201
    people.wire.disarm()
    people.join("bob", f"person.signup.00.{API}", key="k")
    steps = len(people.wire.calls)
    for step in range(steps):
        name, token = f"ada-{step}", f"person.signup.x{step}.{API}"
        people.wire.arm(step, crash_before)
        with pytest.raises(Crash):
            people.join(name, token, key=name)
        people.wire.disarm()
        again = people.join(name, token, key=name)
        if again.code == "bot_check_failed":
            # hCaptcha accepts a token only once. The interrupted signup has used up its token
            # without getting a place, so the page asks for a new one.
            assert provider == "hcaptcha"
            again = people.join(name, f"person.signup.y{step}.{API}", key=name)
        assert again.status in (200, 201)
        assert again.json["position"] == step + 3


@pytest.mark.parametrize("kind", ["down", "slow", "nobody listens", "wrong secret", "no secret"])
def test_the_list_decides_while_the_provider_does_not_answer(make: Make, kind: str) -> None:
    def unreadable() -> str:
        raise SecretUnreadable

    cases: dict[str, dict[str, Any]] = {
        "slow": {"seconds": 0.2},
        "nobody listens": {"url": "http://127.0.0.1:1/siteverify"},
        "wrong secret": {"read_secret": lambda: "another"},
        "no secret": {"read_secret": unreadable},
    }
    given = cases.get(kind, {})
    token = f"{kind if kind in ('down', 'slow') else 'person'}.signup.1.{API}"
    people = make(**given)
    with nothing_changes(people.world):
        refused = people.join("ada", token, key="k")
    assert (refused.status, refused.code) == (503, "bot_check_unavailable")
    assert int(refused.headers["retry-after"]) > 0
    people.configure(bot_check_down="accept")
    assert people.join("ada", token, key="k").status == 201
    assert people.metrics.take()["bot_checks_unavailable"] == 2
    # The page cannot show the widget while the provider is down, so the service accepts a signup
    # without a token.
    assert people.join("bob").status == (403 if kind == "down" else 201)


def test_a_secret_that_an_operator_replaces_is_read_again(make: Make) -> None:
    secrets = ["the former one"]
    people = make(read_secret=lambda: secrets[0])
    assert people.join("ada", GOOD).code == "bot_check_unavailable"
    secrets[0] = SECRET
    assert people.join("ada", GOOD).status == 201
    assert people.join("bob", f"person.signup.2.{API}").status == 201
    assert people.questions == 4  # Two of these questions failed, because the secret was outdated.


def test_with_verification_known_and_unknown_addresses_are_checked_alike(make: Make) -> None:
    """A bot check must not reveal whether an address is known. Apart from asking the provider, a
    signup makes the same calls as without a bot check.
    """
    people = make(identity={"field": "email", "verify": "before_offer"})
    wire = Wire()
    free = People(World.on(wire.client(new_table()), empty_redis(), wire.client))
    free.configure(identity={"field": "email", "verify": "before_offer"})

    def join(people: People, address: str, token: str | None) -> Answer:
        body = {"profile": {"email": address}} | ({"bot_token": token} if token else {})
        return people.world.request("POST", f"{people.path}/entries", body=body, key="k" * 16)

    for number, address in enumerate(("ada@example.com", "ada@example.com", "bob@example.com")):
        with nothing_changes(people.world):
            assert join(people, address, None).code == "bot_check_failed"
        people.wire.disarm()
        wire.disarm()
        assert join(people, address, f"person.signup.{number}.{API}").status == 202
        assert join(free, address, None).status == 202
        assert [call.name for call in people.wire.calls] == [call.name for call in wire.calls]
    assert people.questions == 3


def test_accounts_imports_and_operators_are_not_checked(make: Make) -> None:
    people = make()
    assert people.bring("ada").status == 200
    accounts = Api(people.world.services.container, None, Logger(service="test", level="CRITICAL"))
    people.world.api = accounts
    answer = people.world.request("POST", f"{people.path}/entries", body={}, subject="bob")
    assert answer.status == 201
    assert "bot_check" not in people.world.request("GET", people.path).json
    assert people.questions == 0


def test_pages_learn_which_widget_and_may_load_it(make: Make) -> None:
    people = make()
    shown = people.world.request("GET", people.path).json["bot_check"]
    assert (shown["provider"], shown["site_key"], shown["action"]) == (
        "turnstile",
        SITE_KEY,
        "signup",
    )
    policy = people.world.request("GET", "/w/bakery").headers["content-security-policy"]
    origin = shown["script_url"].removesuffix(SCRIPT)
    assert f"script-src 'self' {origin};" in policy
    assert f"frame-src {origin}" in policy
    assert "trusted-types" not in policy


def test_without_a_check_nothing_is_asked_and_nothing_is_different() -> None:
    wire = Wire()
    people = People(World.on(wire.client(new_table()), empty_redis(), wire.client))
    people.configure()
    people.sign_up("ada")
    wire.disarm()
    assert people.sign_up("bob", key="k", bot_token="ignored").status == 201
    assert [call.name for call in wire.calls] == ["PutItem", "Invoke", "TransactWriteItems"]
    assert "bot_check" not in people.world.request("GET", people.path).json
    policy = people.world.request("GET", "/w/bakery").headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "trusted-types 'none'" in policy


def test_tokens_with_characters_that_no_provider_uses_are_refused(make: Make) -> None:
    """The service refuses tokens with characters that no provider uses, because a provider's
    firewall might refuse such a request.
    """
    people = make(bot_check_down="accept")
    for token in ("", "<script>", "a b", "x" * 8193):
        assert people.join("ada", token).status in (413, 422)
    assert people.questions == 0


def test_a_signup_that_reads_newer_settings_asks_the_provider_once(make: Make) -> None:
    """The provider accepts each token only once. A signup that must start again with new settings
    does not ask the provider again.
    """
    rules = {"field": "email", "verify": "before_offer"}
    people = make(identity=rules, rejoin="never")

    def join(number: int) -> Answer:
        token = GOOD.replace(".1.", f".{number}.")
        body = {"profile": {"email": "ada@example.com"}, "bot_token": token}
        return people.world.request("POST", f"{people.path}/entries", body=body)

    assert join(1).status == 202
    (entry,) = people.page().json["entries"]
    path = f"{people.admin_path}/entries/{entry['entry_id']}"
    people.world.request("POST", f"{path}/remove", body={}, operator=True)
    # Another process changes the settings. The process under test still has the old ones in its
    # cache.
    operator = People(World.on(people.world.dynamodb, people.world.redis))
    operator.configure(identity=rules, rejoin="after_leaving")
    assert (join(2).status, people.questions) == (202, 2)
    assert people.stats().json["waiting"] == 1
