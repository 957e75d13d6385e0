"""Puts maintenance together, on given clients; the public function imports none of it."""

from dataclasses import dataclass

from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.services import Services


@dataclass(frozen=True)
class MaintenanceServices(Services):
    """All services, with those of maintenance."""

    maintenance: MaintenanceRunner
