"""Create the services for maintenance. The public function does not import this module."""

from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.services import Services


class MaintenanceServices(Services, frozen=True):
    """All services, including maintenance."""

    maintenance: MaintenanceRunner
