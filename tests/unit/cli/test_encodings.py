"""An import detects a file's encoding, unless the operator names one."""

import os
import threading
from pathlib import Path

import pytest

from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.typed import Typed
from waitlist_cli.imports.encodings import ENCODINGS, codec_of, detect_encoding

GERMAN = "id;name;ort\n1;Jörg Müller;Köln\n2;Zoë;Düsseldorf\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("id;name\n1;Ada\n", "utf-8"),
        (GERMAN, "utf-8"),
        (GERMAN, "cp1252"),
        ("customer_id,näme\n", "cp1252"),
        ("id;name\n1;Jörg\n", "cp1252"),
        ("id;nom\n1;Élodie Lefèvre\n2;François Beaudoin\n3;Noël Garçon", "cp1252"),
        ("id;nombre\n1;José Nuñez\n2;María Peña\n", "cp1252"),
        ("id;namn\n1;Åsa Öberg\n2;Håkan Sjöström\n", "cp1252"),
        ("id;imie\n1;Łukasz Żółć\n2;Świętosław Gęś\n3;Małgorzata Wiśniewska", "cp1250"),
        ("id;имя\n1;Иван Петров\n2;Мария Смирнова\n3;Алексей Кузнецов\n", "cp1251"),
        ("id;όνομα\n1;Γιώργος Παπαδόπουλος\n2;Μαρία Νικολάου\n", "cp1253"),
        ("id,名前\n1,山田太郎\n2,鈴木花子\n3,さくら", "cp932"),
    ],
)
def test_the_encoding_of_a_file_is_detected(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(text.encode(encoding))
    assert detect_encoding(path) == encoding


def test_a_byte_order_mark_decides(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(GERMAN.encode("utf-16"))
    assert detect_encoding(path) == "utf-16"
    path.write_bytes(GERMAN.encode("utf-8-sig"))
    assert detect_encoding(path) == "utf-8"


def test_a_letter_at_the_end_of_a_large_file_is_considered(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"1;Ada Lovelace\n" * 200_000 + "2;Jörg Müller\n".encode("cp1252"))
    assert detect_encoding(path) == "cp1252"


def test_a_utf_8_file_with_a_broken_row_is_detected_as_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("1;Jörg Müller\n2;Zoë\n".encode() + b"3;Z\xeb\n")
    assert detect_encoding(path) == "utf-8"


def test_each_encoding_of_the_menu_can_be_read() -> None:
    for name in ENCODINGS:
        assert "Ada".encode(codec_of(name)).decode(codec_of(name)) == "Ada"


def run_import(fake: FakeService, path: Path, *words: str) -> tuple[int, str]:
    result = Typed(fake.url)("import", "bakery", str(path), "--delimiter", ";", *words)
    return result.exit_code, result.stderr


def test_an_import_reads_and_names_the_encoding(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    code, notes = run_import(fake, path, "--customer", "id")
    assert (code, "is read as Windows-1252 (Western Europe). Use --encoding" in notes) == (0, True)
    assert fake.people["1"]["profile"] == {"name": "Jörg Müller", "ort": "Köln"}


def test_the_operator_chooses_the_encoding(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(GERMAN.encode("cp850"))
    assert run_import(fake, path, "--customer", "id", "--encoding", "cp850")[0] == 0
    assert fake.people["1"]["profile"] == {"name": "Jörg Müller", "ort": "Köln"}
    for wrong in ("no-such", "rot13", "base64"):
        code, notes = run_import(fake, path, "--customer", "id", "--encoding", wrong)
        assert (code, "is not an encoding" in notes) == (2, True)


def test_bytes_outside_the_encoding_refuse_only_their_row(
    fake: FakeService, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"customer_id;name\n1;J\xf6rg\n2;A\x81\n")
    code, _ = run_import(fake, path, "--encoding", "cp1252")
    assert (code, fake.line()) == (1, ["1"])
    assert "not in the encoding" in (tmp_path / "people.refused.csv").read_text("utf-8", "replace")


def test_a_pipe_is_read_only_once(fake: FakeService, tmp_path: Path) -> None:
    pipe = tmp_path / "people.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"customer_id\nada\n",))
    writer.start()
    assert Typed(fake.url)("import", "bakery", str(pipe)).exit_code == 0
    writer.join()
    assert fake.line() == ["ada"]
