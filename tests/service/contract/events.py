"""The example events in the repository, by file name."""

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]

EVENTS = Path(__file__).resolve().parents[3] / "events"
LOCAL_SECRET = "local-entry-token-secret-not-for-production"


def load_all(folder: str) -> dict[str, Event]:
    paths = sorted((EVENTS / folder).glob("*.json"))
    return {path.stem: json.loads(path.read_text("utf-8")) for path in paths}


PUBLIC = load_all("public")
PRIVATE = load_all("private")
