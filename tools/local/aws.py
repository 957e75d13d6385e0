"""The AWS account that the local run imitates."""

ACCOUNT_ID = "123456789012"
REGION = "us-east-1"
ACCESS_KEY = "local"
SECRET_KEY = "local"


def function_arn(function_name: str) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{function_name}"
