// Code generated from the OpenAPI document by "npm run clients". DO NOT EDIT.

package causeway

import (
	"context"
	"net/url"
)

// The types of webhook events about swaps.
const (
	EventSwapUserTransferPending = "swap.user_transfer_pending"
	EventSwapLsTransferPending   = "swap.ls_transfer_pending"
	EventSwapCompleted           = "swap.completed"
	EventSwapFailed              = "swap.failed"
	EventSwapExpired             = "swap.expired"
	EventSwapRefundPending       = "swap.refund_pending"
	EventSwapPendingRefund       = "swap.pending_refund"
	EventSwapRefunded            = "swap.refunded"
)

// Analytics is a shape of the API.
type Analytics struct {
	GeneratedAt       string                           `json:"generated_at"`
	Range             AnalyticsRange                   `json:"range"`
	AvailableNetworks []AnalyticsAvailableNetworksItem `json:"available_networks"`
	Networks          []NetworkVolumes                 `json:"networks"`
}

// AnalyticsAvailableNetworksItem is a shape of the API.
type AnalyticsAvailableNetworksItem struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Logo        string `json:"logo"`
}

// AnalyticsRange is a shape of the API.
type AnalyticsRange struct {
	From       string `json:"from"`
	To         string `json:"to"`
	BucketSize string `json:"bucket_size"`
}

// App is a shape of the API.
type App struct {
	ID string `json:"id"`
	// ClientID: The same as id
	ClientID    string `json:"client_id"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Logo        string `json:"logo"`
	LogoURL     string `json:"logo_url"`
	IsWallet    bool   `json:"is_wallet"`
}

// Authorization is a shape of the API.
type Authorization struct {
	Status string `json:"status"`
	// Transaction: Null until the authorization is on chain
	Transaction *Transaction `json:"transaction"`
}

// AuthorizeBody is a shape of the API.
type AuthorizeBody struct {
	// Signature: The signature of typed_data, in hex
	Signature string `json:"signature"`
	// SignerAddress: The signer: the swap's source_address
	SignerAddress string `json:"signer_address"`
}

// Balance is a shape of the API.
type Balance struct {
	Amount            Decimal `json:"amount"`
	AmountInBaseUnits string  `json:"amount_in_base_units"`
	// NativeAmountInBaseUnits: The owner's balance of the token that pays network fees
	NativeAmountInBaseUnits string `json:"native_amount_in_base_units"`
	// TransferCostInBaseUnits: The approximate cost of sending the token, in the native token
	TransferCostInBaseUnits string `json:"transfer_cost_in_base_units"`
}

// Campaign is a shape of the API.
type Campaign struct {
	// ID: The id that other calls use; the name works too
	ID                 int64   `json:"id"`
	Name               string  `json:"name"`
	DisplayName        string  `json:"display_name"`
	Description        *string `json:"description"`
	LogoURL            *string `json:"logo_url"`
	Type               string  `json:"type"`
	Status             string  `json:"status"`
	NftContractAddress *string `json:"nft_contract_address"`
	Token              Token   `json:"token"`
	Network            Network `json:"network"`
	// Percentage: The share of the service fee that is paid as a reward, in percent; 50 is half
	Percentage  Decimal `json:"percentage"`
	TotalBudget Decimal `json:"total_budget"`
	// DistributedAmount: The amount earned so far
	DistributedAmount Decimal `json:"distributed_amount"`
	// MinPayoutAmount: The smallest payout; a smaller amount waits for the next period
	MinPayoutAmount Decimal `json:"min_payout_amount"`
	MaxPayoutAmount Decimal `json:"max_payout_amount"`
	StartDate       string  `json:"start_date"`
	EndDate         string  `json:"end_date"`
	// RewardLimitPeriod: The length of a period in days. Rewards of a period are paid after it
	RewardLimitPeriod int64 `json:"reward_limit_period"`
}

// CheckedAddress is a shape of the API.
type CheckedAddress struct {
	Valid bool `json:"valid"`
	// Address: The address in the canonical form of its network
	Address *string `json:"address"`
	// Blocked: True if the service does not pay to this address: the money would be lost, the address is ours, or it is screened
	Blocked bool `json:"blocked"`
	// Contract: Whether the address is a contract; null if unknown
	Contract *bool `json:"contract"`
	// Activated: Whether the account is activated; null if unknown, or if this network has no activation
	Activated *bool `json:"activated"`
}

// CreateSwapBody is a shape of the API.
type CreateSwapBody struct {
	// SourceNetwork: A network's name, or an EVM network's chain id
	SourceNetwork string `json:"source_network"`
	// SourceToken: A token's symbol or contract address; for a native token the family's zero address works too
	SourceToken string `json:"source_token"`
	// DestinationNetwork: A network's name, or an EVM network's chain id
	DestinationNetwork string `json:"destination_network"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token"`
	// DestinationAddress: The recipient on the destination network
	DestinationAddress string `json:"destination_address"`
	// Amount: In whole source tokens, as a number or as text, which stays exact. May be absent with use_deposit_address: any amount inside the limits is swapped
	Amount Decimal `json:"amount,omitempty"`
	// SourceAddress: Who pays. Needed with use_gasless, and on networks whose transaction is built for its payer (Solana)
	SourceAddress string `json:"source_address,omitempty"`
	// RefundAddress: Where the money goes back to, on the source network. Always give one with use_deposit_address: the sender may be an exchange
	RefundAddress string `json:"refund_address,omitempty"`
	// ReferenceID: Your own reference for the swap. Only your secret key can read it and search by it
	ReferenceID string `json:"reference_id,omitempty"`
	// AppName: A label chosen by the caller, for the operator
	AppName string `json:"app_name,omitempty"`
	// Slippage: By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent
	Slippage Decimal `json:"slippage,omitempty"`
	// Refuel: Deliver a little of the destination network's native token too, so that its receiver can pay fees
	Refuel bool `json:"refuel,omitempty"`
	// UseDepositAddress: Creates a deposit address for this swap. A deposit there from any sender pays for the swap
	UseDepositAddress bool `json:"use_deposit_address,omitempty"`
	// UseDepository: Deposit through the Depository contract
	UseDepository bool `json:"use_depository,omitempty"`
	// UseGasless: Gasless deposit: source_address signs it and the service sends it
	UseGasless bool `json:"use_gasless,omitempty"`
	// UseNewDepositAddress: With a secret key: do not use the address of an earlier swap of the same route, recipient and refund address
	UseNewDepositAddress bool `json:"use_new_deposit_address,omitempty"`
	// ForceUserExecution: The depositor sends the deposit: use_gasless is ignored. If the route begins with an exchange on the source network and its family can, the depositor makes that exchange, too: deposit_actions are the approval and the call, `legs` says made_by depositor, and refunds are in the token that the exchange gives. Otherwise, and with use_deposit_address or use_depository, the service makes it
	ForceUserExecution bool `json:"force_user_execution,omitempty"`
	// SourceExchange: The name of an exchange in /source_exchanges
	SourceExchange string `json:"source_exchange,omitempty"`
	// DestinationExchange: The name of an exchange in /source_exchanges
	DestinationExchange string `json:"destination_exchange,omitempty"`
}

// CreateWebhookBody is a shape of the API.
type CreateWebhookBody struct {
	// URL: An https URL. Adding the same URL again creates a new secret
	URL string `json:"url"`
	// EventTypes: Only these types of events; all types if absent
	EventTypes []string `json:"event_types,omitempty"`
}

// CreatedSwap is a shape of the API.
type CreatedSwap struct {
	Quote          Quote           `json:"quote"`
	Refuel         *Refuel         `json:"refuel"`
	Reward         *Reward         `json:"reward"`
	Swap           Swap            `json:"swap"`
	DepositActions []DepositAction `json:"deposit_actions"`
	// Signature: Proves that the service made the quote and the deposit actions
	Signature QuoteSignature `json:"signature"`
}

// CreatedWebhook is a shape of the API.
type CreatedWebhook struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// EventTypes: The types of events that the endpoint receives; null for all types, including future ones
	EventTypes  []string `json:"event_types"`
	CreatedDate string   `json:"created_date"`
	// Secret: The secret for verifying deliveries, whsec_…. It is shown only once
	Secret string `json:"secret"`
}

// DepositAction is a shape of the API.
type DepositAction struct {
	// Type: transfer: submit the transaction. manual_transfer: pay to the address. sign: sign typed_data, then POST …/authorize
	Type string `json:"type"`
	// ToAddress: Read it for every swap: it may differ between swaps
	ToAddress string `json:"to_address"`
	// Amount: The value of the transaction itself: 0 if the amount is inside call_data, or is open
	Amount Decimal `json:"amount"`
	// AmountInBaseUnits: The same, exactly. Send this
	AmountInBaseUnits string `json:"amount_in_base_units"`
	// CallData: The call data, to be submitted unchanged: it names the swap
	CallData *string `json:"call_data"`
	Network  Network `json:"network"`
	Token    Token   `json:"token"`
	FeeToken Token   `json:"fee_token"`
	// Order: If there are several actions, carry them out in ascending order
	Order int64 `json:"order"`
	// GasLimit: The suggested gas limit; Depository only
	GasLimit *string `json:"gas_limit"`
	// EncodedArgs: Depository: the arguments id and receiver, or id, token, receiver and amount. Cosmos, if source_address was given: denomination, account number, sequence, gas, fee, denomination of the fee, and key type
	EncodedArgs []string `json:"encoded_args"`
	// ValidAfter: Gasless only: Unix seconds
	ValidAfter *Decimal `json:"valid_after"`
	// ValidBefore: Gasless only: submit the signature before this time
	ValidBefore *Decimal `json:"valid_before"`
	// Nonce: Gasless only
	Nonce *string `json:"nonce"`
	// TypedData: Gasless only: EIP-712 typed data, to be signed unchanged
	TypedData interface{} `json:"typed_data"`
}

// EarnedRewards is a shape of the API.
type EarnedRewards struct {
	UserReward EarnedRewardsUserReward `json:"user_reward"`
	// NextAirdropDate: When this period ends; null after the end of the campaign
	NextAirdropDate *string                    `json:"next_airdrop_date"`
	Address         string                     `json:"address"`
	Rewards         []EarnedRewardsRewardsItem `json:"rewards"`
}

// EarnedRewardsRewardsItem is a shape of the API.
type EarnedRewardsRewardsItem struct {
	SwapID      string  `json:"swap_id"`
	Date        string  `json:"date"`
	Period      int64   `json:"period"`
	Amount      Decimal `json:"amount"`
	AmountInUSD Decimal `json:"amount_in_usd"`
}

// EarnedRewardsUserReward is a shape of the API.
type EarnedRewardsUserReward struct {
	// PeriodPendingAmount: The amount earned in this period and not paid yet
	PeriodPendingAmount Decimal `json:"period_pending_amount"`
	TotalAmount         Decimal `json:"total_amount"`
	TotalAmountInUSD    Decimal `json:"total_amount_in_usd"`
	// TotalPendingAmount: The amount earned and not paid yet
	TotalPendingAmount Decimal `json:"total_pending_amount"`
	// Position: The rank on the leaderboard; 0 if nothing was earned
	Position int64 `json:"position"`
}

// Earner is a shape of the API.
type Earner struct {
	Position    int64   `json:"position"`
	Address     string  `json:"address"`
	Swaps       int64   `json:"swaps"`
	Amount      Decimal `json:"amount"`
	AmountInUSD Decimal `json:"amount_in_usd"`
}

// Exchange is a shape of the API.
type Exchange struct {
	Name        string           `json:"name"`
	DisplayName string           `json:"display_name"`
	Logo        string           `json:"logo"`
	Metadata    ExchangeMetadata `json:"metadata"`
}

// ExchangeMetadata is a shape of the API.
type ExchangeMetadata struct {
	Oauth *ExchangeMetadataOauth `json:"oauth"`
	// OAuth: The same as oauth, under the name that clients read
	OAuth       *ExchangeMetadataOAuth `json:"o_auth"`
	ListingDate string                 `json:"listing_date"`
}

// ExchangeMetadataOAuth is a shape of the API.
type ExchangeMetadataOAuth struct {
	AuthorizeURL string `json:"authorize_url"`
	ConnectURL   string `json:"connect_url"`
}

// ExchangeMetadataOauth is a shape of the API.
type ExchangeMetadataOauth struct {
	AuthorizeURL string `json:"authorize_url"`
	ConnectURL   string `json:"connect_url"`
}

// ExplorerRow is a shape of the API.
type ExplorerRow struct {
	Quote  Quote   `json:"quote"`
	Refuel *Refuel `json:"refuel"`
	Swap   Swap    `json:"swap"`
}

// Leaderboard is a shape of the API.
type Leaderboard struct {
	Leaderboard []Earner `json:"leaderboard"`
	// LeaderboardBudget: An extra reward for the first earners; 0 if there is none
	LeaderboardBudget Decimal  `json:"leaderboard_budget"`
	Campaign          Campaign `json:"campaign"`
}

// Leg is a shape of the API.
type Leg struct {
	// Type: sale: the deposited token is sold on the source network. purchase: the destination token is bought for the recipient
	Type string `json:"type"`
	// MadeBy: depositor: its own transaction makes the exchange, by force_user_execution
	MadeBy string `json:"made_by"`
	// Provider: The exchange of the quote's path, or the aggregator that executes it
	Provider    string  `json:"provider"`
	Network     Network `json:"network"`
	SoldToken   Token   `json:"sold_token"`
	SoldAmount  Decimal `json:"sold_amount"`
	BoughtToken Token   `json:"bought_token"`
	// BoughtAmount: The amount that the exchange gave; null until it is confirmed
	BoughtAmount *Decimal `json:"bought_amount"`
	// MinBoughtAmount: With less the exchange reverts
	MinBoughtAmount Decimal `json:"min_bought_amount"`
	// Status: As of a transaction
	Status          string  `json:"status"`
	TransactionHash *string `json:"transaction_hash"`
	Timestamp       string  `json:"timestamp"`
}

// Limits is a shape of the API.
type Limits struct {
	MinAmount      Decimal `json:"min_amount"`
	MinAmountInUSD Decimal `json:"min_amount_in_usd"`
	MaxAmount      Decimal `json:"max_amount"`
	MaxAmountInUSD Decimal `json:"max_amount_in_usd"`
}

// ListedNetwork is a shape of the API.
type ListedNetwork struct {
	Name                        string   `json:"name"`
	DisplayName                 string   `json:"display_name"`
	Logo                        string   `json:"logo"`
	ChainID                     *string  `json:"chain_id"`
	NodeURL                     *string  `json:"node_url"`
	Nodes                       []string `json:"nodes"`
	Type                        string   `json:"type"`
	TransactionExplorerTemplate string   `json:"transaction_explorer_template"`
	AccountExplorerTemplate     string   `json:"account_explorer_template"`
	SourceRank                  int64    `json:"source_rank"`
	DestinationRank             int64    `json:"destination_rank"`
	// Token: The network's native token
	Token          Token           `json:"token"`
	Metadata       NetworkMetadata `json:"metadata"`
	DepositMethods []string        `json:"deposit_methods"`
	// Notice: What people should know: why the network is closed, or that it is no public network. Absent if nothing
	Notice string  `json:"notice,omitempty"`
	Tokens []Token `json:"tokens"`
}

// ListedSwap is a shape of the API.
type ListedSwap struct {
	Quote  Quote   `json:"quote"`
	Refuel *Refuel `json:"refuel"`
	Reward *Reward `json:"reward"`
	Swap   Swap    `json:"swap"`
}

// Network is a shape of the API.
type Network struct {
	Name                        string   `json:"name"`
	DisplayName                 string   `json:"display_name"`
	Logo                        string   `json:"logo"`
	ChainID                     *string  `json:"chain_id"`
	NodeURL                     *string  `json:"node_url"`
	Nodes                       []string `json:"nodes"`
	Type                        string   `json:"type"`
	TransactionExplorerTemplate string   `json:"transaction_explorer_template"`
	AccountExplorerTemplate     string   `json:"account_explorer_template"`
	SourceRank                  int64    `json:"source_rank"`
	DestinationRank             int64    `json:"destination_rank"`
	// Token: The network's native token
	Token          Token           `json:"token"`
	Metadata       NetworkMetadata `json:"metadata"`
	DepositMethods []string        `json:"deposit_methods"`
	// Notice: What people should know: why the network is closed, or that it is no public network. Absent if nothing
	Notice string `json:"notice,omitempty"`
}

// NetworkMetadata is a shape of the API.
type NetworkMetadata struct {
	ListingDate          string  `json:"listing_date"`
	EvmOracleContract    *string `json:"evm_oracle_contract"`
	EvmMulticallContract *string `json:"evm_multicall_contract"`
	ZksPaymasterContract *string `json:"zks_paymaster_contract"`
	WatchdogContract     *string `json:"watchdog_contract"`
}

// NetworkStatus is a shape of the API.
type NetworkStatus struct {
	Network     string `json:"network"`
	DisplayName string `json:"display_name"`
	Logo        string `json:"logo"`
	// State: behind: its newest block is old. down: none of its nodes answers. unknown: not checked yet
	State string `json:"state"`
	// Paused: True if no new swaps from or to the network are accepted
	Paused bool `json:"paused"`
	// Notice: As in the list of networks, such as that it is no public network
	Notice string `json:"notice,omitempty"`
	// LastBlockAt: When its newest block was seen
	LastBlockAt *string `json:"last_block_at"`
	// Uptime: The share of checks at which it was up, over all days below
	Uptime *Decimal                `json:"uptime"`
	Days   []NetworkStatusDaysItem `json:"days"`
}

// NetworkStatusDaysItem is a shape of the API.
type NetworkStatusDaysItem struct {
	// Day: The day in UTC
	Day    string  `json:"day"`
	Uptime Decimal `json:"uptime"`
}

// NetworkVolumes is a shape of the API.
type NetworkVolumes struct {
	Network  string                       `json:"network"`
	Totals   NetworkVolumesTotals         `json:"totals"`
	Timeline []NetworkVolumesTimelineItem `json:"timeline"`
	Assets   []NetworkVolumesAssetsItem   `json:"assets"`
	// SourceChains: The networks from which this outflow came
	SourceChains []NetworkVolumesSourceChainsItem `json:"source_chains"`
	// DestinationChains: The networks to which this inflow went
	DestinationChains []NetworkVolumesDestinationChainsItem `json:"destination_chains"`
}

// NetworkVolumesAssetsItem is a shape of the API.
type NetworkVolumesAssetsItem struct {
	Asset   string                          `json:"asset"`
	Logo    string                          `json:"logo"`
	Inflow  NetworkVolumesAssetsItemInflow  `json:"inflow"`
	Outflow NetworkVolumesAssetsItemOutflow `json:"outflow"`
}

// NetworkVolumesAssetsItemInflow is a shape of the API.
type NetworkVolumesAssetsItemInflow struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
	TokenAmount   Decimal `json:"token_amount"`
}

// NetworkVolumesAssetsItemOutflow is a shape of the API.
type NetworkVolumesAssetsItemOutflow struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
	TokenAmount   Decimal `json:"token_amount"`
}

// NetworkVolumesDestinationChainsItem is a shape of the API.
type NetworkVolumesDestinationChainsItem struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
	Network       string  `json:"network"`
}

// NetworkVolumesSourceChainsItem is a shape of the API.
type NetworkVolumesSourceChainsItem struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
	Network       string  `json:"network"`
}

// NetworkVolumesTimelineItem is a shape of the API.
type NetworkVolumesTimelineItem struct {
	BucketStart          string  `json:"bucket_start"`
	InflowTransferCount  int64   `json:"inflow_transfer_count"`
	OutflowTransferCount int64   `json:"outflow_transfer_count"`
	InflowAmountInUSD    Decimal `json:"inflow_amount_in_usd"`
	OutflowAmountInUSD   Decimal `json:"outflow_amount_in_usd"`
}

// NetworkVolumesTotals is a shape of the API.
type NetworkVolumesTotals struct {
	// Inflow: Deposits on this network
	Inflow NetworkVolumesTotalsInflow `json:"inflow"`
	// Outflow: Payouts on this network
	Outflow NetworkVolumesTotalsOutflow `json:"outflow"`
	// NetAmountInUSD: inflow - outflow
	NetAmountInUSD Decimal `json:"net_amount_in_usd"`
}

// NetworkVolumesTotalsInflow is a shape of the API.
type NetworkVolumesTotalsInflow struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
}

// NetworkVolumesTotalsOutflow is a shape of the API.
type NetworkVolumesTotalsOutflow struct {
	TransferCount int64   `json:"transfer_count"`
	AmountInUSD   Decimal `json:"amount_in_usd"`
}

// Nothing is a shape of the API.
type Nothing struct {
}

// Owed is a shape of the API.
type Owed struct {
	// Amount: In the source token
	Amount            Decimal `json:"amount"`
	AmountInBaseUnits string  `json:"amount_in_base_units"`
	// Address: The address to which it is refunded automatically; null if an address is needed, or there are several
	Address *string `json:"address"`
	// NeedsAddress: True if all or a part of it waits until POST /swaps/{swapId}/refund_address sets an address
	NeedsAddress bool `json:"needs_address"`
	// Message: The owed amount and the next step, as text for the user
	Message string `json:"message"`
}

// Quote is a shape of the API.
type Quote struct {
	// TotalFee: blockchain_fee + service_fee, in the source token
	TotalFee           Decimal `json:"total_fee"`
	TotalFeeInUSD      Decimal `json:"total_fee_in_usd"`
	SourceNetwork      Network `json:"source_network"`
	SourceToken        Token   `json:"source_token"`
	DestinationNetwork Network `json:"destination_network"`
	DestinationToken   Token   `json:"destination_token"`
	// RequestedAmount: 0 if the amount is open
	RequestedAmount Decimal `json:"requested_amount"`
	// ReceiveAmount: (requested_amount - total_fee - refuel_in_source) * rate, rounded down
	ReceiveAmount Decimal `json:"receive_amount"`
	// FeeDiscount: The discount on the fees, in the source token
	FeeDiscount Decimal `json:"fee_discount"`
	// MinReceiveAmount: receive_amount * (1 - slippage): if the swap would deliver less, the deposit is refunded
	MinReceiveAmount Decimal `json:"min_receive_amount"`
	// BlockchainFee: The fees of the networks, in the source token
	BlockchainFee Decimal `json:"blockchain_fee"`
	// ServiceFee: The fee of the service, in the source token
	ServiceFee Decimal `json:"service_fee"`
	// AvgCompletionTime: How long such swaps take, as hh:mm:ss
	AvgCompletionTime string `json:"avg_completion_time"`
	// RefuelInSource: The cost of the refuel, in the source token
	RefuelInSource Decimal `json:"refuel_in_source"`
	// Slippage: A fraction: 0.01 is one percent
	Slippage Decimal `json:"slippage"`
	// Rate: Destination tokens for one source token, before fees
	Rate Decimal `json:"rate"`
	// ExpiresAt: Until then a deposit in a block is paid as quoted, unless the price moved too far; null while the amount is open
	ExpiresAt *string         `json:"expires_at"`
	Path      []QuotePathItem `json:"path"`
	// PriceImpact: How much less the exchanges on the path give than at their present prices, because of the amount. A fraction; null without an exchange
	PriceImpact *Decimal `json:"price_impact"`
	// Warnings: Warnings for the user, such as `HIGH_SLIPPAGE` above 5 percent. More codes may be added
	Warnings []QuoteWarningsItem `json:"warnings"`
}

// QuotePathItem is a shape of the API.
type QuotePathItem struct {
	Provider string `json:"provider"`
	Order    int64  `json:"order"`
}

// QuoteSignature is a shape of the API.
type QuoteSignature struct {
	// KeyID: The id of the key in /.well-known/causeway.json
	KeyID     string `json:"key_id"`
	Algorithm string `json:"algorithm"`
	SignedAt  string `json:"signed_at"`
	// Value: The signature of the canonical JSON of the statement
	Value string `json:"value"`
}

// QuoteTier is a shape of the API.
type QuoteTier struct {
	AvgCompletionMilliseconds int64   `json:"avg_completion_milliseconds"`
	MinAmount                 Decimal `json:"min_amount"`
	MinAmountInUSD            Decimal `json:"min_amount_in_usd"`
	MaxAmount                 Decimal `json:"max_amount"`
	MaxAmountInUSD            Decimal `json:"max_amount_in_usd"`
	// FeeAmountForMin: The whole fee of min_amount, in the source token
	FeeAmountForMin Decimal `json:"fee_amount_for_min"`
	FeeAmountForMax Decimal `json:"fee_amount_for_max"`
	// TotalPercentageFee: A percentage of the amount: 0.1 is a thousandth
	TotalPercentageFee    Decimal             `json:"total_percentage_fee"`
	TotalFixedFeeInUSD    Decimal             `json:"total_fixed_fee_in_usd"`
	TotalFixedFeeInSource Decimal             `json:"total_fixed_fee_in_source"`
	Path                  []QuoteTierPathItem `json:"path"`
}

// QuoteTierPathItem is a shape of the API.
type QuoteTierPathItem struct {
	// ID: Unique among the steps of this response
	ID                 int64   `json:"id"`
	Order              int64   `json:"order"`
	Provider           string  `json:"provider"`
	ProviderName       string  `json:"provider_name"`
	SourceNetwork      Network `json:"source_network"`
	SourceToken        Token   `json:"source_token"`
	DestinationNetwork Network `json:"destination_network"`
	DestinationToken   Token   `json:"destination_token"`
	// ServiceFeePercentage: A percentage of the amount: 0.1 is a thousandth
	ServiceFeePercentage Decimal `json:"service_fee_percentage"`
	// ServiceFeeInUSD: The fixed part of the fee
	ServiceFeeInUSD Decimal `json:"service_fee_in_usd"`
	// ServiceFeeInSource: The fixed part of the fee
	ServiceFeeInSource Decimal `json:"service_fee_in_source"`
	ExpenseInUSD       Decimal `json:"expense_in_usd"`
	ExpenseInSource    Decimal `json:"expense_in_source"`
	// ExpenseFeeInUSD: The same as expense_in_usd, under the name that clients read
	ExpenseFeeInUSD Decimal `json:"expense_fee_in_usd"`
	// ExpenseFeePercentage: 0: networks charge for a transfer, whatever its amount
	ExpenseFeePercentage Decimal `json:"expense_fee_percentage"`
	// FeeInSource: All fixed fees together
	FeeInSource Decimal `json:"fee_in_source"`
	// FeeInUSD: All fixed fees together
	FeeInUSD                  Decimal `json:"fee_in_usd"`
	AvgCompletionMilliseconds int64   `json:"avg_completion_milliseconds"`
}

// QuoteWarningsItem is a shape of the API.
type QuoteWarningsItem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Quoted is a shape of the API.
type Quoted struct {
	Quote  Quote   `json:"quote"`
	Refuel *Refuel `json:"refuel"`
	Reward *Reward `json:"reward"`
}

// Refuel is a shape of the API.
type Refuel struct {
	Token       Token   `json:"token"`
	Network     Network `json:"network"`
	Amount      Decimal `json:"amount"`
	AmountInUSD Decimal `json:"amount_in_usd"`
}

// RefundAddressBody is a shape of the API.
type RefundAddressBody struct {
	// RefundAddress: An address of the source network
	RefundAddress string `json:"refund_address"`
	// Signature: A signature by the address that sent the deposit, over the text that names swap, network and refund address
	Signature string `json:"signature,omitempty"`
}

// ReplayBody is a shape of the API.
type ReplayBody struct {
	// SwapID: A swap of the key's app
	SwapID string `json:"swap_id"`
}

// Replayed is a shape of the API.
type Replayed struct {
	// Deliveries: The number of events that are sent again
	Deliveries int64 `json:"deliveries"`
}

// Reward is a shape of the API.
type Reward struct {
	Token              Token   `json:"token"`
	Network            Network `json:"network"`
	Amount             Decimal `json:"amount"`
	AmountInUSD        Decimal `json:"amount_in_usd"`
	CampaignType       string  `json:"campaign_type"`
	NftContractAddress *string `json:"nft_contract_address"`
}

// RewardPayout is a shape of the API.
type RewardPayout struct {
	// Status: initiated: sent and not confirmed yet
	Status string `json:"status"`
	// Date: When it was confirmed; before that, when it was sent or ordered
	Date string `json:"date"`
	// Period: The last period that the payout covers
	Period        int64   `json:"period"`
	Amount        Decimal `json:"amount"`
	TransactionID *string `json:"transaction_id"`
}

// RouteHealth is a shape of the API.
type RouteHealth struct {
	SourceNetwork      string `json:"source_network"`
	DestinationNetwork string `json:"destination_network"`
	// Swaps: The number of swaps that were considered
	Swaps     int64 `json:"swaps"`
	Completed int64 `json:"completed"`
	// MedianSeconds: Measured from the first sighting of the deposit; null if no swap completed
	MedianSeconds *Decimal `json:"median_seconds"`
	P95Seconds    *Decimal `json:"p95_seconds"`
}

// RouteNetwork is a shape of the API.
type RouteNetwork struct {
	Name                        string   `json:"name"`
	DisplayName                 string   `json:"display_name"`
	Logo                        string   `json:"logo"`
	ChainID                     *string  `json:"chain_id"`
	NodeURL                     *string  `json:"node_url"`
	Nodes                       []string `json:"nodes"`
	Type                        string   `json:"type"`
	TransactionExplorerTemplate string   `json:"transaction_explorer_template"`
	AccountExplorerTemplate     string   `json:"account_explorer_template"`
	SourceRank                  int64    `json:"source_rank"`
	DestinationRank             int64    `json:"destination_rank"`
	// Token: The network's native token
	Token          Token           `json:"token"`
	Metadata       NetworkMetadata `json:"metadata"`
	DepositMethods []string        `json:"deposit_methods"`
	// Notice: What people should know: why the network is closed, or that it is no public network. Absent if nothing
	Notice string       `json:"notice,omitempty"`
	Tokens []RouteToken `json:"tokens"`
}

// RouteToken is a shape of the API.
type RouteToken struct {
	// Symbol: A label that may change: identify tokens by their contract or their group
	Symbol       string `json:"symbol"`
	DisplayAsset string `json:"display_asset"`
	Logo         string `json:"logo"`
	// Contract: Null for the native token
	Contract   *string `json:"contract"`
	Decimals   int64   `json:"decimals"`
	PriceInUSD Decimal `json:"price_in_usd"`
	// Precision: The number of decimals with which amounts are shown
	Precision              Decimal `json:"precision"`
	ListingDate            string  `json:"listing_date"`
	SourceRank             int64   `json:"source_rank"`
	DestinationRank        int64   `json:"destination_rank"`
	Group                  *string `json:"group"`
	SupportsGaslessDeposit bool    `json:"supports_gasless_deposit"`
	// Status: active: a swap can be made now. inactive: the route cannot be served now. not_found: there is no route
	Status string `json:"status"`
	// Refuel: The size of a refuel on the destination network; null if none is offered
	Refuel *Refuel `json:"refuel"`
}

// ServiceStatus is a shape of the API.
type ServiceStatus struct {
	// Now: The service's clock
	Now string `json:"now"`
	// CheckedAt: The last check, normally less than a minute ago
	CheckedAt *string         `json:"checked_at"`
	ShownDays int64           `json:"shown_days"`
	Networks  []NetworkStatus `json:"networks"`
}

// Site is a shape of the API.
type Site struct {
	Name        string `json:"name"`
	Environment string `json:"environment"`
	// Sandbox: True for a sandbox: local chains, worthless money, and the calls under /sandbox
	Sandbox bool `json:"sandbox"`
	// Operator: The name of the operator, as shown on the pages
	Operator *string `json:"operator"`
	// Contact: How to reach the operator
	Contact *string `json:"contact"`
	Terms   *string `json:"terms"`
	Privacy *string `json:"privacy"`
	Imprint *string `json:"imprint"`
	Build   string  `json:"build"`
	// Now: The service's clock
	Now string `json:"now"`
	// Paused: Scopes in which no new swaps are accepted, such as network:BASE_MAINNET
	Paused []string `json:"paused"`
}

// SpeedupBody is a shape of the API.
type SpeedupBody struct {
	// TransactionID: The hash of the deposit that was sent
	TransactionID string `json:"transaction_id"`
}

// Swap is a shape of the API.
type Swap struct {
	ID          string `json:"id"`
	CreatedDate string `json:"created_date"`
	// CloseDate: When it reached a terminal status
	CloseDate           *string   `json:"close_date"`
	SourceNetwork       Network   `json:"source_network"`
	SourceToken         Token     `json:"source_token"`
	SourceExchange      *Exchange `json:"source_exchange"`
	DestinationNetwork  Network   `json:"destination_network"`
	DestinationToken    Token     `json:"destination_token"`
	DestinationExchange *Exchange `json:"destination_exchange"`
	// RequestedAmount: 0 if the amount is open
	RequestedAmount Decimal `json:"requested_amount"`
	// ReceivedAmount: The sum of the deposits that are in a block, in the source token
	ReceivedAmount Decimal `json:"received_amount"`
	// ReceivedAmountInBaseUnits: The same, exactly
	ReceivedAmountInBaseUnits string `json:"received_amount_in_base_units"`
	// RemainingAmount: The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open
	RemainingAmount Decimal `json:"remaining_amount"`
	// RemainingAmountInBaseUnits: The same, exactly
	RemainingAmountInBaseUnits string `json:"remaining_amount_in_base_units"`
	// WaitsUntil: Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits, else refunded
	WaitsUntil         *string `json:"waits_until"`
	DestinationAddress string  `json:"destination_address"`
	SourceAddress      *string `json:"source_address"`
	// RefundAddress: Where the money is sent back to if it cannot be swapped: as the swap was made, or as given later for every deposit of it
	RefundAddress *string `json:"refund_address"`
	Status        string  `json:"status"`
	// FailReason: Why the swap did not complete, in snake_case. More reasons may be added
	FailReason *string `json:"fail_reason"`
	// Owed: Money that is held for the sender; null if there is none
	Owed              *Owed         `json:"owed"`
	UseDepositAddress bool          `json:"use_deposit_address"`
	Metadata          SwapMetadata  `json:"metadata"`
	Transactions      []Transaction `json:"transactions"`
	// Legs: The exchanges that the swap goes over; empty on most routes. The transaction of a purchase is also the output
	Legs []Leg `json:"legs"`
}

// SwapDetails is a shape of the API.
type SwapDetails struct {
	Quote          Quote           `json:"quote"`
	Refuel         *Refuel         `json:"refuel"`
	Reward         *Reward         `json:"reward"`
	Swap           Swap            `json:"swap"`
	DepositActions []DepositAction `json:"deposit_actions"`
	// Signature: Proves that the service made the quote and the deposit actions
	Signature QuoteSignature `json:"signature,omitempty"`
}

// SwapMetadata is a shape of the API.
type SwapMetadata struct {
	// SequenceNumber: The number by which call_data names the swap
	SequenceNumber int64 `json:"sequence_number"`
	// ReferenceID: Your own reference; null for callers who may not read it
	ReferenceID     *string `json:"reference_id"`
	ExchangeAccount *string `json:"exchange_account"`
}

// SwapProgress is a shape of the API.
type SwapProgress struct {
	// Now: The service's clock
	Now            string  `json:"now"`
	QuoteExpiresAt string  `json:"quote_expires_at"`
	ExpiresAt      string  `json:"expires_at"`
	DepositSeenAt  *string `json:"deposit_seen_at"`
	// ReceivedAmount: The sum of the deposits that are in a block, in the source token
	ReceivedAmount Decimal `json:"received_amount"`
	// ReceivedAmountInBaseUnits: The same, exactly
	ReceivedAmountInBaseUnits string `json:"received_amount_in_base_units"`
	// RemainingAmount: The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open
	RemainingAmount Decimal `json:"remaining_amount"`
	// RemainingAmountInBaseUnits: The same, exactly
	RemainingAmountInBaseUnits string `json:"remaining_amount_in_base_units"`
	// WaitsUntil: Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits, else refunded
	WaitsUntil   *string  `json:"waits_until"`
	UsualSeconds Decimal  `json:"usual_seconds"`
	P95Seconds   *Decimal `json:"p95_seconds"`
	// GivesUpAt: When the swap is refunded if its payout still cannot be started; null if no payout waits
	GivesUpAt *string `json:"gives_up_at"`
	// Held: Why a payout waits
	Held    *string                   `json:"held"`
	History []SwapProgressHistoryItem `json:"history"`
	Refund  SwapProgressRefund        `json:"refund"`
}

// SwapProgressHistoryItem is a shape of the API.
type SwapProgressHistoryItem struct {
	At     string `json:"at"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// SwapProgressRefund is a shape of the API.
type SwapProgressRefund struct {
	// Address: The address to which it is refunded automatically
	Address *string `json:"address"`
	// Owed: The amount that was received and is neither delivered nor being refunded, in the source token
	Owed         Decimal `json:"owed"`
	NeedsAddress bool    `json:"needs_address"`
	// TextToSign: A URL with {address} in place of the address
	TextToSign string `json:"text_to_sign"`
}

// TestedWebhook is a shape of the API.
type TestedWebhook struct {
	// MessageID: The `webhook-id` that the test event will have
	MessageID string `json:"message_id"`
}

// Token is a shape of the API.
type Token struct {
	// Symbol: A label that may change: identify tokens by their contract or their group
	Symbol       string `json:"symbol"`
	DisplayAsset string `json:"display_asset"`
	Logo         string `json:"logo"`
	// Contract: Null for the native token
	Contract   *string `json:"contract"`
	Decimals   int64   `json:"decimals"`
	PriceInUSD Decimal `json:"price_in_usd"`
	// Precision: The number of decimals with which amounts are shown
	Precision              Decimal `json:"precision"`
	ListingDate            string  `json:"listing_date"`
	SourceRank             int64   `json:"source_rank"`
	DestinationRank        int64   `json:"destination_rank"`
	Group                  *string `json:"group"`
	SupportsGaslessDeposit bool    `json:"supports_gasless_deposit"`
}

// Transaction is a shape of the API.
type Transaction struct {
	From      *string `json:"from"`
	To        *string `json:"to"`
	Timestamp string  `json:"timestamp"`
	// CreatedDate: The same as timestamp, under the name that older clients read
	CreatedDate      string   `json:"created_date"`
	TransactionHash  *string  `json:"transaction_hash"`
	Confirmations    int64    `json:"confirmations"`
	MaxConfirmations int64    `json:"max_confirmations"`
	Amount           Decimal  `json:"amount"`
	AmountInUSD      *Decimal `json:"amount_in_usd"`
	// USDValue: The same as amount_in_usd
	USDValue *Decimal `json:"usd_value"`
	// USDPrice: The price of one token at the swap's creation, in dollars
	USDPrice *Decimal `json:"usd_price"`
	// Type: input: the deposit. output: the delivered amount. refuel: gas delivered with it. refund: a refund
	Type string `json:"type"`
	// Status: pending: not in a block, or not sent. initiated: in a block or sent, with too few confirmations. completed: confirmed
	Status    string   `json:"status"`
	Token     Token    `json:"token"`
	Network   Network  `json:"network"`
	FeeAmount *Decimal `json:"fee_amount"`
	FeeToken  Token    `json:"fee_token"`
}

// TransactionStatus is a shape of the API.
type TransactionStatus struct {
	Status           string `json:"status"`
	Network          string `json:"network"`
	TransactionID    string `json:"transaction_id"`
	IsFound          bool   `json:"is_found"`
	IsCompleted      bool   `json:"is_completed"`
	Confirmations    int64  `json:"confirmations"`
	MaxConfirmations int64  `json:"max_confirmations"`
}

// UnmatchedDeposit is a shape of the API.
type UnmatchedDeposit struct {
	Network         string `json:"network"`
	TransactionHash string `json:"transaction_hash"`
	SeenAt          string `json:"seen_at"`
	// State: waiting: an operator will assign it to a swap or refund it. kept: the operator has set it aside
	State string `json:"state"`
}

// UpdateWebhookBody is a shape of the API.
type UpdateWebhookBody struct {
	// EventTypes: The types of events to send from now on; null for all types
	EventTypes []string `json:"event_types"`
}

// WebhookEndpoint is a shape of the API.
type WebhookEndpoint struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// EventTypes: The types of events that the endpoint receives; null for all types, including future ones
	EventTypes  []string `json:"event_types"`
	CreatedDate string   `json:"created_date"`
}

// WellKnown is a shape of the API.
type WellKnown struct {
	Service          string                          `json:"service"`
	Environment      string                          `json:"environment"`
	Api              string                          `json:"api"`
	QuoteSigningKeys []WellKnownQuoteSigningKeysItem `json:"quote_signing_keys"`
}

// WellKnownQuoteSigningKeysItem is a shape of the API.
type WellKnownQuoteSigningKeysItem struct {
	KeyID     string `json:"key_id"`
	Algorithm string `json:"algorithm"`
	PublicKey string `json:"public_key"`
}

// Withdrawal is a shape of the API.
type Withdrawal struct {
	Network Network `json:"network"`
	Token   Token   `json:"token"`
	// Fee: The fixed cost of a swap into the destination, without the percentage; 0 if none was named
	Fee WithdrawalFee `json:"fee"`
}

// WithdrawalFee is a shape of the API.
type WithdrawalFee struct {
	TotalFee      Decimal `json:"total_fee"`
	TotalFeeInUSD Decimal `json:"total_fee_in_usd"`
}

// ListNetworksParams is a shape of the API.
type ListNetworksParams struct {
	// NetworkTypes: Any of evm, starknet, solana, cosmos, starkex, zksynclite, ton, paradex, tron, fuel, bitcoin, hyperliquid: with commas, repeated, or both
	NetworkTypes []string `json:"network_types,omitempty"`
}

// ListNetworks: Every network and its tokens.
func (c *Client) ListNetworks(ctx context.Context, params ListNetworksParams) ([]ListedNetwork, error) {
	query := url.Values{}
	setList(query, "network_types", params.NetworkTypes)
	var result []ListedNetwork
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/networks", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListSourcesParams is a shape of the API.
type ListSourcesParams struct {
	// NetworkTypes: Any of evm, starknet, solana, cosmos, starkex, zksynclite, ton, paradex, tron, fuel, bitcoin, hyperliquid: with commas, repeated, or both
	NetworkTypes []string `json:"network_types,omitempty"`
	// IncludeSwaps: Includes pairs that need a swap provider
	IncludeSwaps bool `json:"include_swaps,omitempty"`
	// IncludeUnavailable: Includes tokens whose route cannot be served now, as inactive
	IncludeUnavailable bool `json:"include_unavailable,omitempty"`
	// IncludeUnmatched: Includes tokens that cannot be reached, as inactive or not_found
	IncludeUnmatched bool `json:"include_unmatched,omitempty"`
	// HasDepositAddress: Lists only tokens that can be paid to a deposit address
	HasDepositAddress bool `json:"has_deposit_address,omitempty"`
	// IncludeSwapsViaDepositAddress: Includes pairs that need a swap provider and a deposit address
	IncludeSwapsViaDepositAddress bool `json:"include_swaps_via_deposit_address,omitempty"`
	// DestinationNetwork: A network's name, or an EVM network's chain id
	DestinationNetwork string `json:"destination_network,omitempty"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token,omitempty"`
}

// ListSources: Tokens that can be swapped from.
func (c *Client) ListSources(ctx context.Context, params ListSourcesParams) ([]RouteNetwork, error) {
	query := url.Values{}
	setList(query, "network_types", params.NetworkTypes)
	setBool(query, "include_swaps", params.IncludeSwaps)
	setBool(query, "include_unavailable", params.IncludeUnavailable)
	setBool(query, "include_unmatched", params.IncludeUnmatched)
	setBool(query, "has_deposit_address", params.HasDepositAddress)
	setBool(query, "include_swaps_via_deposit_address", params.IncludeSwapsViaDepositAddress)
	setText(query, "destination_network", params.DestinationNetwork)
	setText(query, "destination_token", params.DestinationToken)
	var result []RouteNetwork
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/sources", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListDestinationsParams is a shape of the API.
type ListDestinationsParams struct {
	// NetworkTypes: Any of evm, starknet, solana, cosmos, starkex, zksynclite, ton, paradex, tron, fuel, bitcoin, hyperliquid: with commas, repeated, or both
	NetworkTypes []string `json:"network_types,omitempty"`
	// IncludeSwaps: Includes pairs that need a swap provider
	IncludeSwaps bool `json:"include_swaps,omitempty"`
	// IncludeUnavailable: Includes tokens whose route cannot be served now, as inactive
	IncludeUnavailable bool `json:"include_unavailable,omitempty"`
	// IncludeUnmatched: Includes tokens that cannot be reached, as inactive or not_found
	IncludeUnmatched bool `json:"include_unmatched,omitempty"`
	// HasDepositAddress: Lists only tokens that can be paid to a deposit address
	HasDepositAddress bool `json:"has_deposit_address,omitempty"`
	// IncludeSwapsViaDepositAddress: Includes pairs that need a swap provider and a deposit address
	IncludeSwapsViaDepositAddress bool `json:"include_swaps_via_deposit_address,omitempty"`
	// SourceNetwork: A network's name, or an EVM network's chain id
	SourceNetwork string `json:"source_network,omitempty"`
	// SourceToken: A token's symbol or contract address; for a native token the family's zero address works too
	SourceToken string `json:"source_token,omitempty"`
}

// ListDestinations: Tokens that can be swapped into.
func (c *Client) ListDestinations(ctx context.Context, params ListDestinationsParams) ([]RouteNetwork, error) {
	query := url.Values{}
	setList(query, "network_types", params.NetworkTypes)
	setBool(query, "include_swaps", params.IncludeSwaps)
	setBool(query, "include_unavailable", params.IncludeUnavailable)
	setBool(query, "include_unmatched", params.IncludeUnmatched)
	setBool(query, "has_deposit_address", params.HasDepositAddress)
	setBool(query, "include_swaps_via_deposit_address", params.IncludeSwapsViaDepositAddress)
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "source_token", params.SourceToken)
	var result []RouteNetwork
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/destinations", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetTransactionStatusParams is a shape of the API.
type GetTransactionStatusParams struct {
	// Network: A network's name, or an EVM network's chain id
	Network string `json:"network"`
	// TransactionID: The hash of the transaction
	TransactionID string `json:"transaction_id"`
}

// GetTransactionStatus: What a chain says of a transaction.
func (c *Client) GetTransactionStatus(ctx context.Context, params GetTransactionStatusParams) (*TransactionStatus, error) {
	query := url.Values{}
	setText(query, "network", params.Network)
	setText(query, "transaction_id", params.TransactionID)
	var result TransactionStatus
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/transaction_status", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// CheckAddressParams is a shape of the API.
type CheckAddressParams struct {
	// Network: A network's name, or an EVM network's chain id
	Network string `json:"network"`
	// Address: The text to check
	Address string `json:"address"`
}

// CheckAddress: What an address is, before anything is sent there.
func (c *Client) CheckAddress(ctx context.Context, params CheckAddressParams) (*CheckedAddress, error) {
	query := url.Values{}
	setText(query, "network", params.Network)
	setText(query, "address", params.Address)
	var result CheckedAddress
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/address", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetBalanceParams is a shape of the API.
type GetBalanceParams struct {
	// Network: A network's name, or an EVM network's chain id
	Network string `json:"network"`
	// Token: A token's symbol or contract address; for a native token the family's zero address works too
	Token string `json:"token"`
	// Address: The address whose balance is read
	Address string `json:"address"`
}

// GetBalance: What an address holds, and what sending costs.
func (c *Client) GetBalance(ctx context.Context, params GetBalanceParams) (*Balance, error) {
	query := url.Values{}
	setText(query, "network", params.Network)
	setText(query, "token", params.Token)
	setText(query, "address", params.Address)
	var result Balance
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/balance", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListSourceExchanges: Exchanges to deposit from.
func (c *Client) ListSourceExchanges(ctx context.Context) ([]Exchange, error) {
	query := url.Values{}
	var result []Exchange
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/source_exchanges", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListWithdrawalNetworksParams is a shape of the API.
type ListWithdrawalNetworksParams struct {
	// Exchange: Only networks and tokens that this exchange pays out to
	Exchange string `json:"exchange,omitempty"`
	// SourceExchange: The same
	SourceExchange string `json:"source_exchange,omitempty"`
	// DestinationNetwork: Only tokens that can be swapped into this one now
	DestinationNetwork string `json:"destination_network,omitempty"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token,omitempty"`
}

// ListWithdrawalNetworks: Where exchanges pay out to.
func (c *Client) ListWithdrawalNetworks(ctx context.Context, params ListWithdrawalNetworksParams) ([]Withdrawal, error) {
	query := url.Values{}
	setText(query, "exchange", params.Exchange)
	setText(query, "source_exchange", params.SourceExchange)
	setText(query, "destination_network", params.DestinationNetwork)
	setText(query, "destination_token", params.DestinationToken)
	var result []Withdrawal
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/exchange_withdrawal_networks", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetLimitsParams is a shape of the API.
type GetLimitsParams struct {
	// SourceNetwork: A network's name, or an EVM network's chain id
	SourceNetwork string `json:"source_network"`
	// SourceToken: A token's symbol or contract address; for a native token the family's zero address works too
	SourceToken string `json:"source_token"`
	// DestinationNetwork: A network's name, or an EVM network's chain id
	DestinationNetwork string `json:"destination_network"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token"`
	// Amount: In whole source tokens. Optional here
	Amount Decimal `json:"amount,omitempty"`
	// Slippage: By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent
	Slippage Decimal `json:"slippage,omitempty"`
	// Refuel: Deliver a little of the destination network's native token too, so that its receiver can pay fees
	Refuel bool `json:"refuel,omitempty"`
	// UseDepositAddress: The deposit will be sent to a deposit address, which adds the cost of a sweep
	UseDepositAddress bool `json:"use_deposit_address,omitempty"`
	// UseDepository: The deposit will go through the Depository contract
	UseDepository bool `json:"use_depository,omitempty"`
	// UseGasless: The deposit will be gasless: the service sends it, which adds the gas
	UseGasless bool `json:"use_gasless,omitempty"`
	// SourceAddress: The depositor. It does not change a quote
	SourceAddress string `json:"source_address,omitempty"`
	// DestinationAddress: The recipient: rewards may depend on it
	DestinationAddress string `json:"destination_address,omitempty"`
}

// GetLimits: The smallest and the largest amount of a route.
func (c *Client) GetLimits(ctx context.Context, params GetLimitsParams) (*Limits, error) {
	query := url.Values{}
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "source_token", params.SourceToken)
	setText(query, "destination_network", params.DestinationNetwork)
	setText(query, "destination_token", params.DestinationToken)
	setDecimal(query, "amount", params.Amount)
	setDecimal(query, "slippage", params.Slippage)
	setBool(query, "refuel", params.Refuel)
	setBool(query, "use_deposit_address", params.UseDepositAddress)
	setBool(query, "use_depository", params.UseDepository)
	setBool(query, "use_gasless", params.UseGasless)
	setText(query, "source_address", params.SourceAddress)
	setText(query, "destination_address", params.DestinationAddress)
	var result Limits
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/limits", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetQuoteParams is a shape of the API.
type GetQuoteParams struct {
	// SourceNetwork: A network's name, or an EVM network's chain id
	SourceNetwork string `json:"source_network"`
	// SourceToken: A token's symbol or contract address; for a native token the family's zero address works too
	SourceToken string `json:"source_token"`
	// DestinationNetwork: A network's name, or an EVM network's chain id
	DestinationNetwork string `json:"destination_network"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token"`
	// Amount: In whole source tokens
	Amount Decimal `json:"amount"`
	// Slippage: By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent
	Slippage Decimal `json:"slippage,omitempty"`
	// Refuel: Deliver a little of the destination network's native token too, so that its receiver can pay fees
	Refuel bool `json:"refuel,omitempty"`
	// UseDepositAddress: The deposit will be sent to a deposit address, which adds the cost of a sweep
	UseDepositAddress bool `json:"use_deposit_address,omitempty"`
	// UseDepository: The deposit will go through the Depository contract
	UseDepository bool `json:"use_depository,omitempty"`
	// UseGasless: The deposit will be gasless: the service sends it, which adds the gas
	UseGasless bool `json:"use_gasless,omitempty"`
	// SourceAddress: The depositor. It does not change a quote
	SourceAddress string `json:"source_address,omitempty"`
	// DestinationAddress: The recipient: rewards may depend on it
	DestinationAddress string `json:"destination_address,omitempty"`
}

// GetQuote: What a swap of this amount would cost and deliver now.
func (c *Client) GetQuote(ctx context.Context, params GetQuoteParams) (*Quoted, error) {
	query := url.Values{}
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "source_token", params.SourceToken)
	setText(query, "destination_network", params.DestinationNetwork)
	setText(query, "destination_token", params.DestinationToken)
	setDecimal(query, "amount", params.Amount)
	setDecimal(query, "slippage", params.Slippage)
	setBool(query, "refuel", params.Refuel)
	setBool(query, "use_deposit_address", params.UseDepositAddress)
	setBool(query, "use_depository", params.UseDepository)
	setBool(query, "use_gasless", params.UseGasless)
	setText(query, "source_address", params.SourceAddress)
	setText(query, "destination_address", params.DestinationAddress)
	var result Quoted
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/quote", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetDetailedQuoteParams is a shape of the API.
type GetDetailedQuoteParams struct {
	// SourceNetwork: A network's name, or an EVM network's chain id
	SourceNetwork string `json:"source_network"`
	// SourceToken: A token's symbol or contract address; for a native token the family's zero address works too
	SourceToken string `json:"source_token"`
	// DestinationNetwork: A network's name, or an EVM network's chain id
	DestinationNetwork string `json:"destination_network"`
	// DestinationToken: A token's symbol or contract address; for a native token the family's zero address works too
	DestinationToken string `json:"destination_token"`
	// Amount: In whole source tokens. Optional here
	Amount Decimal `json:"amount,omitempty"`
	// Slippage: By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent
	Slippage Decimal `json:"slippage,omitempty"`
	// Refuel: Deliver a little of the destination network's native token too, so that its receiver can pay fees
	Refuel bool `json:"refuel,omitempty"`
	// UseDepositAddress: The deposit will be sent to a deposit address, which adds the cost of a sweep
	UseDepositAddress bool `json:"use_deposit_address,omitempty"`
	// UseDepository: The deposit will go through the Depository contract
	UseDepository bool `json:"use_depository,omitempty"`
	// UseGasless: The deposit will be gasless: the service sends it, which adds the gas
	UseGasless bool `json:"use_gasless,omitempty"`
	// SourceAddress: The depositor. It does not change a quote
	SourceAddress string `json:"source_address,omitempty"`
	// DestinationAddress: The recipient: rewards may depend on it
	DestinationAddress string `json:"destination_address,omitempty"`
}

// GetDetailedQuote: What a route costs, by tiers of the amount.
func (c *Client) GetDetailedQuote(ctx context.Context, params GetDetailedQuoteParams) ([]QuoteTier, error) {
	query := url.Values{}
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "source_token", params.SourceToken)
	setText(query, "destination_network", params.DestinationNetwork)
	setText(query, "destination_token", params.DestinationToken)
	setDecimal(query, "amount", params.Amount)
	setDecimal(query, "slippage", params.Slippage)
	setBool(query, "refuel", params.Refuel)
	setBool(query, "use_deposit_address", params.UseDepositAddress)
	setBool(query, "use_depository", params.UseDepository)
	setBool(query, "use_gasless", params.UseGasless)
	setText(query, "source_address", params.SourceAddress)
	setText(query, "destination_address", params.DestinationAddress)
	var result []QuoteTier
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/detailed_quote", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// CreateSwap: Make a swap, and learn what to deposit. An empty idempotency key stands for a new one.
func (c *Client) CreateSwap(ctx context.Context, body CreateSwapBody, idempotencyKey string) (*CreatedSwap, error) {
	query := url.Values{}
	var result CreatedSwap
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/swaps", query: query, body: body, idempotencyKey: keyOrNew(idempotencyKey)}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListSwapsParams is a shape of the API.
type ListSwapsParams struct {
	// Page: 20 per page, newest first. Below 1 is page 1; after page 500 every page is empty
	Page int64 `json:"page,omitempty"`
	// Statuses: PendingDeposit, PendingWithdrawal, PendingRefund, Completed, Failed, Expired, Refunded in any case; the status names; 1 (completed) or 4 (in progress)
	Statuses []string `json:"statuses,omitempty"`
	// Networks: Only swaps from or to one of these networks
	Networks []string `json:"networks,omitempty"`
	// Cursor: The id of the last swap of a page: the list continues after it. Unlike `page`, it has no limit
	Cursor string `json:"cursor,omitempty"`
	// CreatedFrom: Only swaps created at this time or later
	CreatedFrom string `json:"created_from,omitempty"`
	// CreatedBefore: Only swaps created before this time
	CreatedBefore string `json:"created_before,omitempty"`
	// SourceNetwork: Only swaps from this network
	SourceNetwork string `json:"source_network,omitempty"`
	// DestinationNetwork: Only swaps to this network
	DestinationNetwork string `json:"destination_network,omitempty"`
	// IncludeExpired: Includes swaps that were never paid
	IncludeExpired bool `json:"include_expired,omitempty"`
	// Address: Source, destination, refund or deposit address; repeatable
	Address []string `json:"address,omitempty"`
	// Addresses: The same
	Addresses []string `json:"addresses,omitempty"`
	// ReferenceID: Your own reference, as given at creation
	ReferenceID string `json:"reference_id,omitempty"`
}

// ListSwaps: An address's, a reference's or an app's swaps.
func (c *Client) ListSwaps(ctx context.Context, params ListSwapsParams) ([]ListedSwap, error) {
	query := url.Values{}
	setInt(query, "page", params.Page)
	setList(query, "statuses", params.Statuses)
	setList(query, "networks", params.Networks)
	setText(query, "cursor", params.Cursor)
	setText(query, "created_from", params.CreatedFrom)
	setText(query, "created_before", params.CreatedBefore)
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "destination_network", params.DestinationNetwork)
	setBool(query, "include_expired", params.IncludeExpired)
	setList(query, "address", params.Address)
	setList(query, "addresses", params.Addresses)
	setText(query, "reference_id", params.ReferenceID)
	var result []ListedSwap
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetSwapParams is a shape of the API.
type GetSwapParams struct {
	// SourceAddress: Who will pay, if the network builds the transaction for its payer and the swap names no payer
	SourceAddress string `json:"source_address,omitempty"`
	// ExcludeDepositActions: Leave the deposit actions out: the list is then empty, and the answer sooner there
	ExcludeDepositActions bool `json:"exclude_deposit_actions,omitempty"`
}

// GetSwap: A swap, its quote and its transactions.
func (c *Client) GetSwap(ctx context.Context, swapID string, params GetSwapParams) (*SwapDetails, error) {
	query := url.Values{}
	setText(query, "source_address", params.SourceAddress)
	setBool(query, "exclude_deposit_actions", params.ExcludeDepositActions)
	var result SwapDetails
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps/" + url.PathEscape(swapID), query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetDepositActionsParams is a shape of the API.
type GetDepositActionsParams struct {
	// SourceAddress: Who will pay, if the network builds the transaction for its payer and the swap names no payer
	SourceAddress string `json:"source_address,omitempty"`
}

// GetDepositActions: What to deposit, and how.
func (c *Client) GetDepositActions(ctx context.Context, swapID string, params GetDepositActionsParams) ([]DepositAction, error) {
	query := url.Values{}
	setText(query, "source_address", params.SourceAddress)
	var result []DepositAction
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/deposit_actions", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetSwapProgress: How far a swap is, against the usual time, and what it waits for.
func (c *Client) GetSwapProgress(ctx context.Context, swapID string) (*SwapProgress, error) {
	query := url.Values{}
	var result SwapProgress
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/progress", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetSwapByTransactionHash: The swap of a transaction.
func (c *Client) GetSwapByTransactionHash(ctx context.Context, transactionHash string) (*SwapDetails, error) {
	query := url.Values{}
	var result SwapDetails
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps/by_transaction_hash/" + url.PathEscape(transactionHash), query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// SpeedUpDeposit: Name the deposit that was sent.
func (c *Client) SpeedUpDeposit(ctx context.Context, swapID string, body SpeedupBody) (*Nothing, error) {
	query := url.Values{}
	var result Nothing
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/deposit_speedup", query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// AuthorizeDeposit: Submit the authorization of a gasless deposit.
func (c *Client) AuthorizeDeposit(ctx context.Context, swapID string, body AuthorizeBody) (*Authorization, error) {
	query := url.Values{}
	var result Authorization
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/authorize", query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetAuthorization: What became of a gasless authorization.
func (c *Client) GetAuthorization(ctx context.Context, swapID string) (*Authorization, error) {
	query := url.Values{}
	var result Authorization
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/authorize", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// SetRefundAddress: Say where owed money shall go.
func (c *Client) SetRefundAddress(ctx context.Context, swapID string, body RefundAddressBody) (*Nothing, error) {
	query := url.Values{}
	var result Nothing
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/swaps/" + url.PathEscape(swapID) + "/refund_address", query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListExplorerSwapsParams is a shape of the API.
type ListExplorerSwapsParams struct {
	// Page: 20 per page, newest first. Below 1 is page 1; after page 500 every page is empty
	Page int64 `json:"page,omitempty"`
	// Statuses: PendingDeposit, PendingWithdrawal, PendingRefund, Completed, Failed, Expired, Refunded in any case; the status names; 1 (completed) or 4 (in progress)
	Statuses []string `json:"statuses,omitempty"`
	// Networks: Only swaps from or to one of these networks
	Networks []string `json:"networks,omitempty"`
	// Cursor: The id of the last swap of a page: the list continues after it. Unlike `page`, it has no limit
	Cursor string `json:"cursor,omitempty"`
	// CreatedFrom: Only swaps created at this time or later
	CreatedFrom string `json:"created_from,omitempty"`
	// CreatedBefore: Only swaps created before this time
	CreatedBefore string `json:"created_before,omitempty"`
	// SourceNetwork: Only swaps from this network
	SourceNetwork string `json:"source_network,omitempty"`
	// DestinationNetwork: Only swaps to this network
	DestinationNetwork string `json:"destination_network,omitempty"`
	// IncludeExpired: Includes swaps that were never paid
	IncludeExpired bool `json:"include_expired,omitempty"`
	// Address: Source, destination, refund or deposit address; repeatable
	Address []string `json:"address,omitempty"`
	// Addresses: The same
	Addresses []string `json:"addresses,omitempty"`
	// ReferenceID: Your own reference, as given at creation
	ReferenceID string `json:"reference_id,omitempty"`
}

// ListExplorerSwaps: Every swap, newest first.
func (c *Client) ListExplorerSwaps(ctx context.Context, params ListExplorerSwapsParams) ([]ExplorerRow, error) {
	query := url.Values{}
	setInt(query, "page", params.Page)
	setList(query, "statuses", params.Statuses)
	setList(query, "networks", params.Networks)
	setText(query, "cursor", params.Cursor)
	setText(query, "created_from", params.CreatedFrom)
	setText(query, "created_before", params.CreatedBefore)
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "destination_network", params.DestinationNetwork)
	setBool(query, "include_expired", params.IncludeExpired)
	setList(query, "address", params.Address)
	setList(query, "addresses", params.Addresses)
	setText(query, "reference_id", params.ReferenceID)
	var result []ExplorerRow
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/explorer", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// SearchSwapsParams is a shape of the API.
type SearchSwapsParams struct {
	// Page: 20 per page, newest first. Below 1 is page 1; after page 500 every page is empty
	Page int64 `json:"page,omitempty"`
	// Statuses: PendingDeposit, PendingWithdrawal, PendingRefund, Completed, Failed, Expired, Refunded in any case; the status names; 1 (completed) or 4 (in progress)
	Statuses []string `json:"statuses,omitempty"`
	// Networks: Only swaps from or to one of these networks
	Networks []string `json:"networks,omitempty"`
	// Cursor: The id of the last swap of a page: the list continues after it. Unlike `page`, it has no limit
	Cursor string `json:"cursor,omitempty"`
	// CreatedFrom: Only swaps created at this time or later
	CreatedFrom string `json:"created_from,omitempty"`
	// CreatedBefore: Only swaps created before this time
	CreatedBefore string `json:"created_before,omitempty"`
	// SourceNetwork: Only swaps from this network
	SourceNetwork string `json:"source_network,omitempty"`
	// DestinationNetwork: Only swaps to this network
	DestinationNetwork string `json:"destination_network,omitempty"`
	// IncludeExpired: Includes swaps that were never paid
	IncludeExpired bool `json:"include_expired,omitempty"`
	// Address: Source, destination, refund or deposit address; repeatable
	Address []string `json:"address,omitempty"`
	// Addresses: The same
	Addresses []string `json:"addresses,omitempty"`
	// ReferenceID: Your own reference, as given at creation
	ReferenceID string `json:"reference_id,omitempty"`
}

// SearchSwaps: Swaps by address, transaction or id.
func (c *Client) SearchSwaps(ctx context.Context, search string, params SearchSwapsParams) ([]ExplorerRow, error) {
	query := url.Values{}
	setInt(query, "page", params.Page)
	setList(query, "statuses", params.Statuses)
	setList(query, "networks", params.Networks)
	setText(query, "cursor", params.Cursor)
	setText(query, "created_from", params.CreatedFrom)
	setText(query, "created_before", params.CreatedBefore)
	setText(query, "source_network", params.SourceNetwork)
	setText(query, "destination_network", params.DestinationNetwork)
	setBool(query, "include_expired", params.IncludeExpired)
	setList(query, "address", params.Address)
	setList(query, "addresses", params.Addresses)
	setText(query, "reference_id", params.ReferenceID)
	var result []ExplorerRow
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/explorer/" + url.PathEscape(search), query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetAnalyticsParams is a shape of the API.
type GetAnalyticsParams struct {
	// Period: The period to sum, up to now
	Period string `json:"period,omitempty"`
}

// GetAnalytics: Volumes by network and over time.
func (c *Client) GetAnalytics(ctx context.Context, params GetAnalyticsParams) (*Analytics, error) {
	query := url.Values{}
	setText(query, "period", params.Period)
	var result Analytics
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/explorer/analytics", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListUnmatchedDeposits: Deposits of a transaction that name no swap.
func (c *Client) ListUnmatchedDeposits(ctx context.Context, transactionHash string) ([]UnmatchedDeposit, error) {
	query := url.Values{}
	var result []UnmatchedDeposit
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/unmatched/" + url.PathEscape(transactionHash), query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListRouteHealth: How many swaps of each route arrived, and how fast.
func (c *Client) ListRouteHealth(ctx context.Context) ([]RouteHealth, error) {
	query := url.Values{}
	var result []RouteHealth
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/routes/health", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListCampaigns: Reward campaigns.
func (c *Client) ListCampaigns(ctx context.Context) ([]Campaign, error) {
	query := url.Values{}
	var result []Campaign
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/campaigns", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// GetCampaign: A campaign, by its id or name.
func (c *Client) GetCampaign(ctx context.Context, campaign string) (*Campaign, error) {
	query := url.Values{}
	var result Campaign
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/campaigns/" + url.PathEscape(campaign), query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetLeaderboard: Who earned most.
func (c *Client) GetLeaderboard(ctx context.Context, campaign string) (*Leaderboard, error) {
	query := url.Values{}
	var result Leaderboard
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/campaigns/" + url.PathEscape(campaign) + "/leaderboard", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetRewards: What an address earned.
func (c *Client) GetRewards(ctx context.Context, campaign string, address string) (*EarnedRewards, error) {
	query := url.Values{}
	var result EarnedRewards
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/campaigns/" + url.PathEscape(campaign) + "/rewards/" + url.PathEscape(address), query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListRewardPayouts: What an address was paid.
func (c *Client) ListRewardPayouts(ctx context.Context, campaign string, address string) ([]RewardPayout, error) {
	query := url.Values{}
	var result []RewardPayout
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/campaigns/" + url.PathEscape(campaign) + "/payouts/" + url.PathEscape(address), query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// CreateWebhook: Add a webhook endpoint; its secret is shown once.
func (c *Client) CreateWebhook(ctx context.Context, body CreateWebhookBody) (*CreatedWebhook, error) {
	query := url.Values{}
	var result CreatedWebhook
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/webhooks", query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ListWebhooks: The app's webhook endpoints.
func (c *Client) ListWebhooks(ctx context.Context) ([]WebhookEndpoint, error) {
	query := url.Values{}
	var result []WebhookEndpoint
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/webhooks", query: query}, &result); err != nil {
		return nil, err
	}
	return result, nil
}

// UpdateWebhook: Choose which events an endpoint receives.
func (c *Client) UpdateWebhook(ctx context.Context, webhookID string, body UpdateWebhookBody) (*WebhookEndpoint, error) {
	query := url.Values{}
	var result WebhookEndpoint
	if err := c.call(ctx, request{method: "PATCH", path: "/api/v2/webhooks/" + url.PathEscape(webhookID), query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// DeleteWebhook: Remove a webhook endpoint.
func (c *Client) DeleteWebhook(ctx context.Context, webhookID string) (*Nothing, error) {
	query := url.Values{}
	var result Nothing
	if err := c.call(ctx, request{method: "DELETE", path: "/api/v2/webhooks/" + url.PathEscape(webhookID), query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// TestWebhook: Send a test event to an endpoint.
func (c *Client) TestWebhook(ctx context.Context, webhookID string) (*TestedWebhook, error) {
	query := url.Values{}
	var result TestedWebhook
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/webhooks/" + url.PathEscape(webhookID) + "/test", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// ReplayWebhooks: Send a swap's events again.
func (c *Client) ReplayWebhooks(ctx context.Context, body ReplayBody) (*Replayed, error) {
	query := url.Values{}
	var result Replayed
	if err := c.call(ctx, request{method: "POST", path: "/api/v2/webhooks/replay", query: query, body: body}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetHealth: Whether the service runs.
func (c *Client) GetHealth(ctx context.Context) error {
	query := url.Values{}
	return c.call(ctx, request{method: "GET", path: "/api/v2/health", query: query}, nil)
}

// GetAppParams is a shape of the API.
type GetAppParams struct {
	// Name: The name of the app
	Name string `json:"name"`
}

// GetApp: An app by its name, as pages show it.
func (c *Client) GetApp(ctx context.Context, params GetAppParams) (*App, error) {
	query := url.Values{}
	setText(query, "name", params.Name)
	var result App
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/internal/apps", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetSite: Who runs this service, its clock, and what is paused.
func (c *Client) GetSite(ctx context.Context) (*Site, error) {
	query := url.Values{}
	var result Site
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/site", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetStatus: Whether each network can be read, now and on the last days.
func (c *Client) GetStatus(ctx context.Context) (*ServiceStatus, error) {
	query := url.Values{}
	var result ServiceStatus
	if err := c.call(ctx, request{method: "GET", path: "/api/v2/status", query: query}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// GetWellKnown: Who we are, and the key of our signatures.
func (c *Client) GetWellKnown(ctx context.Context) (*WellKnown, error) {
	query := url.Values{}
	var result WellKnown
	if err := c.call(ctx, request{method: "GET", path: "/.well-known/causeway.json", query: query, isBare: true}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}
