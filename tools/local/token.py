"""Print a customer's token from the local issuer, for `make token CUSTOMER=bob`."""

import os
import sys
import time

from tools.local.jwt_issuer import LocalIssuer
from tools.local.settings import SettingError, Settings


def main() -> int:
    subject = os.environ.get("CUSTOMER", "").strip()
    try:
        settings = Settings.from_env(os.environ)
    except SettingError as error:
        return _explain(str(error))
    if not subject or not settings.jwt_issuer:
        return _explain(
            "Pass the customer and the settings of `make run`: "
            "make token CUSTOMER=bob JWT_ISSUER=https://… JWT_AUDIENCE=…"
        )
    issuer = LocalIssuer(settings.jwt_issuer, settings.jwt_audiences[0])
    print(issuer.token(subject, int(time.time())))
    return 0


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
