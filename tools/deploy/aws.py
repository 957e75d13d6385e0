"""The AWS account and region of the commands that operate a stack."""

import os
from typing import Any

import boto3


def session(profile: str | None = None, region: str | None = None) -> Any:
    """Return a session of boto3 for the given or the environment's profile and region.

    The AWS CLI reads the region from AWS_REGION first, boto3 from AWS_DEFAULT_REGION alone.
    """
    chosen = region or os.environ.get("AWS_REGION") or None
    return boto3.session.Session(profile_name=profile, region_name=chosen)
