"""Finds the country of a time zone, and the main language of a country.

The countries come from the tables of the IANA time zone database.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources

# For each of the service's languages, the countries in which most people read it. The table follows
# the "likely subtags" of the Unicode CLDR.
READERS = {
    "en": "AG AI AQ AU BB BM BS BW BZ CA CK CX DM FJ FK FM GB GD GG GI GM GS GU GY IE IM IO JE JM "
    "KI KN KY LC LR MH MP MS MW NF NG NR NU NZ PN SB SG SH SL SX SZ TC TT UM US VC VG VI ZA ZM",
    "de": "AT CH DE LI",
    "fr": "BF BJ BL CD CG CI CM DJ FR GA GF GN GP LU MC MF MQ MU NC PF PM RE SC TF TG WF YT",
    "es": "AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR SV UY VE",
    "ar": "AE BH DZ EG EH IQ JO KM KW LB LY MA MR OM PS QA SA SD SS SY TD TN YE",
}


def language_of(country: str) -> str:
    """Return the main language of a country, or "" if the service does not support it."""
    return next((one for one, countries in READERS.items() if country in countries.split()), "")


@cache
def zone_countries() -> dict[str, str]:
    """Return the two-letter country code of each time zone that belongs to one country."""
    found = {zone: country for country, _, zone in _rows("zone.tab")}
    # Some browsers report the old name of a time zone, such as Asia/Calcutta. The old names of a
    # zone that several countries share are left out, because they could mean any of the countries.
    shared = {zone for countries, _, zone in _rows("zone1970.tab") if "," in countries}
    former = {
        name: found[zone]
        for kind, zone, name in _rows("tzdata.zi")
        if kind == "L" and zone in found and zone not in shared
    }
    return {**former, **found}


def _rows(table: str) -> Iterator[tuple[str, str, str]]:
    """Yield the first three columns of each row. Skip comments and rows with fewer columns."""
    text = resources.files("tzdata").joinpath("zoneinfo", table).read_text("utf-8")
    for line in text.splitlines():
        columns = line.split()
        if len(columns) >= 3 and not line.startswith("#"):
            yield columns[0], columns[1], columns[2]
