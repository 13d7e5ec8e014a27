"""One call to the service: unwraps the envelope, raises typed errors, and retries what is safe to retry."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from typing import Any, Mapping, Optional

from .errors import CausewayError, NoAnswerError, RequestError

#: Temporary failures of the service or of a proxy.
PASSING = (429, 500, 502, 503, 504)
FIRST_PAUSE_SECONDS = 0.3


class Transport:
    """Holds the connection's settings. `Client` adds the calls."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        timeout_seconds: float = 30,
        retries: int = 3,
        max_wait_seconds: float = 30,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key
        self.timeout_seconds = timeout_seconds
        self.retries = retries
        self.max_wait_seconds = max_wait_seconds

    @staticmethod
    def new_key() -> str:
        """An idempotency key. Store your own with your order, to be safe across restarts too."""
        return str(uuid.uuid4())

    def call(
        self,
        method: str,
        path: str,
        *,
        path_parameters: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        is_wrapped: bool = True,
    ) -> Any:
        for name, value in (path_parameters or {}).items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        url = self.base_url + path + query_text(query or {})
        headers = {"accept": "application/json"}
        if self.api_key:
            headers["x-ls-apikey"] = self.api_key
        if idempotency_key:
            headers["idempotency-key"] = idempotency_key
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body, default=plain_text).encode()
        may_repeat = method != "POST" or idempotency_key is not None
        done = 0
        while True:
            try:
                return self._attempt(urllib.request.Request(url, data, headers, method=method), is_wrapped)
            except (RequestError, NoAnswerError) as error:
                wait = wait_for(error, done)
                if not may_repeat or done >= self.retries or wait is None or wait > self.max_wait_seconds:
                    raise
                time.sleep(wait)
                done += 1

    def _attempt(self, request: urllib.request.Request, is_wrapped: bool) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_seconds) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as failure:
            raise request_error(failure) from None
        except (OSError, ValueError) as failure:
            raise NoAnswerError(f"no answer: {failure}") from failure
        if text == "":
            return None
        answer = parse(text)
        return answer["data"] if is_wrapped else answer


def parse(text: str) -> Any:
    """JSON without floats: numbers with a fraction become exact decimals."""
    return json.loads(text, parse_float=Decimal)


def plain_text(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(f"{type(value).__name__} is not JSON")


def query_text(query: Mapping[str, Any]) -> str:
    pairs = []
    for name, value in query.items():
        if value is None:
            continue
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, bool):
                item = "true" if item else "false"
            elif isinstance(item, Decimal):
                item = plain_text(item)
            elif isinstance(item, float):
                raise CausewayError(f"{name} is a float, which is not exact: use Decimal or text")
            pairs.append((name, str(item)))
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def request_error(failure: urllib.error.HTTPError) -> RequestError:
    try:
        error = parse(failure.read().decode())["error"]
    except (ValueError, KeyError, TypeError):
        error = {}
    after = failure.headers.get("retry-after") or ""
    return RequestError(
        status=failure.code,
        code=error.get("code", "UNEXPECTED_ERROR"),
        message=error.get("message", f"answered {failure.code}"),
        metadata=error.get("metadata", {}),
        correlation_id=failure.headers.get("x-ls-correlation-id"),
        retry_after_seconds=float(after) if after.isdigit() else None,
    )


def wait_for(error: CausewayError, done: int) -> Optional[float]:
    """Seconds until a retry; None if a retry would not help."""
    pause = FIRST_PAUSE_SECONDS * 2**done
    if isinstance(error, NoAnswerError):
        return pause
    if not isinstance(error, RequestError) or error.status not in PASSING:
        return None
    return pause if error.retry_after_seconds is None else error.retry_after_seconds
