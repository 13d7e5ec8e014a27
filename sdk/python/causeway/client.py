"""The client: the generated calls, and waiting for a swap."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Collection, Union

from .api import Api, SwapDetails
from .errors import CausewayError

#: Nothing more happens to a swap with one of these, unless a late deposit arrives.
TERMINAL_STATUSES = ("completed", "failed", "expired", "pending_refund", "refunded")


class Client(Api):
    """`Client("https://swap.example", api_key="…").get_quote(…)`"""

    def wait_for_swap(
        self,
        swap_id: str,
        *,
        until: Collection[str] = (),
        timeout_seconds: float = 3600,
        poll_seconds: float = 2,
    ) -> SwapDetails:
        """The swap at a terminal status, or at one of `until`."""
        deadline = time.monotonic() + timeout_seconds
        while True:
            details = self.get_swap(swap_id, exclude_deposit_actions=True)
            status = details["swap"]["status"]
            if status in TERMINAL_STATUSES or status in until:
                return details
            if time.monotonic() + poll_seconds > deadline:
                raise CausewayError(f"swap {swap_id} is still {status} after {timeout_seconds} seconds")
            time.sleep(poll_seconds)


def to_base_units(amount: Union[Decimal, int, str], decimals: int) -> int:
    """Whole tokens to base units, exactly. Raises if the amount has more digits than the token."""
    units = Decimal(amount).scaleb(decimals)
    if units != units.to_integral_value():
        raise CausewayError(f"{amount} has more than {decimals} decimals")
    return int(units)


def from_base_units(units: Union[int, str], decimals: int) -> Decimal:
    """Base units to whole tokens, exactly."""
    return Decimal(int(units)).scaleb(-decimals)
