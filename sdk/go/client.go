// Package causeway is a client of the Causeway swap API. It uses the standard library only, and amounts are exact decimals.
package causeway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls one service. Its fields may be changed before the first call.
type Client struct {
	// BaseURL is the service's address, such as https://swap.example.
	BaseURL string
	// APIKey is optional.
	APIKey string
	// HTTP has the timeout of one attempt.
	HTTP *http.Client
	// Retries is how often a call that is safe to retry is retried.
	Retries int
	// MaxWait is the longest wait that the service may ask for; a longer one fails at once.
	MaxWait time.Duration
}

// New makes a client with the usual settings.
func New(baseURL string, apiKey string) *Client {
	return &Client{
		BaseURL: strings.TrimRight(baseURL, "/"),
		APIKey:  apiKey,
		HTTP:    &http.Client{Timeout: 30 * time.Second},
		Retries: 3,
		MaxWait: 30 * time.Second,
	}
}

// Error is an error that the service answered with. Decide by Code, never by Message.
type Error struct {
	Status   int
	Code     string                 `json:"code"`
	Message  string                 `json:"message"`
	Metadata map[string]interface{} `json:"metadata"`
	// CorrelationID: give this to the operator when you report a problem.
	CorrelationID string
	// RetryAfter is how long the service asks to wait, or 0.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	return e.Code + ": " + e.Message
}

const firstPause = 300 * time.Millisecond

type request struct {
	method         string
	path           string
	query          url.Values
	body           interface{}
	idempotencyKey string
	// isBare: the answer has no envelope.
	isBare bool
}

// call sends a request, again if that is safe and may help, and decodes the answer.
func (c *Client) call(ctx context.Context, made request, result interface{}) error {
	var body []byte
	if made.body != nil {
		var err error
		if body, err = json.Marshal(made.body); err != nil {
			return err
		}
	}
	mayRepeat := made.method != http.MethodPost || made.idempotencyKey != ""
	for done := 0; ; done++ {
		err := c.attempt(ctx, made, body, result)
		if err == nil {
			return nil
		}
		wait, helps := waitFor(err, done)
		if !mayRepeat || !helps || done >= c.Retries || wait > c.MaxWait || ctx.Err() != nil {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (c *Client) attempt(ctx context.Context, made request, body []byte, result interface{}) error {
	address := c.BaseURL + made.path
	if text := made.query.Encode(); text != "" {
		address += "?" + text
	}
	sent, err := http.NewRequestWithContext(ctx, made.method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	if c.APIKey != "" {
		sent.Header.Set("X-LS-APIKEY", c.APIKey)
	}
	if made.idempotencyKey != "" {
		sent.Header.Set("Idempotency-Key", made.idempotencyKey)
	}
	response, err := c.HTTP.Do(sent)
	if err != nil {
		return &noAnswer{err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return &noAnswer{err}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusal(response, text)
	}
	if result == nil || len(text) == 0 {
		return nil
	}
	if made.isBare {
		return json.Unmarshal(text, result)
	}
	return json.Unmarshal(text, &struct {
		Data interface{} `json:"data"`
	}{result})
}

// noAnswer: the connection failed or timed out. The request may have been carried out.
type noAnswer struct{ cause error }

func (e *noAnswer) Error() string { return "no answer: " + e.cause.Error() }
func (e *noAnswer) Unwrap() error { return e.cause }

func refusal(response *http.Response, text []byte) error {
	answer := struct {
		Error *Error `json:"error"`
	}{}
	if json.Unmarshal(text, &answer) != nil || answer.Error == nil {
		answer.Error = &Error{Code: "UNEXPECTED_ERROR", Message: "answered " + response.Status}
	}
	answer.Error.Status = response.StatusCode
	answer.Error.CorrelationID = response.Header.Get("X-LS-CORRELATION-ID")
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		answer.Error.RetryAfter = time.Duration(seconds) * time.Second
	}
	return answer.Error
}

// waitFor says how long to wait before a retry, and whether one may help at all.
func waitFor(err error, done int) (time.Duration, bool) {
	pause := firstPause << done
	var lost *noAnswer
	if errors.As(err, &lost) {
		return pause, true
	}
	var refused *Error
	if !errors.As(err, &refused) {
		return 0, false
	}
	switch refused.Status {
	case 429, 500, 502, 503, 504:
		if refused.RetryAfter > 0 {
			return refused.RetryAfter, true
		}
		return pause, true
	}
	return 0, false
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// keyOrNew makes a call safe to retry. Store your own key with your order, to be safe across restarts too.
func keyOrNew(key string) string {
	if key != "" {
		return key
	}
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", bytes)
}

func setText(query url.Values, name string, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func setList(query url.Values, name string, values []string) {
	for _, value := range values {
		query.Add(name, value)
	}
}

func setBool(query url.Values, name string, value bool) {
	if value {
		query.Set(name, "true")
	}
}

func setInt(query url.Values, name string, value int64) {
	if value != 0 {
		query.Set(name, strconv.FormatInt(value, 10))
	}
}

func setDecimal(query url.Values, name string, value Decimal) {
	setText(query, name, string(value))
}
