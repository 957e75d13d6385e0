"""Puts maintenance together, on given clients; the public function imports none of it."""

from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.services import Services


class MaintenanceServices(Services, frozen=True):
    """All services, with those of maintenance."""

    maintenance: MaintenanceRunner
