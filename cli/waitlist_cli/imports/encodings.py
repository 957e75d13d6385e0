"""Finds how the text of a file is encoded: UTF-8 if it is that, else what is most likely."""

import codecs
from pathlib import Path

from waitlist_cli.errors import WrongUsage

UTF_8, WESTERN = "utf-8", "cp1252"
# The encodings that programs of operators write, and what their menus call them.
ENCODINGS = {
    UTF_8: "UTF-8",
    "utf-16": "UTF-16 (Unicode text of Excel)",
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
# Of lines with other letters than those of ASCII; more of them would not change the answer.
SAMPLE_BYTES = 20_000
# Short texts fit several encodings equally well. Then the one that most programs write is taken,
# unless another is better by more than this.
LIKE_BEST_CHAOS, LIKE_BEST_COHERENCE = 0.08, 0.02
# A lone surrogate stands for a byte that is not of the encoding, so that only its row is refused.
UNDECODABLE = "waitlist-undecodable"


def _undecodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error(UNDECODABLE, _undecodable)


def errors_of(encoding: str) -> str:
    """Return how bytes that are not of the encoding are read: as lone surrogates."""
    # Those of UTF-8 can be written into the file of refused rows as they were.
    return "surrogateescape" if encoding == UTF_8 else UNDECODABLE


def codec_of(encoding: str) -> str:
    """Return the codec that reads an encoding; raises WrongUsage for an unknown one."""
    try:
        found = codecs.lookup(encoding)
    except LookupError:
        found = None
    # Such as rot13, which is no encoding of files.
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise WrongUsage(
            f"{encoding!r} is not an encoding. Give one such as utf-8, cp1252 or utf-16."
        )
    return "utf-8-sig" if found.name == UTF_8 else encoding


def detected(path: Path) -> str:
    """Return the encoding of a file, as `ENCODINGS` names it.

    A file with as many letters in UTF-8 as bytes that are not is UTF-8 with broken rows: other
    encodings hardly ever look like it.
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
    # It takes 30 ms to import, and most files are UTF-8.
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
