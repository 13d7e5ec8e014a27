"""What a call raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class CausewayError(Exception):
    """The base class of all errors of this package."""


class NoAnswerError(CausewayError):
    """The connection failed or timed out. The request may have been carried out."""


class VerificationError(CausewayError):
    """A webhook was not signed with the secret, or is too old."""


class RequestError(CausewayError):
    """The service answered with an error. Decide by `code`, never by the message."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        message: str,
        metadata: Mapping[str, Any],
        correlation_id: Optional[str],
        retry_after_seconds: Optional[float],
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.metadata = metadata
        #: Give this to the operator when you report a problem.
        self.correlation_id = correlation_id
        self.retry_after_seconds = retry_after_seconds
