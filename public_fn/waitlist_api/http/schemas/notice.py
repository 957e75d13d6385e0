"""The pydantic model for the notice of a waitlist. Requests and responses use the same model."""

from typing import Any

from waitlist_api.http.schemas.settings import request_body
from waitlist_api.settings.notice import Notice

NoticeBody: Any = request_body("NoticeBody", Notice)
