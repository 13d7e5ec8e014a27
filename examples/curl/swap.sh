#!/bin/sh
# A swap with nothing but curl: quote, create, deposit, follow. Needs a sandbox at CAUSEWAY_URL.
set -eu
BASE=${CAUSEWAY_URL:-http://localhost:8080}
FROM='source_network=ETHEREUM_SEPOLIA&source_token=ETH'
TO='destination_network=BASE_SEPOLIA&destination_token=USDC'
JSON='content-type: application/json'

# The first value of a field in a JSON text. Use jq if you have it.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | head -1; }

RECEIVE=$(curl -sf "$BASE/api/v2/quote?$FROM&$TO&amount=0.1" | field receive_amount)
echo "0.1 ETH delivers $RECEIVE USDC"

# One idempotency key per order: the same request sent twice makes one swap.
CREATED=$(curl -sf "$BASE/api/v2/swaps" -H "$JSON" -H "Idempotency-Key: order-$$" -d '{
  "source_network": "ETHEREUM_SEPOLIA", "source_token": "ETH",
  "destination_network": "BASE_SEPOLIA", "destination_token": "USDC",
  "destination_address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "refund_address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "amount": "0.1"
}')
ID=$(echo "$CREATED" | grep -o '"swap":{"id":"[^"]*"' | cut -d'"' -f6)
echo "swap $ID"

# On a real network your wallet sends what deposit_actions says. Here a test account does it.
curl -sf "$BASE/sandbox/deposit" -H "$JSON" -d "{\"swap_id\":\"$ID\"}" > /dev/null

# The event stream ends after a terminal status.
curl -sfN "$BASE/api/v2/swaps/$ID/events" | grep '^id: ' | tail -1
