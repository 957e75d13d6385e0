"""The AWS account and region for the commands that operate a stack."""

import os
from typing import Any

import boto3


def session(profile: str | None = None, region: str | None = None) -> Any:
    """Return a boto3 session.

    The default profile and the default region come from the environment. The AWS CLI prefers the
    region in AWS_REGION, but boto3 only reads AWS_DEFAULT_REGION.
    """
    chosen = region or os.environ.get("AWS_REGION") or None
    return boto3.session.Session(profile_name=profile, region_name=chosen)
