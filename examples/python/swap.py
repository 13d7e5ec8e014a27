"""A swap with the Python client: quote, create, deposit, wait. Needs a sandbox at CAUSEWAY_URL."""

import json
import os
import urllib.request
import uuid
from decimal import Decimal

from causeway import Client

URL = os.environ.get("CAUSEWAY_URL", "http://localhost:8080")
ROUTE = {
    "source_network": "ETHEREUM_SEPOLIA",
    "source_token": "ETH",
    "destination_network": "BASE_SEPOLIA",
    "destination_token": "USDC",
}
AMOUNT = Decimal("0.1")


def send_deposit(swap_id: str) -> None:
    """On a real network a wallet sends what `deposit_actions` says. Here a test account does it."""
    body = json.dumps({"swap_id": swap_id}).encode()
    request = urllib.request.Request(URL + "/sandbox/deposit", body, {"content-type": "application/json"}, method="POST")
    urllib.request.urlopen(request, timeout=60).read()


def main() -> None:
    client = Client(URL)
    quote = client.get_quote(**ROUTE, amount=AMOUNT)["quote"]
    print(f"{AMOUNT} ETH delivers {quote['receive_amount']} USDC")

    # Store the key with your order: after a crash the same key gives the same swap.
    key = f"order-{uuid.uuid4()}"
    recipient = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
    created = client.create_swap({**ROUTE, "amount": AMOUNT, "destination_address": recipient}, idempotency_key=key)
    swap_id = created["swap"]["id"]
    print(f"swap {swap_id}")

    send_deposit(swap_id)
    done = client.wait_for_swap(swap_id, timeout_seconds=120, poll_seconds=0.5)
    output = next(one for one in done["swap"]["transactions"] if one["type"] == "output")
    print(f"{done['swap']['status']}: {output['amount']} USDC arrived")


if __name__ == "__main__":
    main()
