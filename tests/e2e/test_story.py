"""The whole story of a waitlist over HTTP."""

from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.e2e.callers import Customer, Operator

MANY = 8


def test_customers_join_wait_and_leave(customer: Customer, operator: Operator) -> None:
    """P1 P6"""
    ada, bob, eve = (customer.joined(name) for name in ("ada", "bob", "eve"))
    assert [ada.position, bob.position, eve.position] == [1, 2, 3]
    assert customer.leave(ada).status_code == 204
    assert customer.leave(ada).status_code == 204
    assert [customer.position(bob), customer.position(eve)] == [1, 2]
    gone = customer.poll(ada).json()
    assert (gone["status"], gone["position"]) == ("left", None)
    assert operator.line() == ["bob", "eve"]
    stats = operator.stats()
    assert (stats["waiting"], stats["signed_up"], stats["left"]) == (2, 3, 1)


def test_an_operator_can_bump_in_three_ways(customer: Customer, operator: Operator) -> None:
    """P1 P6"""
    ada, bob, cleo, dan = (customer.joined(name) for name in ("ada", "bob", "cleo", "dan"))
    assert operator.bump(dan, priority=5).json()["position"] == 1
    assert operator.line() == ["dan", "ada", "bob", "cleo"]
    assert operator.bump(cleo, key="once", places=1).json()["position"] == 3
    assert operator.bump(cleo, key="once", places=1).json()["position"] == 3
    assert operator.line() == ["dan", "ada", "cleo", "bob"]
    assert operator.bump(bob, to="front").json()["position"] == 2, "the front of its own priority"
    assert operator.bump(ada, to="back").status_code == 200
    assert operator.line() == ["dan", "bob", "cleo", "ada"]
    expected = [4, 2, 3, 1]
    assert [customer.position(entry) for entry in (ada, bob, cleo, dan)] == expected


def test_an_operator_sees_all_data_of_a_person_and_can_erase_it(
    customer: Customer, operator: Operator
) -> None:
    """P8"""
    zoe = customer.joined("zoe")
    profile = {"name": "Zoë 🥐", "party": 2}
    ada_id = customer.sign_up("ada", profile=profile).json()["entry_id"]
    person = operator.call("GET", f"/entries/{ada_id}").json()
    assert (person["customer_id"], person["profile"]) == ("ada", profile)
    assert person["history"]
    assert operator.call("DELETE", f"/entries/{ada_id}").status_code == 204
    assert operator.call("GET", f"/entries/{ada_id}").status_code == 404
    assert (operator.line(), customer.position(zoe)) == (["zoe"], 1)


def test_concurrent_signups_get_consecutive_positions(
    customer: Customer, operator: Operator
) -> None:
    """P1 P6"""
    names = [f"customer-{number}" for number in range(MANY)]
    with ThreadPoolExecutor(MANY) as pool:
        entries = list(pool.map(customer.joined, names))
        positions = list(pool.map(customer.position, entries))
    assert sorted(positions) == list(range(1, MANY + 1))
    in_order = [name for _, name in sorted(zip(positions, names, strict=True))]
    assert operator.line(limit=7) == in_order


def test_concurrent_repeats_of_a_signup_create_a_single_entry(
    customer: Customer, operator: Operator
) -> None:
    """P2"""
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: customer.sign_up("ada", key="a-secret-of-adas"), range(8))
        )
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    bodies = [answer.json() for answer in answers]
    assert len({(body["entry_id"], body["entry_token"]) for body in bodies}) == 1
    assert {body["position"] for body in bodies} == {1}
    assert operator.stats()["signed_up"] == 1


def test_a_stranger_with_the_id_of_a_customer_gets_no_token(
    customer: Customer, operator: Operator
) -> None:
    """P2 P5"""
    ada = customer.joined("ada")
    answer = customer.sign_up("ada", key="another-secret-key")
    assert (answer.status_code, answer.json()["code"]) == (409, "already_on_list")
    assert ada.token not in answer.text
    assert ada.entry_id not in answer.text
    assert operator.line() == ["ada"]


def test_a_waitlist_can_be_full_closed_and_deleted(
    http: httpx.Client, customer: Customer, operator: Operator
) -> None:
    """P5"""
    operator.put({"name": "Small", "capacity": 1})
    customer.joined("ada")
    assert customer.sign_up("bob").json()["code"] == "waitlist_full"
    operator.put({"name": "Shut", "open": False})
    assert customer.sign_up("bob").json()["code"] == "waitlist_closed"
    path = f"/v1/waitlists/{operator.waitlist_id}"
    shown = http.get(path).json()
    assert shown.pop("as_of")
    assert shown == {
        "waitlist_id": operator.waitlist_id,
        "name": "Shut",
        "open": False,
        "notice": None,
        "page": None,
        "total": 1,
        "line": "closed",
        "opens_at": None,
        "closes_at": None,
        "admits_at": None,
        "admits_until": None,
        "rest": None,
        "identity": None,
        "presence": None,
        "decline": None,
        "estimated_wait": None,
        "estimate_unavailable": "closed",
    }
    assert operator.call("DELETE").is_success
    assert http.get(path).status_code == 404
