"""Detects the encoding of a file. If the file is not UTF-8, guesses the most likely encoding."""

import codecs
from pathlib import Path

from waitlist_cli.errors import WrongUsage

UTF_8, WESTERN = "utf-8", "cp1252"
# Common encodings, with the names that programs show in their menus.
ENCODINGS = {
    UTF_8: "UTF-8",
    "utf-16": "UTF-16 (Unicode text from Excel)",
    WESTERN: "Windows-1252 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp1257": "Windows-1257 (Baltic)",
    "mac_roman": "Mac Roman",
    "cp932": "Shift JIS (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "Korean (Windows-949)",
}
BYTE_ORDERS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
PART_BYTES = 1_000_000
# The encoding of a file is guessed from a sample of its lines that contain non-ASCII characters.
# This is the maximum size of the sample. A larger sample would not improve the guess.
SAMPLE_BYTES = 20_000
# A short text can fit several encodings. Windows-1252, the most common one, is chosen unless
# another encoding fits better by more than these margins.
LIKE_BEST_CHAOS, LIKE_BEST_COHERENCE = 0.08, 0.02
# The name of the error handler that turns each undecodable byte into a lone surrogate. The import
# then refuses only the row that contains the byte.
UNDECODABLE = "waitlist-undecodable"


def _undecodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error(UNDECODABLE, _undecodable)


def errors_of(encoding: str) -> str:
    """Return the error handler that turns undecodable bytes into lone surrogates."""
    # For UTF-8, use Python's own handler, which can restore the original bytes for the file of
    # refused rows.
    return "surrogateescape" if encoding == UTF_8 else UNDECODABLE


def codec_of(encoding: str) -> str:
    """Return the codec for an encoding. Raise WrongUsage if the encoding is unknown."""
    try:
        found = codecs.lookup(encoding)
    except LookupError:
        found = None
    # Some of Python's codecs, such as rot13, are not text encodings.
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise WrongUsage(
            f"{encoding!r} is not an encoding. Use an encoding such as utf-8, cp1252 or utf-16."
        )
    return "utf-8-sig" if found.name == UTF_8 else encoding


def detect_encoding(path: Path) -> str:
    """Detect the encoding of a file, and return its key in `ENCODINGS`.

    A file counts as UTF-8 if at least half of its non-ASCII characters are valid UTF-8.
    """
    decoder = codecs.getincrementaldecoder(UTF_8)("surrogateescape")
    letters = broken = 0
    sample = b""
    with path.open("rb") as file:
        if file.read(2) in BYTE_ORDERS:
            return "utf-16"
        file.seek(0)
        while part := file.read(PART_BYTES):
            text = decoder.decode(part)
            if text.isascii():
                continue
            wrong = sum("\ud800" <= letter <= "\udfff" for letter in text)
            broken += wrong
            letters += sum(letter > "\x7f" for letter in text) - wrong
            if wrong and len(sample) < SAMPLE_BYTES:
                lines = part.splitlines(keepends=True)
                sample += b"".join(line for line in lines if not line.isascii())[:SAMPLE_BYTES]
    broken += len(decoder.getstate()[0])
    if broken == 0 or 0 < letters >= broken:
        return UTF_8
    return _likely(sample)


def _likely(sample: bytes) -> str:
    # Import charset_normalizer only here. Importing it is slow, and most files are UTF-8 and do not
    # need it.
    from charset_normalizer import from_bytes

    others = [name for name in ENCODINGS if name not in (UTF_8, "utf-16")]
    matches = from_bytes(sample, cp_isolation=others)
    best = matches.best()
    if best is None:
        return WESTERN
    for match in matches:
        is_like_best = (
            match.chaos <= best.chaos + LIKE_BEST_CHAOS
            and match.coherence >= best.coherence - LIKE_BEST_COHERENCE
        )
        if is_like_best and WESTERN in match.could_be_from_charset:
            return WESTERN
    return best.encoding
