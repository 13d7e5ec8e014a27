// A swap with the Go client: quote, create, deposit, wait. Needs a sandbox at CAUSEWAY_URL.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"causeway"
)

const (
	source      = "ETHEREUM_SEPOLIA"
	destination = "BASE_SEPOLIA"
	recipient   = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

func main() {
	url := os.Getenv("CAUSEWAY_URL")
	if url == "" {
		url = "http://localhost:8080"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := swap(ctx, url); err != nil {
		log.Fatal(err)
	}
}

func swap(ctx context.Context, url string) error {
	client := causeway.New(url, "")
	quoted, err := client.GetQuote(ctx, causeway.GetQuoteParams{
		SourceNetwork: source, SourceToken: "ETH", DestinationNetwork: destination, DestinationToken: "USDC", Amount: "0.1",
	})
	if err != nil {
		return err
	}
	fmt.Printf("0.1 ETH delivers %s USDC\n", quoted.Quote.ReceiveAmount)

	// An empty idempotency key stands for a new one. Give your own, stored with your order, to survive a crash.
	created, err := client.CreateSwap(ctx, causeway.CreateSwapBody{
		SourceNetwork: source, SourceToken: "ETH", DestinationNetwork: destination, DestinationToken: "USDC",
		Amount: "0.1", DestinationAddress: recipient,
	}, "")
	if err != nil {
		return err
	}
	fmt.Println("swap", created.Swap.ID)

	if err := sendDeposit(url, created.Swap.ID); err != nil {
		return err
	}
	done, err := client.WaitForSwap(ctx, created.Swap.ID, 500*time.Millisecond)
	if err != nil {
		return err
	}
	for _, one := range done.Swap.Transactions {
		if one.Type == "output" {
			fmt.Printf("%s: %s USDC arrived\n", done.Swap.Status, one.Amount)
		}
	}
	return nil
}

// On a real network a wallet sends what the deposit actions say. Here a test account does it.
func sendDeposit(url, swapID string) error {
	answer, err := http.Post(url+"/sandbox/deposit", "application/json", strings.NewReader(`{"swap_id":"`+swapID+`"}`))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the sandbox answered %s", answer.Status)
	}
	return nil
}
