package causeway

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

const (
	from      = "ETHEREUM_SEPOLIA"
	to        = "BASE_SEPOLIA"
	recipient = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	secret    = "whsec_YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyEhISE="
)

func sandbox(t *testing.T, path string, body interface{}) {
	t.Helper()
	text, _ := json.Marshal(body)
	response, err := http.Post(os.Getenv("CAUSEWAY_URL")+path, "application/json", bytes.NewReader(text))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

func TestASwapIsQuotedCreatedPaidAndCompleted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client := New(os.Getenv("CAUSEWAY_URL"), "")
	if err := client.GetHealth(ctx); err != nil {
		t.Fatal(err)
	}
	quoted, err := client.GetQuote(ctx, GetQuoteParams{
		SourceNetwork: from, SourceToken: "ETH", DestinationNetwork: to, DestinationToken: "USDC", Amount: "0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	total := new(big.Rat).Add(quoted.Quote.BlockchainFee.Rat(), quoted.Quote.ServiceFee.Rat())
	if total.Cmp(quoted.Quote.TotalFee.Rat()) != 0 {
		t.Error("decimals are exact, so the fees add up:", quoted.Quote.TotalFee)
	}
	body := CreateSwapBody{
		SourceNetwork: from, SourceToken: "ETH", DestinationNetwork: to, DestinationToken: "USDC",
		DestinationAddress: recipient, Amount: "0.1",
	}
	created, err := client.CreateSwap(ctx, body, "go-1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.CreateSwap(ctx, body, "go-1")
	if err != nil || again.Swap.ID != created.Swap.ID {
		t.Fatal("the same idempotency key gives the same swap", again, err)
	}
	action := created.DepositActions[0]
	units, err := action.Amount.ToBaseUnits(18)
	if err != nil || units.String() != action.AmountInBaseUnits {
		t.Fatal(action.Amount, action.AmountInBaseUnits, err)
	}
	sandbox(t, "/sandbox/deposit", map[string]string{"swap_id": created.Swap.ID})
	done, err := client.WaitForSwap(ctx, created.Swap.ID, 200*time.Millisecond)
	if err != nil || done.Swap.Status != "completed" {
		t.Fatal(done, err)
	}
	if done.Swap.ReceivedAmount != "0.1" {
		t.Error("received", done.Swap.ReceivedAmount)
	}
	rows, err := client.ListSwaps(ctx, ListSwapsParams{Address: []string{recipient}})
	if err != nil || len(rows) == 0 {
		t.Fatal(rows, err)
	}
}

func TestAnErrorHasItsCode(t *testing.T) {
	client := New(os.Getenv("CAUSEWAY_URL"), "")
	_, err := client.GetSwap(context.Background(), "0f8fad5b-d9cb-469f-a165-70867728950e", GetSwapParams{})
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "NOT_FOUND" || refused.Status != 404 {
		t.Fatal(err)
	}
}

func TestBaseUnitsAreExact(t *testing.T) {
	units, err := Decimal("0.29").ToBaseUnits(8)
	if err != nil || units.Int64() != 29_000_000 {
		t.Error(units, err)
	}
	if _, err := Decimal("0.123456789").ToBaseUnits(8); err == nil {
		t.Error("too many digits")
	}
	whole, _ := new(big.Int).SetString("123456789012345678", 10)
	if got := FromBaseUnits(whole, 18); got != "0.123456789012345678" {
		t.Error(got)
	}
}

func signed(body string, with string, at time.Time) http.Header {
	key, _ := base64.StdEncoding.DecodeString(with[len("whsec_"):])
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("msg_1." + timestamp + "." + body))
	header := http.Header{}
	header.Set("webhook-id", "msg_1")
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return header
}

func TestOnlySignedAndRecentWebhooksAreAccepted(t *testing.T) {
	body, now := `{"type":"swap.completed","schema_version":1,"data":{"swap":{"status":"completed"}}}`, time.Now()
	told, err := VerifyWebhook([]byte(body), signed(body, secret, now), now, "whsec_AAAA", secret)
	if err != nil || told.ID != "msg_1" || told.Data.Swap.Status != "completed" {
		t.Fatal(told, err)
	}
	if told.Type != EventSwapCompleted || told.SchemaVersion != 1 {
		t.Error(told.Type, told.SchemaVersion)
	}
	test := `{"type":"webhook.test","schema_version":1,"timestamp":"2026-11-18T00:00:00.000Z","data":{"webhook_id":"x"}}`
	if told, err := VerifyWebhook([]byte(test), signed(test, secret, now), now, secret); err != nil || told.Type != EventTest {
		t.Error(told, err)
	}
	for name, header := range map[string]http.Header{
		"another secret": signed(body, "whsec_AAAA", now),
		"too old":        signed(body, secret, now.Add(-time.Hour)),
		"another body":   signed(body+" ", secret, now),
		"no header":      {},
	} {
		if _, err := VerifyWebhook([]byte(body), header, now, secret); err == nil {
			t.Error(name, "was accepted")
		}
	}
}

func TestEveryPatternOfTheDocumentCompiles(t *testing.T) {
	document, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`"pattern": ("(?:[^"\\]|\\.)*")`).FindAllSubmatch(document, -1)
	if len(found) < 50 {
		t.Fatal("patterns:", len(found))
	}
	for _, match := range found {
		var pattern string
		if err := json.Unmarshal(match[1], &pattern); err != nil {
			t.Fatal(err)
		}
		if _, err := regexp.Compile(pattern); err != nil {
			t.Error(err)
		}
	}
}
