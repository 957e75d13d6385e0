"""Tests the code and the example in docs/app/webhooks.md."""

import json
import re
from typing import Any

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from tests.rules.sources import ROOT
from tests.service.bus.life import samples
from waitlist_api.webhooks.signatures import Signatures

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
TEXT = (ROOT / "docs" / "app" / "webhooks.md").read_text("utf-8")
Case = tuple[bytes, dict[str, str], str]


def documented(language: str) -> str:
    (program,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.S)
    return str(program)


def wrong_ones() -> tuple[list[Case], list[Case]]:
    body = json.dumps(samples()[0]).encode()
    both = Signatures(lambda: f"{SECRET} {OTHER_SECRET}").headers("evt_1", body)
    old = Signatures(lambda: SECRET, lambda: 1_700_000_000_000).headers("evt_1", body)
    strange = Signatures(lambda: OTHER_SECRET).headers("evt_1", body)
    wrong = [
        (body.replace(b"joined", b"left"), both, SECRET),
        (body, {**both, "webhook-id": "evt_2"}, SECRET),
        (body, old, SECRET),
        (body, strange, SECRET),
        (body, {}, SECRET),
    ]
    return [(body, both, SECRET), (body, both, OTHER_SECRET)], wrong


def test_the_documented_check_takes_webhooks_of_each_secret_and_no_others() -> None:
    """P5"""
    names: dict[str, Any] = {}
    exec(documented("python"), names)
    good, wrong = wrong_ones()
    for body, headers, secret in good:
        assert names["receive"](body, headers, secret) == json.loads(body)
    for body, headers, secret in wrong:
        with pytest.raises(WebhookVerificationError):
            names["receive"](body, headers, secret)


def test_the_documented_webhook_is_one_of_the_documented_life() -> None:
    (sample,) = re.findall(r"^\{.*\}$", TEXT, re.M)
    (id_,) = re.findall(r"^webhook-id: (\S+)$", TEXT, re.M)
    detail = json.loads(sample)
    assert detail in samples()
    assert id_ == f"evt_{detail['entry_id']}_{detail['stamp']}"
