from tests.support.plain_http import plain_client
from tests.unit.tools.fakes import FakeFunction, serving, url_of
from tools.local.local_gateway import LocalGateway
from tools.local.rate_limits import BURST_SECONDS, RateLimits
from tools.local.routes import Routes
from tools.local.table import read_template

ENTRIES = "/v1/waitlists/bakery/entries"
RATE = 3


def test_signups_above_the_rate_get_a_429_without_calling_the_function() -> None:
    now = 0.0
    template = read_template()
    limits = RateLimits.from_template(template, RATE, lambda: now)
    public = FakeFunction(lambda _: {"statusCode": 200})
    gateway = LocalGateway(public, {}, Routes.from_template(template))
    with serving(gateway, limits=limits) as server, plain_client(url_of(server)) as http:
        statuses = [http.post(ENTRIES).status_code for _ in range(RATE * BURST_SECONDS + 1)]
        assert statuses == [200] * RATE * BURST_SECONDS + [429]
        assert len(public.events) == RATE * BURST_SECONDS
        refusal = http.post(ENTRIES, json={"customer_id": "ann"})
        assert (refusal.status_code, refusal.json()) == (429, {"message": "Too Many Requests"})
        assert "retry-after" not in refusal.headers
        assert http.get(f"{ENTRIES}/1").status_code == 200, "looks have a limit of their own"
        assert http.delete(f"{ENTRIES}/1").status_code == 200, "and leaves another bucket"
        now = 1.0
        assert [http.post(ENTRIES).status_code for _ in range(RATE + 1)] == [200] * RATE + [429]
        now = 1000.0
        statuses = [http.post(ENTRIES).status_code for _ in range(RATE * BURST_SECONDS + 1)]
        assert statuses == [200] * RATE * BURST_SECONDS + [429]


def test_the_ratio_of_burst_to_rate_is_the_ratio_of_the_templates_defaults() -> None:
    parameters = read_template()["Parameters"]
    rate, burst = (parameters[f"Signup{name}Limit"]["Default"] for name in ("Rate", "Burst"))
    assert burst == rate * BURST_SECONDS
