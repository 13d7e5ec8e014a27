"""Verifies that a webhook came from the service and is recent, by the Standard Webhooks scheme."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from datetime import datetime, timezone
from typing import Any, Literal, Mapping, NamedTuple, Optional, Sequence, TypedDict, Union

from .api import SwapDetails, SwapEventType
from .errors import VerificationError
from .transport import parse

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


class SwapWebhook(NamedTuple):
    """A swap reached another status."""

    #: The same for every attempt of one delivery: handle each id once.
    id: str
    sent_at: datetime
    data: SwapDetails
    type: SwapEventType
    #: Grows when a field is removed or changes its meaning.
    schema_version: int
    #: When the swap reached the status, ISO-8601.
    timestamp: str


class TestData(TypedDict):
    webhook_id: str


class TestWebhook(NamedTuple):
    """A test of the endpoint: answer 2xx and do nothing."""

    id: str
    sent_at: datetime
    data: TestData
    type: Literal["webhook.test"]
    schema_version: int
    timestamp: str


#: A verified event; `type` tells the two apart.
Webhook = Union[SwapWebhook, TestWebhook]


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Webhook:
    """The delivery, or a `VerificationError`. `body` is the raw body: parsed and printed again it is another text."""
    raw = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (header(given, name) for name in ("id", "timestamp", "signature"))
    seconds = time.time() if now is None else now
    if not timestamp.isdigit() or abs(seconds - int(timestamp)) > tolerance_seconds:
        raise VerificationError("the webhook is too old, or from the future")
    signed = f"{message_id}.{timestamp}.".encode() + raw
    for one in [secret] if isinstance(secret, str) else secret:
        if is_signed(signed, signatures, one):
            sent_at = datetime.fromtimestamp(int(timestamp), timezone.utc)
            return event_in(parse(raw.decode()), message_id, sent_at)
    raise VerificationError("the webhook was not signed with this secret")


def event_in(event: dict[str, Any], message_id: str, sent_at: datetime) -> Webhook:
    data = event["data"]
    if event.get("type") == "webhook.test":
        return TestWebhook(message_id, sent_at, data, event["type"], event["schema_version"], event["timestamp"])
    # A service from before typed events sends only `data`.
    kind = event.get("type") or "swap." + data["swap"]["status"]
    return SwapWebhook(message_id, sent_at, data, kind, event.get("schema_version", 1), event.get("timestamp", ""))


def is_signed(signed: bytes, signatures: str, secret: str) -> bool:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise VerificationError("the secret is not a whsec_… of the service") from None
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(f"v1,{wanted}".encode(), entry.encode()) for entry in signatures.split(" "))


def header(given: Mapping[str, str], name: str) -> str:
    value = given.get(f"webhook-{name}") or given.get(f"svix-{name}")
    if not value:
        raise VerificationError(f"the header webhook-{name} is missing")
    return value
