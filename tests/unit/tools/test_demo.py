import io

import pytest
from rich.console import Console

from tools.demo.__main__ import main

NOWHERE = {"WAITLIST_URL": "http://127.0.0.1:1"}


def test_without_a_service_it_says_how_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], NOWHERE, Console(file=io.StringIO())) == 1
    error = capsys.readouterr().err
    assert error.startswith("No answer from http://127.0.0.1:1")
    assert error.endswith("Is `make run` running?\n")


def test_a_bad_port_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {"PORT": "eighty"}, Console(file=io.StringIO())) == 1
    assert "PORT=eighty" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "2001", "many"])
def test_an_impossible_number_of_people_is_refused(
    count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--people", count], NOWHERE, Console(file=io.StringIO()))
    assert "--people" in capsys.readouterr().err
