package causeway

import (
	"context"
	"time"
)

// terminal statuses: nothing more happens to a swap, unless a late deposit arrives.
var terminal = []string{"completed", "failed", "expired", "pending_refund", "refunded"}

// IsTerminal says whether a swap with this status is at its end.
func IsTerminal(status string) bool {
	return contains(terminal, status)
}

// WaitForSwap polls until the swap has a terminal status or one of until. The context ends the wait.
func (c *Client) WaitForSwap(ctx context.Context, swapID string, poll time.Duration, until ...string) (*SwapDetails, error) {
	for {
		details, err := c.GetSwap(ctx, swapID, GetSwapParams{ExcludeDepositActions: true})
		if err != nil {
			return nil, err
		}
		if status := details.Swap.Status; IsTerminal(status) || contains(until, status) {
			return details, nil
		}
		if err := sleep(ctx, poll); err != nil {
			return nil, err
		}
	}
}

func contains(list []string, wanted string) bool {
	for _, one := range list {
		if one == wanted {
			return true
		}
	}
	return false
}
