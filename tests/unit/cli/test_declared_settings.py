"""The command line and the console know every setting that the service declares."""

from tools.settings import FILE, text


def test_the_command_line_knows_the_settings_of_the_service() -> None:
    """The command line reads the settings from a file that `make openapi` generates. The file must
    match the service's declarations.
    """
    assert FILE.read_text("utf-8") == text()
