"""The client against a sandbox: a swap from the quote to its end, exact amounts, errors, idempotency, webhooks."""

import base64
import hashlib
import hmac
import json
import os
import re
import time
import unittest
import urllib.request
from decimal import Decimal
from pathlib import Path

from causeway import Client, RequestError, TestWebhook, VerificationError, from_base_units, to_base_units, verify_webhook

URL = os.environ["CAUSEWAY_URL"]
ROUTE = {
    "source_network": "ETHEREUM_SEPOLIA",
    "source_token": "ETH",
    "destination_network": "BASE_SEPOLIA",
    "destination_token": "USDC",
}
RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes!!!!").decode()


def sandbox(path: str, body: dict) -> None:
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers, method="POST")
    urllib.request.urlopen(request, timeout=60).read()


def signed(body: str, secret: str = SECRET, at: int | None = None) -> dict[str, str]:
    timestamp = str(int(time.time()) if at is None else at)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": signature}


class Swaps(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL)

    def test_a_swap_is_quoted_created_paid_and_completed(self) -> None:
        self.assertIsNone(self.client.get_health())
        quote = self.client.get_quote(**ROUTE, amount=Decimal("0.1"))["quote"]
        total = quote["blockchain_fee"] + quote["service_fee"]
        self.assertEqual(quote["total_fee"], total, "decimals are exact, so the fees add up")
        body = {**ROUTE, "amount": Decimal("0.1"), "destination_address": RECIPIENT}
        created = self.client.create_swap(body, idempotency_key="python-1")
        again = self.client.create_swap(body, idempotency_key="python-1")
        swap_id = created["swap"]["id"]
        self.assertEqual(again["swap"]["id"], swap_id)
        action = created["deposit_actions"][0]
        self.assertEqual(action["amount"], Decimal("0.1"))
        self.assertEqual(to_base_units(action["amount"], 18), int(action["amount_in_base_units"]))
        sandbox("/sandbox/deposit", {"swap_id": swap_id})
        done = self.client.wait_for_swap(swap_id, timeout_seconds=120, poll_seconds=0.2)
        self.assertEqual(done["swap"]["status"], "completed")
        self.assertEqual(done["swap"]["received_amount"], Decimal("0.1"))
        output = [one for one in done["swap"]["transactions"] if one["type"] == "output"]
        self.assertEqual(output[0]["amount"], done["quote"]["receive_amount"])
        rows = self.client.list_swaps(address=[RECIPIENT])
        self.assertIn(swap_id, [row["swap"]["id"] for row in rows])

    def test_an_error_has_its_code_and_metadata(self) -> None:
        with self.assertRaises(RequestError) as caught:
            self.client.get_quote(**ROUTE, amount="0.0000001")
        self.assertEqual((caught.exception.status, caught.exception.code), (400, "LESS_THAN_MIN_ERROR"))
        self.assertIsInstance(caught.exception.metadata["AmountLimit"], (int, Decimal))
        with self.assertRaises(RequestError) as missing:
            self.client.get_swap("0f8fad5b-d9cb-469f-a165-70867728950e")
        self.assertEqual(missing.exception.code, "NOT_FOUND")


class Amounts(unittest.TestCase):
    def test_base_units_are_exact(self) -> None:
        self.assertEqual(to_base_units("0.29", 8), 29_000_000)
        self.assertEqual(from_base_units("123456789012345678", 18), Decimal("0.123456789012345678"))
        with self.assertRaises(Exception):
            to_base_units("0.123456789", 8)


class Webhooks(unittest.TestCase):
    BODY = '{"type":"swap.completed","schema_version":1,"timestamp":"2026-11-18T00:00:00.000Z","data":{"swap":{"status":"completed"}}}'

    def test_a_signed_delivery_is_accepted(self) -> None:
        told = verify_webhook(self.BODY, signed(self.BODY), ["whsec_AAAA", SECRET])
        self.assertEqual((told.id, told.data["swap"]["status"]), ("msg_1", "completed"))
        self.assertEqual((told.type, told.schema_version), ("swap.completed", 1))

    def test_a_test_event_is_told_from_a_swap(self) -> None:
        body = '{"type":"webhook.test","schema_version":1,"timestamp":"2026-11-18T00:00:00.000Z","data":{"webhook_id":"x"}}'
        told = verify_webhook(body, signed(body), SECRET)
        self.assertIsInstance(told, TestWebhook)
        self.assertEqual((told.type, told.data["webhook_id"]), ("webhook.test", "x"))

    def test_others_are_not(self) -> None:
        for body, headers in (
            (self.BODY + " ", signed(self.BODY)),
            (self.BODY, signed(self.BODY, "whsec_AAAA")),
            (self.BODY, signed(self.BODY, at=int(time.time()) - 3600)),
            (self.BODY, {}),
        ):
            with self.assertRaises(VerificationError):
                verify_webhook(body, headers, SECRET)


class Document(unittest.TestCase):
    def test_every_pattern_compiles(self) -> None:
        document = (Path(__file__).parents[2] / "openapi.json").read_text()
        patterns = set(json.loads(text) for text in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', document))
        self.assertGreater(len(patterns), 5)
        for pattern in patterns:
            re.compile(pattern)


if __name__ == "__main__":
    unittest.main()
