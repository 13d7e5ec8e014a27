"""A client of the Causeway swap API. Standard library only; amounts are exact decimals."""

from .client import TERMINAL_STATUSES, Client, from_base_units, to_base_units
from .errors import CausewayError, NoAnswerError, RequestError, VerificationError
from .webhooks import SwapWebhook, TestWebhook, Webhook, verify_webhook

__all__ = [
    "TERMINAL_STATUSES",
    "CausewayError",
    "Client",
    "NoAnswerError",
    "RequestError",
    "SwapWebhook",
    "TestWebhook",
    "VerificationError",
    "Webhook",
    "from_base_units",
    "to_base_units",
    "verify_webhook",
]
