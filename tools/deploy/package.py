"""Create a template for tools that cannot apply SAM's transform.

`make sam-package BUCKET=…` runs this module. The transform depends on the values of some
parameters. For example, `Deployment` becomes a CodeDeploy configuration. That is why each template
is created for one section of samconfig.toml.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.deploy import aws
from tools.deploy.samconfig import NoSuchSection, Settings
from tools.deploy.stack import expanded
from tools.local.table import read_template

BUILT = Path(__file__).resolve().parents[2] / ".aws-sam"
PACKAGED = BUILT / "packaged.yaml"
TRANSLATED = BUILT / "cloudformation.json"


def translate(packaged: Path, translated: Path, parameters: dict[str, str]) -> str:
    """Return the id of the release."""
    template = json.loads(json.dumps(read_template(packaged)))
    release = str(template["Globals"]["Function"]["Environment"]["Variables"]["RELEASE"])
    text = json.dumps(expanded(template, parameters), indent=1)
    translated.write_text(text + "\n", encoding="utf-8")
    return release


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Create a template that needs no SAM transform.")
    parser.add_argument("--config-env", default="default", help="the section of samconfig.toml")
    parser.add_argument(
        "--bucket",
        required=True,
        help="the bucket that receives the template and already has its code",
    )
    given = parser.parse_args(arguments)
    try:
        settings = Settings.read(given.config_env)
        release = translate(PACKAGED, TRANSLATED, settings.parameters)
        session: Any = aws.session(settings.profile, settings.region)
        # Give each release's template a new name, because other tools look only at the name to see
        # whether the template has changed.
        key = f"{settings.stack}-{release}.json"
        session.client("s3").put_object(Bucket=given.bucket, Key=key, Body=TRANSLATED.read_bytes())
    except (NoSuchSection, OSError, ClientError, BotoCoreError) as error:
        print(f"The package was not created: {error}", file=sys.stderr)
        return 1
    print(f"{TRANSLATED.relative_to(BUILT.parent)} contains release {release} of {settings.stack}:")
    print(f"https://{given.bucket}.s3.{session.region_name}.amazonaws.com/{key}")
    print("Deploying the template requires CAPABILITY_IAM.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
