"""The invented people in `people.csv`."""

import csv
from dataclasses import dataclass
from pathlib import Path

PEOPLE_PATH = Path(__file__).with_name("people.csv")


@dataclass(frozen=True)
class Person:
    customer_id: str
    name: str
    email: str
    city: str
    party_size: int

    @property
    def profile(self) -> dict[str, str]:
        return {
            "name": self.name,
            "email": self.email,
            "city": self.city,
            "party_size": str(self.party_size),
        }


def read_people(path: Path = PEOPLE_PATH) -> list[Person]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Person(**{**row, "party_size": int(row["party_size"])})  # type: ignore[arg-type]
            for row in csv.DictReader(file)
        ]
