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
	Data   SwapDetails
}

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
			answer := struct {
				Data SwapDetails `json:"data"`
			}{}
			if err := json.Unmarshal(body, &answer); err != nil {
				return nil, err
			}
			return &Webhook{ID: id, SentAt: sentAt, Data: answer.Data}, nil
		}
	}
	return nil, errors.New("the webhook was not signed with this secret")
}

func headerOf(header http.Header, name string) string {
	if value := header.Get("webhook-" + name); value != "" {
		return value
	}
	return header.Get("svix-" + name)
}
