"""What `make run` prints when the service is ready."""

from local.service import LocalService


def banner(service: LocalService, seconds: float) -> str:
    return f"Ready in {seconds:.1f} s: {service.url}"
