"""The model of a waitlist's notice, for the bodies of requests and responses."""

from typing import Any

from waitlist_api.http.schemas.settings import request_body
from waitlist_api.settings.notice import Notice

NoticeBody: Any = request_body("NoticeBody", Notice)
