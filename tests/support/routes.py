"""Returns an example path for each API route, so that tests can call every route."""

from tests.deployment.template import route_authorizers

ROUTES = sorted(route_authorizers())
OF_OPERATORS = [route for route in ROUTES if "/v1/admin" in route]
OF_CUSTOMERS = [route for route in ROUTES if "/v1/admin" not in route]


def path_of(route: str, entry_id: str, waitlist_id: str = "bakery") -> str:
    ids = {"waitlist_id": waitlist_id, "entry_id": entry_id, "code": "a" * 76}
    ids["invitation_id"] = "a" * 16
    return route.split()[1].format(**ids, edition="latest", file="page.js", view="kiosk")
