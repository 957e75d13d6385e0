"""Which addresses a webhook may be sent to."""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
# What the internet routes; 6to4 and Teredo have an IPv4 address inside, which may be a private one.
GLOBAL_UNICAST = IPv6Network("2000::/3")
WITH_IPV4_INSIDE = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))


class ForbiddenAddress(Exception):
    """The host of the webhook has an address that nothing may be sent to."""


class UnknownHost(Exception):
    """The host of the webhook has no address, or DNS does not answer."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as DNS has them now. Raises UnknownHost."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost from error
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def is_public(text: str) -> bool:
    """Return whether an address is one of the internet."""
    address = _parsed(text)
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    return (
        address in GLOBAL_UNICAST
        and address.is_global
        and not any(address in one for one in WITH_IPV4_INSIDE)
    )


def is_loopback(text: str) -> bool:
    """Return whether an address is this machine's own."""
    return _parsed(text).is_loopback


def _parsed(text: str) -> Address:
    # A scope (`fe80::1%eth0`) belongs to a link.
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
