from dataclasses import replace

from tools.local.banner import Addresses, banner


def test_no_line_shows_a_password() -> None:
    redis_url = "rediss://user:hunter2@cache.example.com:6380"
    text = banner(Addresses(8080, "http://127.0.0.1:8080", redis_url, "http://x:1"), 1.23)
    assert text.startswith("Ready in 1.2 s: http://127.0.0.1:8080\n")
    assert "rediss://cache.example.com:6380" in text
    assert "hunter2" not in text


def test_the_demo_is_named_with_the_port_it_needs() -> None:
    usual = banner(Addresses(8080, "http://127.0.0.1:8080", "redis://x:1", "http://x:1"), 1)
    assert "people: make demo" in usual
    other = banner(Addresses(9000, "http://127.0.0.1:9000", "redis://x:1", "http://x:1"), 1)
    assert "people: PORT=9000 make demo" in other


def test_it_warns_of_data_that_is_lost_at_the_end() -> None:
    addresses = Addresses(8080, "http://127.0.0.1:8080", "redis://x:1", "http://x:1")
    assert "KEEP=folder make run" in banner(addresses, 1)
    assert "KEEP" not in banner(replace(addresses, is_kept=True), 1)
