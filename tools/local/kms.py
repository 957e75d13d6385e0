"""A fake AWS KMS with one RSA key. It supports `Sign` and `GetPublicKey` as botocore calls them."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tools.local.aws import ACCOUNT_ID, REGION
from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.jwt_issuer import kept_key, new_key

PATH = "/kms"
KEY_ARN = f"arn:aws:kms:{REGION}:{ACCOUNT_ID}:key/local-pass"
CONTENT_TYPE = "application/x-amz-json-1.1"
ALGORITHM = "RSASSA_PKCS1_V1_5_SHA_256"


class LocalKms:
    """Replaces botocore's KMS client. If a path is given, the key is stored in that file."""

    def __init__(self, key_path: Path | None = None) -> None:
        key = new_key() if key_path is None else kept_key(key_path)
        self._key: Any = key.private_key

    def sign(
        self,
        KeyId: str,  # noqa: N803
        Message: bytes,  # noqa: N803
        MessageType: str,  # noqa: N803
        SigningAlgorithm: str,  # noqa: N803
    ) -> dict[str, Any]:
        _check_key(KeyId)
        if (MessageType, SigningAlgorithm) != ("RAW", ALGORITHM):
            raise _error("ValidationException", f"Only RAW messages and {ALGORITHM} are supported.")
        signature = self._key.sign(Message, PKCS1v15(), SHA256())
        return {"KeyId": KeyId, "Signature": signature, "SigningAlgorithm": ALGORITHM}

    def get_public_key(self, KeyId: str) -> dict[str, Any]:  # noqa: N803
        _check_key(KeyId)
        public = self._key.public_key()
        der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return {"KeyId": KeyId, "PublicKey": der, "SigningAlgorithms": [ALGORITHM]}


class KmsEndpoint:
    """Answers KMS clients' JSON requests.

    Local programs need no signature, but requests that a web page could have sent are refused.
    """

    def __init__(self, kms: LocalKms) -> None:
        self._operations: dict[str, Callable[..., dict[str, Any]]] = {
            "Sign": kms.sign,
            "GetPublicKey": kms.get_public_key,
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return json_response(200, self._answer(request), (), CONTENT_TYPE)
        except ClientError as error:
            stated = error.response["Error"]
            body = {"__type": stated["Code"], "message": stated["Message"]}
            return json_response(400, body, (), CONTENT_TYPE)

    def _answer(self, request: HttpRequest) -> dict[str, Any]:
        if request.header("origin") is not None or not request.names_this_machine:
            raise _error(
                "AccessDeniedException", "Only programs on this machine may call this endpoint."
            )
        name = (request.header("x-amz-target") or "").rpartition(".")[2]
        if name not in self._operations:
            raise _error("UnknownOperationException", f"{name} is not supported here")
        asked = json.loads(request.body)
        if "Message" in asked:
            asked["Message"] = base64.b64decode(asked["Message"])
        answer = self._operations[name](**asked)
        return {
            field: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for field, value in answer.items()
        }


def _check_key(key_id: str) -> None:
    if key_id != KEY_ARN:
        raise _error("NotFoundException", f"Key '{key_id}' does not exist")


def _error(code: str, message: str) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    return ClientError(response, "")
