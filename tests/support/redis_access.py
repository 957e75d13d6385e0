"""The private function's permissions in Redis."""

from pathlib import Path

ACCESS_FILE = (
    Path(__file__).resolve().parents[2] / "docs" / "operate" / "policies" / "redis-user.acl"
)
ACCESS = ACCESS_FILE.read_text("utf-8").strip()
