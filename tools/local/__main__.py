"""Run the whole service on one port until Ctrl-C. `make run` calls this program."""

import logging
import os
import signal
import sys
import threading
import time

from tools.local.banner import banner
from tools.local.child import ChildStartError
from tools.local.function import FunctionStartError
from tools.local.http_server import PortError
from tools.local.service import LocalService, StartError
from tools.local.settings import DEFAULT_PORT, SettingError, Settings

WATCH_SECONDS = 1


def main() -> int:
    began = time.monotonic()
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    try:
        settings = Settings.from_env(os.environ)
        logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s %(message)s")
        _quiet_libraries()
        with LocalService(settings) as service:
            print(banner(service.addresses, time.monotonic() - began), flush=True)
            return _run_until(stopping, service)
    except PortError as error:
        other = DEFAULT_PORT if error.reason == "not allowed" else _other(error.port)
        return _explain(
            f"Port {error.port} is {error.reason}. Try another port: PORT={other} make run"
        )
    except SettingError as error:
        return _explain(str(error))
    except (StartError, ChildStartError, FunctionStartError) as error:
        return _explain(f"The service did not start. {error}")


def _run_until(stopping: threading.Event, service: LocalService) -> int:
    while not stopping.wait(WATCH_SECONDS):
        if lost := service.lost_part():
            return _explain(f"{lost} ended unexpectedly, so the service stops.")
    print("\nStopping.", flush=True)
    return 0


def _quiet_libraries() -> None:
    # At the DEBUG level, botocore logs every signature and every item.
    for name in ("botocore", "boto3", "urllib3"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _other(port: int) -> int:
    return port + 1 if port < 65535 else DEFAULT_PORT


def _explain(message: str) -> int:
    print(message, file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
