"""Finds the country of a time zone in the tables of the IANA time zone database."""

from collections.abc import Iterator
from functools import cache
from importlib import resources


@cache
def zone_countries() -> dict[str, str]:
    """Return the two-letter country code of each time zone that belongs to one country."""
    found = {zone: country for country, _, zone in _rows("zone.tab")}
    # Some browsers report the former name of a time zone, such as Asia/Calcutta. If several
    # countries share the zone, leave out its former names, because they may belong to any of these
    # countries.
    shared = {zone for countries, _, zone in _rows("zone1970.tab") if "," in countries}
    former = {
        name: found[zone]
        for kind, zone, name in _rows("tzdata.zi")
        if kind == "L" and zone in found and zone not in shared
    }
    return {**former, **found}


def _rows(table: str) -> Iterator[tuple[str, str, str]]:
    """Yield the first three columns of a table. Leave out shorter lines and comments."""
    text = resources.files("tzdata").joinpath("zoneinfo", table).read_text("utf-8")
    for line in text.splitlines():
        columns = line.split()
        if len(columns) >= 3 and not line.startswith("#"):
            yield columns[0], columns[1], columns[2]
