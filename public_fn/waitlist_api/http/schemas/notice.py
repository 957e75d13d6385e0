"""The pydantic model of a waitlist's notice, used in both requests and responses."""

from typing import Any

from waitlist_api.http.schemas.settings import request_body
from waitlist_api.settings.notice import Notice

NoticeBody: Any = request_body("NoticeBody", Notice)
