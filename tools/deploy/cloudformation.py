"""The template as CloudFormation receives it: after SAM's transform.

`python -m tools.deploy.cloudformation FILE` writes it to a file, for tools without SAM support.
"""

import json
import os
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

from samtranslator.translator.transform import transform

from tools.local.table import read_template


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


def translated() -> dict[str, Any]:
    """Return the template with SAM's resources expanded."""
    template = deepcopy(read_template())
    for resource in template["Resources"].values():
        for name in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            # As `sam deploy` does: the transform accepts no local folders.
            resource["Properties"][name] = "s3://bucket/key"
    # The transform needs a region but calls no AWS service.
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    found: dict[str, Any] = transform(template, {}, _NoManagedPolicies())
    return found


def main(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(translated(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
