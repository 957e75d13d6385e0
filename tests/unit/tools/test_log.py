"""The measured functions write each log line at once to a pipe that another process reads."""

from pathlib import Path

from tools.bench.line import Handler, Line, sent
from tools.bench.log import Unbuffered, lambda_log
from tools.bench.server import valkey


def test_each_message_is_a_line_of_the_log() -> None:
    with valkey() as port, lambda_log() as log:
        handler = Handler(port)
        line = Line(handler, "bakery")
        for member in line.newcomers(5):
            handler.ask(sent(line.signup(member)))
    assert log.lines == 1 + 5


def test_a_line_goes_out_at_once(tmp_path: Path) -> None:
    with Unbuffered((tmp_path / "log").open("wb")) as log:
        log.write("a line\n")
        assert (tmp_path / "log").read_text() == "a line\n"
