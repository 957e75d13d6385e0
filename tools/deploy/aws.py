"""The AWS account and region in which an operator's command runs."""

import os
from typing import Any

import boto3


def session(profile: str | None = None, region: str | None = None) -> Any:
    """boto3 does not read AWS_REGION, which the AWS CLI prefers, so this function reads it."""
    chosen = region or os.environ.get("AWS_REGION") or None
    return boto3.session.Session(profile_name=profile, region_name=chosen)
