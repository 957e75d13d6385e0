"""The packaged template works without SAM, for example with Terraform, CDK or CloudFormation
itself.
"""

import json
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.rules.sources import ROOT
from tools.deploy import package
from tools.deploy.package import main, translate

RELEASE = "0a1b2c3d4e5f"


@pytest.fixture
def packaged(tmp_path: Path) -> Path:
    """In a template from `sam package`, objects in an S3 bucket take the place of folders."""
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    for folder in ("public_fn", "private_fn", "shared"):
        for name in ("CodeUri", "ContentUri"):
            text = text.replace(f"{name}: {folder}\n", f"{name}: s3://code/{folder}\n")
    path = tmp_path / "packaged.yaml"
    path.write_text(text.replace("RELEASE: unbuilt", f"RELEASE: '{RELEASE}'"))
    return path


@pytest.mark.parametrize("deployment", ["AllAtOnce", "Canary10Percent5Minutes"])
def test_the_packaged_template_needs_no_sam_and_refers_to_code_in_the_bucket(
    packaged: Path, tmp_path: Path, deployment: str
) -> None:
    target = tmp_path / "cloudformation.json"
    assert translate(packaged, target, {"Deployment": deployment}) == RELEASE
    template: dict[str, Any] = json.loads(target.read_text())
    resources = template["Resources"]
    assert "Transform" not in template
    assert not [one for one in resources.values() if "::Serverless::" in one["Type"]]
    for name, folder in (("PublicFn", "public_fn"), ("PrivateFn", "private_fn")):
        code = resources[name]["Properties"]["Code"]
        assert code == {"S3Bucket": "code", "S3Key": folder}
    group = resources["PublicFnDeploymentGroup"]["Properties"]
    assert f'"{deployment}"' in json.dumps(group["DeploymentConfigName"])


def test_the_command_uploads_each_release_under_its_own_name(
    packaged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setattr(package, "BUILT", tmp_path)
    monkeypatch.setattr(package, "PACKAGED", packaged)
    monkeypatch.setattr(package, "TRANSLATED", tmp_path / "cloudformation.json")
    with mock_aws():
        assert main(["--bucket", "code", "--config-env", "prod"]) == 1
        assert "The package was not created" in capsys.readouterr().err
        s3: Any = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="code")
        assert main(["--bucket", "code", "--config-env", "prod"]) == 0
        (stored,) = s3.list_objects_v2(Bucket="code")["Contents"]
    url = f"https://code.s3.us-east-1.amazonaws.com/waitlist-prod-{RELEASE}.json"
    assert url in capsys.readouterr().out
    assert url.endswith(stored["Key"])
