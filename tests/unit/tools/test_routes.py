from tools.local.routes import Routes
from tools.local.table import read_template

ENTRY = "/v1/waitlists/{waitlist_id}/entries/{entry_id}"


def test_a_route_of_the_template_is_found_with_its_parameters() -> None:
    routes = Routes.from_template(read_template())
    match = routes.match("DELETE", "/v1/waitlists/bakery/entries/abc")
    assert match.route_key == f"DELETE {ENTRY}"
    assert match.path_parameters == {"waitlist_id": "bakery", "entry_id": "abc"}


def test_the_page_of_the_api_document_can_only_be_read() -> None:
    assert Routes.from_template(read_template()).match("GET", "/docs").route_key == "GET /docs"
    assert Routes.from_template(read_template()).match("PUT", "/docs").route_key == "$default"


def test_a_request_without_a_route_goes_to_the_default_one() -> None:
    routes = Routes([("GET", ENTRY)])
    for method, path in (("PUT", "/v1/waitlists/a/entries/b"), ("GET", "/docs")):
        assert routes.match(method, path).route_key == "$default"


def test_the_most_specific_route_is_chosen() -> None:
    routes = Routes([("ANY", "/{proxy+}"), ("GET", "/a/{id}"), ("GET", "/a/b"), ("ANY", "/a/b")])
    assert routes.match("GET", "/a/b").route_key == "GET /a/b"
    assert routes.match("POST", "/a/b").route_key == "ANY /a/b"
    assert routes.match("GET", "/a/c").route_key == "GET /a/{id}"
    assert routes.match("GET", "/a/c/d").path_parameters == {"proxy": "a/c/d"}
