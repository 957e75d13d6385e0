"""Decides which IP addresses webhooks may be sent to."""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
# All public IPv6 addresses are in GLOBAL_UNICAST. Addresses in WITH_IPV4_INSIDE do not count as
# public, because they can contain a private IPv4 address.
GLOBAL_UNICAST = IPv6Network("2000::/3")
WITH_IPV4_INSIDE = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))


class ForbiddenAddress(Exception):
    """Raised if the URL's host has an IP address to which webhooks must not be sent."""


class UnknownHost(Exception):
    """Raised when the host in the webhook's URL has no IP address, or when DNS does not respond."""


def resolve(host: str, port: int) -> list[str]:
    """Look up the IP addresses of a host. Raise UnknownHost if DNS returns none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost from error
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def is_public(text: str) -> bool:
    """Return whether an IP address is on the public internet."""
    address = _parsed(text)
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    return (
        address in GLOBAL_UNICAST
        and address.is_global
        and not any(address in network for network in WITH_IPV4_INSIDE)
    )


def is_loopback(text: str) -> bool:
    return _parsed(text).is_loopback


def _parsed(text: str) -> Address:
    # Remove the scope from a link-local address such as `fe80::1%eth0`.
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
