package causeway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Webhook is a verified delivery.
type Webhook struct {
	// ID is the same for every attempt of one delivery: handle each once.
	ID     string
	SentAt time.Time
	// Type is one of the Event constants. Ignore types that you do not know.
	Type string
	// SchemaVersion grows when a field is removed or changes its meaning.
	SchemaVersion int64
	// Timestamp is when the swap reached the status, in ISO-8601.
	Timestamp string
	// Data is empty if Type is EventTest.
	Data SwapDetails
}

// EventTest is the type of an event that only tries an endpoint: answer 2xx and do nothing.
const EventTest = "webhook.test"

const (
	tolerance    = 5 * time.Minute
	secretPrefix = "whsec_"
)

// VerifyWebhook checks that a delivery was signed with one of the secrets and is recent, by the Standard Webhooks scheme.
// The body is the raw one: parsed and printed again it is another text.
func VerifyWebhook(body []byte, header http.Header, now time.Time, secrets ...string) (*Webhook, error) {
	id, timestamp, signatures := headerOf(header, "id"), headerOf(header, "timestamp"), headerOf(header, "signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, errors.New("the headers of a webhook are missing")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	sentAt := time.Unix(seconds, 0)
	if age := now.Sub(sentAt); err != nil || age > tolerance || age < -tolerance {
		return nil, errors.New("the webhook is too old, or from the future")
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return nil, fmt.Errorf("the secret is not a whsec_… of the service: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(signatures, " ") {
			if !hmac.Equal([]byte(wanted), []byte(given)) {
				continue
			}
			return eventIn(body, id, sentAt)
		}
	}
	return nil, errors.New("the webhook was not signed with this secret")
}

func eventIn(body []byte, id string, sentAt time.Time) (*Webhook, error) {
	event := struct {
		Type          string      `json:"type"`
		SchemaVersion int64       `json:"schema_version"`
		Timestamp     string      `json:"timestamp"`
		Data          SwapDetails `json:"data"`
	}{}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	if event.Type == "" { // A service from before typed events sends only the data.
		event.Type, event.SchemaVersion = "swap."+event.Data.Swap.Status, 1
	}
	return &Webhook{id, sentAt, event.Type, event.SchemaVersion, event.Timestamp, event.Data}, nil
}

func headerOf(header http.Header, name string) string {
	if value := header.Get("webhook-" + name); value != "" {
		return value
	}
	return header.Get("svix-" + name)
}
