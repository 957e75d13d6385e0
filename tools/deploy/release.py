"""Write the release id into the built template, and check how large the packages are. `make
sam-build` runs this module.

The id is a digest of everything that is deployed: code, layer, template and parameters.

SAM publishes a new version of a function only if the function's own resource has changed, so it
overlooks changes to the layer or to a parameter. The id is an environment variable of each
function, so each release has new versions.
"""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / ".aws-sam" / "build"
# The file with each deployment's parameters.
CONFIG = ROOT / "samconfig.toml"
UNBUILT = "RELEASE: unbuilt"
DIGITS = 12
LAYER = "SharedLayer"
# The largest size in bytes that Lambda accepts for an unpacked function and its layers.
PACKAGE_BYTES = 262_144_000


def release_of(built: Path, config: Path) -> str:
    """Equal files give equal ids, on any machine and at any time."""
    digest = hashlib.sha256()
    files = sorted(path for path in built.rglob("*") if path.is_file())
    for path in (*files, config):
        name = path.relative_to(built).as_posix() if path != config else config.name
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:DIGITS]


def write_release(built: Path, config: Path) -> str:
    """Raise ValueError if the built template contains no id to replace."""
    template = built / "template.yaml"
    text = template.read_text(encoding="utf-8")
    if UNBUILT not in text:
        raise ValueError(f"{template} has no `{UNBUILT}`. Build it again with `make sam-build`.")
    release = release_of(built, config)
    template.write_text(text.replace(UNBUILT, f"RELEASE: '{release}'"), encoding="utf-8")
    return release


def check_sizes(built: Path, most: int = PACKAGE_BYTES) -> None:
    for function in built.iterdir():
        if function.is_dir() and function.name != LAYER:
            size = _bytes_in(function) + _bytes_in(built / LAYER)
            if size > most:
                raise ValueError(
                    f"{function.name} has {size:,} bytes with its layer, but Lambda allows at most"
                    f" {most:,}. Remove a library from */requirements.in"
                )


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> int:
    try:
        check_sizes(BUILT)
        print(f"Release {write_release(BUILT, CONFIG)}")
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
