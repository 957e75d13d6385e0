"""The command line and the console know the settings that the service declares."""

from tools.settings import FILE, text


def test_the_command_line_knows_the_settings_of_the_service() -> None:
    """`make openapi` writes the file."""
    assert FILE.read_text("utf-8") == text()
