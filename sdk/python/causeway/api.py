"""The calls and types of the API. Generated from the OpenAPI document by `npm run clients`: do not edit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NotRequired, Optional, Sequence, TypedDict, Union

from .transport import Transport

#: Whole numbers arrive as int, all others as Decimal. Both are exact, and so is arithmetic between them.
Number = Union[int, Decimal]

#: The types of webhook events about swaps.
SwapEventType = Literal[
    "swap.user_transfer_pending",
    "swap.ls_transfer_pending",
    "swap.completed",
    "swap.failed",
    "swap.expired",
    "swap.refund_pending",
    "swap.pending_refund",
    "swap.refunded",
]


class Analytics(TypedDict):
    generated_at: str
    range: AnalyticsRange
    available_networks: list[AnalyticsAvailableNetworksItem]
    networks: list[NetworkVolumes]


class AnalyticsAvailableNetworksItem(TypedDict):
    name: str
    display_name: str
    logo: str


AnalyticsRange = TypedDict(
    "AnalyticsRange",
    {
        "from": "str",
        "to": "str",
        "bucket_size": "str",
    },
)


class App(TypedDict):
    id: str
    client_id: str  # The same as id
    name: str
    display_name: str
    logo: str
    logo_url: str
    is_wallet: bool


class Authorization(TypedDict):
    status: str
    transaction: Optional[Transaction]  # Null until the authorization is on chain


class AuthorizeBody(TypedDict):
    signature: str  # The signature of typed_data, in hex
    signer_address: str  # The signer: the swap's source_address


class Balance(TypedDict):
    amount: Number
    amount_in_base_units: str
    native_amount_in_base_units: str  # The owner's balance of the token that pays network fees
    transfer_cost_in_base_units: str  # The approximate cost of sending the token, in the native token


class Campaign(TypedDict):
    id: int  # The id that other calls use; the name works too
    name: str
    display_name: str
    description: Optional[str]
    logo_url: Optional[str]
    type: str
    status: str
    nft_contract_address: Optional[str]
    token: Token
    network: Network
    percentage: Number  # The share of the service fee that is paid as a reward, in percent; 50 is half
    total_budget: Number
    distributed_amount: Number  # The amount earned so far
    min_payout_amount: Number  # The smallest payout; a smaller amount waits for the next period
    max_payout_amount: Number
    start_date: str
    end_date: str
    reward_limit_period: int  # The length of a period in days. Rewards of a period are paid after it


class CheckedAddress(TypedDict):
    valid: bool
    address: Optional[str]  # The address in the canonical form of its network
    blocked: bool  # True if the service does not pay to this address: the money would be lost, the address is ours, or it is screened
    contract: Optional[bool]  # Whether the address is a contract; null if unknown
    activated: Optional[bool]  # Whether the account is activated; null if unknown, or if this network has no activation


class CreateSwapBody(TypedDict):
    source_network: str  # A network's name, or an EVM network's chain id
    source_token: str  # A token's symbol or contract address; for a native token the family's zero address works too
    destination_network: str  # A network's name, or an EVM network's chain id
    destination_token: str  # A token's symbol or contract address; for a native token the family's zero address works too
    destination_address: str  # The recipient on the destination network
    amount: NotRequired[Optional[Number]]  # In whole source tokens, as a number or as text, which stays exact. May be absent with use_deposit_address: any amount inside the limits is swapped
    source_address: NotRequired[Optional[str]]  # Who pays. Needed with use_gasless, and on networks whose transaction is built for its payer (Solana)
    refund_address: NotRequired[Optional[str]]  # Where the money goes back to, on the source network. Always give one with use_deposit_address: the sender may be an exchange
    reference_id: NotRequired[Optional[str]]  # Your own reference for the swap. Only your secret key can read it and search by it
    app_name: NotRequired[Optional[str]]  # A label chosen by the caller, for the operator
    slippage: NotRequired[Optional[Number]]  # By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent
    refuel: NotRequired[Optional[bool]]  # Deliver a little of the destination network's native token too, so that its receiver can pay fees
    use_deposit_address: NotRequired[Optional[bool]]  # Creates a deposit address for this swap. A deposit there from any sender pays for the swap
    use_depository: NotRequired[Optional[bool]]  # Deposit through the Depository contract
    use_gasless: NotRequired[Optional[bool]]  # Gasless deposit: source_address signs it and the service sends it
    use_new_deposit_address: NotRequired[Optional[bool]]  # With a secret key: do not use the address of an earlier swap of the same route, recipient and refund address
    force_user_execution: NotRequired[Optional[bool]]  # The depositor sends the deposit: use_gasless is ignored. If the route begins with an exchange on the source network and its family can, the depositor makes that exchange, too: deposit_actions are the approval and the call, `legs` says made_by depositor, and refunds are in the token that the exchange gives. Otherwise, and with use_deposit_address or use_depository, the service makes it
    source_exchange: NotRequired[Optional[str]]  # The name of an exchange in /source_exchanges
    destination_exchange: NotRequired[Optional[str]]  # The name of an exchange in /source_exchanges


class CreateWebhookBody(TypedDict):
    url: str  # An https URL. Adding the same URL again creates a new secret
    event_types: NotRequired[Optional[list[str]]]  # Only these types of events; all types if absent


class CreatedSwap(TypedDict):
    quote: Quote
    refuel: Optional[Refuel]
    reward: Optional[Reward]
    swap: Swap
    deposit_actions: list[DepositAction]
    signature: QuoteSignature  # Proves that the service made the quote and the deposit actions


class CreatedWebhook(TypedDict):
    id: str
    url: str
    event_types: Optional[list[str]]  # The types of events that the endpoint receives; null for all types, including future ones
    created_date: str
    secret: str  # The secret for verifying deliveries, whsec_…. It is shown only once


class DepositAction(TypedDict):
    type: str  # transfer: submit the transaction. manual_transfer: pay to the address. sign: sign typed_data, then POST …/authorize
    to_address: str  # Read it for every swap: it may differ between swaps
    amount: Number  # The value of the transaction itself: 0 if the amount is inside call_data, or is open
    amount_in_base_units: str  # The same, exactly. Send this
    call_data: Optional[str]  # The call data, to be submitted unchanged: it names the swap
    network: Network
    token: Token
    fee_token: Token
    order: int  # If there are several actions, carry them out in ascending order
    gas_limit: Optional[str]  # The suggested gas limit; Depository only
    encoded_args: list[str]  # Depository: the arguments id and receiver, or id, token, receiver and amount. Cosmos, if source_address was given: denomination, account number, sequence, gas, fee, denomination of the fee, and key type
    valid_after: Optional[Number]  # Gasless only: Unix seconds
    valid_before: Optional[Number]  # Gasless only: submit the signature before this time
    nonce: Optional[str]  # Gasless only
    typed_data: Optional[Any]  # Gasless only: EIP-712 typed data, to be signed unchanged


class EarnedRewards(TypedDict):
    user_reward: EarnedRewardsUserReward
    next_airdrop_date: Optional[str]  # When this period ends; null after the end of the campaign
    address: str
    rewards: list[EarnedRewardsRewardsItem]


class EarnedRewardsRewardsItem(TypedDict):
    swap_id: str
    date: str
    period: int
    amount: Number
    amount_in_usd: Number


class EarnedRewardsUserReward(TypedDict):
    period_pending_amount: Number  # The amount earned in this period and not paid yet
    total_amount: Number
    total_amount_in_usd: Number
    total_pending_amount: Number  # The amount earned and not paid yet
    position: int  # The rank on the leaderboard; 0 if nothing was earned


class Earner(TypedDict):
    position: int
    address: str
    swaps: int
    amount: Number
    amount_in_usd: Number


class Exchange(TypedDict):
    name: str
    display_name: str
    logo: str
    metadata: ExchangeMetadata


class ExchangeMetadata(TypedDict):
    oauth: Optional[ExchangeMetadataOauth]
    o_auth: Optional[ExchangeMetadataOAuth]  # The same as oauth, under the name that clients read
    listing_date: str


class ExchangeMetadataOAuth(TypedDict):
    authorize_url: str
    connect_url: str


class ExchangeMetadataOauth(TypedDict):
    authorize_url: str
    connect_url: str


class ExplorerRow(TypedDict):
    quote: Quote
    refuel: Optional[Refuel]
    swap: Swap


class Leaderboard(TypedDict):
    leaderboard: list[Earner]
    leaderboard_budget: Number  # An extra reward for the first earners; 0 if there is none
    campaign: Campaign


class Leg(TypedDict):
    type: str  # sale: the deposited token is sold on the source network. purchase: the destination token is bought for the recipient
    made_by: str  # depositor: its own transaction makes the exchange, by force_user_execution
    provider: str  # The exchange of the quote's path, or the aggregator that executes it
    network: Network
    sold_token: Token
    sold_amount: Number
    bought_token: Token
    bought_amount: Optional[Number]  # The amount that the exchange gave; null until it is confirmed
    min_bought_amount: Number  # With less the exchange reverts
    status: str  # As of a transaction
    transaction_hash: Optional[str]
    timestamp: str


class Limits(TypedDict):
    min_amount: Number
    min_amount_in_usd: Number
    max_amount: Number
    max_amount_in_usd: Number


class ListedNetwork(TypedDict):
    name: str
    display_name: str
    logo: str
    chain_id: Optional[str]
    node_url: Optional[str]
    nodes: list[str]
    type: str
    transaction_explorer_template: str
    account_explorer_template: str
    source_rank: int
    destination_rank: int
    token: Token  # The network's native token
    metadata: NetworkMetadata
    deposit_methods: list[str]
    notice: NotRequired[str]  # What people should know: why the network is closed, or that it is no public network. Absent if nothing
    tokens: list[Token]


class ListedSwap(TypedDict):
    quote: Quote
    refuel: Optional[Refuel]
    reward: Optional[Reward]
    swap: Swap


class Network(TypedDict):
    name: str
    display_name: str
    logo: str
    chain_id: Optional[str]
    node_url: Optional[str]
    nodes: list[str]
    type: str
    transaction_explorer_template: str
    account_explorer_template: str
    source_rank: int
    destination_rank: int
    token: Token  # The network's native token
    metadata: NetworkMetadata
    deposit_methods: list[str]
    notice: NotRequired[str]  # What people should know: why the network is closed, or that it is no public network. Absent if nothing


class NetworkMetadata(TypedDict):
    listing_date: str
    evm_oracle_contract: Optional[str]
    evm_multicall_contract: Optional[str]
    zks_paymaster_contract: Optional[str]
    watchdog_contract: Optional[str]


class NetworkStatus(TypedDict):
    network: str
    display_name: str
    logo: str
    state: str  # behind: its newest block is old. down: none of its nodes answers. unknown: not checked yet
    paused: bool  # True if no new swaps from or to the network are accepted
    notice: NotRequired[str]  # As in the list of networks, such as that it is no public network
    last_block_at: Optional[str]  # When its newest block was seen
    uptime: Optional[Number]  # The share of checks at which it was up, over all days below
    days: list[NetworkStatusDaysItem]


class NetworkStatusDaysItem(TypedDict):
    day: str  # The day in UTC
    uptime: Number


class NetworkVolumes(TypedDict):
    network: str
    totals: NetworkVolumesTotals
    timeline: list[NetworkVolumesTimelineItem]
    assets: list[NetworkVolumesAssetsItem]
    source_chains: list[NetworkVolumesSourceChainsItem]  # The networks from which this outflow came
    destination_chains: list[NetworkVolumesDestinationChainsItem]  # The networks to which this inflow went


class NetworkVolumesAssetsItem(TypedDict):
    asset: str
    logo: str
    inflow: NetworkVolumesAssetsItemInflow
    outflow: NetworkVolumesAssetsItemOutflow


class NetworkVolumesAssetsItemInflow(TypedDict):
    transfer_count: int
    amount_in_usd: Number
    token_amount: Number


class NetworkVolumesAssetsItemOutflow(TypedDict):
    transfer_count: int
    amount_in_usd: Number
    token_amount: Number


class NetworkVolumesDestinationChainsItem(TypedDict):
    transfer_count: int
    amount_in_usd: Number
    network: str


class NetworkVolumesSourceChainsItem(TypedDict):
    transfer_count: int
    amount_in_usd: Number
    network: str


class NetworkVolumesTimelineItem(TypedDict):
    bucket_start: str
    inflow_transfer_count: int
    outflow_transfer_count: int
    inflow_amount_in_usd: Number
    outflow_amount_in_usd: Number


class NetworkVolumesTotals(TypedDict):
    inflow: NetworkVolumesTotalsInflow  # Deposits on this network
    outflow: NetworkVolumesTotalsOutflow  # Payouts on this network
    net_amount_in_usd: Number  # inflow - outflow


class NetworkVolumesTotalsInflow(TypedDict):
    transfer_count: int
    amount_in_usd: Number


class NetworkVolumesTotalsOutflow(TypedDict):
    transfer_count: int
    amount_in_usd: Number


class Nothing(TypedDict):
    pass


class Owed(TypedDict):
    amount: Number  # In the source token
    amount_in_base_units: str
    address: Optional[str]  # The address to which it is refunded automatically; null if an address is needed, or there are several
    needs_address: bool  # True if all or a part of it waits until POST /swaps/{swapId}/refund_address sets an address
    message: str  # The owed amount and the next step, as text for the user


class Quote(TypedDict):
    total_fee: Number  # blockchain_fee + service_fee, in the source token
    total_fee_in_usd: Number
    source_network: Network
    source_token: Token
    destination_network: Network
    destination_token: Token
    requested_amount: Number  # 0 if the amount is open
    receive_amount: Number  # (requested_amount - total_fee - refuel_in_source) * rate, rounded down
    fee_discount: Number  # The discount on the fees, in the source token
    min_receive_amount: Number  # receive_amount * (1 - slippage): if the swap would deliver less, the deposit is refunded
    blockchain_fee: Number  # The fees of the networks, in the source token
    service_fee: Number  # The fee of the service, in the source token
    avg_completion_time: str  # How long such swaps take, as hh:mm:ss
    refuel_in_source: Number  # The cost of the refuel, in the source token
    slippage: Number  # A fraction: 0.01 is one percent
    rate: Number  # Destination tokens for one source token, before fees
    expires_at: Optional[str]  # Until then a deposit in a block is paid as quoted, unless the price moved too far; null while the amount is open
    path: list[QuotePathItem]
    price_impact: Optional[Number]  # How much less the exchanges on the path give than at their present prices, because of the amount. A fraction; null without an exchange
    warnings: list[QuoteWarningsItem]  # Warnings for the user, such as `HIGH_SLIPPAGE` above 5 percent. More codes may be added


class QuotePathItem(TypedDict):
    provider: str
    order: int


class QuoteSignature(TypedDict):
    key_id: str  # The id of the key in /.well-known/causeway.json
    algorithm: str
    signed_at: str
    value: str  # The signature of the canonical JSON of the statement


class QuoteTier(TypedDict):
    avg_completion_milliseconds: int
    min_amount: Number
    min_amount_in_usd: Number
    max_amount: Number
    max_amount_in_usd: Number
    fee_amount_for_min: Number  # The whole fee of min_amount, in the source token
    fee_amount_for_max: Number
    total_percentage_fee: Number  # A percentage of the amount: 0.1 is a thousandth
    total_fixed_fee_in_usd: Number
    total_fixed_fee_in_source: Number
    path: list[QuoteTierPathItem]


class QuoteTierPathItem(TypedDict):
    id: int  # Unique among the steps of this response
    order: int
    provider: str
    provider_name: str
    source_network: Network
    source_token: Token
    destination_network: Network
    destination_token: Token
    service_fee_percentage: Number  # A percentage of the amount: 0.1 is a thousandth
    service_fee_in_usd: Number  # The fixed part of the fee
    service_fee_in_source: Number  # The fixed part of the fee
    expense_in_usd: Number
    expense_in_source: Number
    expense_fee_in_usd: Number  # The same as expense_in_usd, under the name that clients read
    expense_fee_percentage: Number  # 0: networks charge for a transfer, whatever its amount
    fee_in_source: Number  # All fixed fees together
    fee_in_usd: Number  # All fixed fees together
    avg_completion_milliseconds: int


class QuoteWarningsItem(TypedDict):
    code: str
    message: str


class Quoted(TypedDict):
    quote: Quote
    refuel: Optional[Refuel]
    reward: Optional[Reward]


class Refuel(TypedDict):
    token: Token
    network: Network
    amount: Number
    amount_in_usd: Number


class RefundAddressBody(TypedDict):
    refund_address: str  # An address of the source network
    signature: NotRequired[Optional[str]]  # A signature by the address that sent the deposit, over the text that names swap, network and refund address


class ReplayBody(TypedDict):
    swap_id: str  # A swap of the key's app


class Replayed(TypedDict):
    deliveries: int  # The number of events that are sent again


class Reward(TypedDict):
    token: Token
    network: Network
    amount: Number
    amount_in_usd: Number
    campaign_type: str
    nft_contract_address: Optional[str]


class RewardPayout(TypedDict):
    status: str  # initiated: sent and not confirmed yet
    date: str  # When it was confirmed; before that, when it was sent or ordered
    period: int  # The last period that the payout covers
    amount: Number
    transaction_id: Optional[str]


class RouteHealth(TypedDict):
    source_network: str
    destination_network: str
    swaps: int  # The number of swaps that were considered
    completed: int
    median_seconds: Optional[Number]  # Measured from the first sighting of the deposit; null if no swap completed
    p95_seconds: Optional[Number]


class RouteNetwork(TypedDict):
    name: str
    display_name: str
    logo: str
    chain_id: Optional[str]
    node_url: Optional[str]
    nodes: list[str]
    type: str
    transaction_explorer_template: str
    account_explorer_template: str
    source_rank: int
    destination_rank: int
    token: Token  # The network's native token
    metadata: NetworkMetadata
    deposit_methods: list[str]
    notice: NotRequired[str]  # What people should know: why the network is closed, or that it is no public network. Absent if nothing
    tokens: list[RouteToken]


class RouteToken(TypedDict):
    symbol: str  # A label that may change: identify tokens by their contract or their group
    display_asset: str
    logo: str
    contract: Optional[str]  # Null for the native token
    decimals: int
    price_in_usd: Number
    precision: Number  # The number of decimals with which amounts are shown
    listing_date: str
    source_rank: int
    destination_rank: int
    group: Optional[str]
    supports_gasless_deposit: bool
    status: str  # active: a swap can be made now. inactive: the route cannot be served now. not_found: there is no route
    refuel: Optional[Refuel]  # The size of a refuel on the destination network; null if none is offered


class ServiceStatus(TypedDict):
    now: str  # The service's clock
    checked_at: Optional[str]  # The last check, normally less than a minute ago
    shown_days: int
    networks: list[NetworkStatus]


class Site(TypedDict):
    name: str
    environment: str
    sandbox: bool  # True for a sandbox: local chains, worthless money, and the calls under /sandbox
    operator: Optional[str]  # The name of the operator, as shown on the pages
    contact: Optional[str]  # How to reach the operator
    terms: Optional[str]
    privacy: Optional[str]
    imprint: Optional[str]
    build: str
    now: str  # The service's clock
    paused: list[str]  # Scopes in which no new swaps are accepted, such as network:BASE_MAINNET


class SpeedupBody(TypedDict):
    transaction_id: str  # The hash of the deposit that was sent


class Swap(TypedDict):
    id: str
    created_date: str
    close_date: Optional[str]  # When it reached a terminal status
    source_network: Network
    source_token: Token
    source_exchange: Optional[Exchange]
    destination_network: Network
    destination_token: Token
    destination_exchange: Optional[Exchange]
    requested_amount: Number  # 0 if the amount is open
    received_amount: Number  # The sum of the deposits that are in a block, in the source token
    received_amount_in_base_units: str  # The same, exactly
    remaining_amount: Number  # The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open
    remaining_amount_in_base_units: str  # The same, exactly
    waits_until: Optional[str]  # Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits, else refunded
    destination_address: str
    source_address: Optional[str]
    refund_address: Optional[str]  # Where the money is sent back to if it cannot be swapped: as the swap was made, or as given later for every deposit of it
    status: str
    fail_reason: Optional[str]  # Why the swap did not complete, in snake_case. More reasons may be added
    owed: Optional[Owed]  # Money that is held for the sender; null if there is none
    use_deposit_address: bool
    metadata: SwapMetadata
    transactions: list[Transaction]
    legs: list[Leg]  # The exchanges that the swap goes over; empty on most routes. The transaction of a purchase is also the output


class SwapDetails(TypedDict):
    quote: Quote
    refuel: Optional[Refuel]
    reward: Optional[Reward]
    swap: Swap
    deposit_actions: list[DepositAction]
    signature: NotRequired[QuoteSignature]  # Proves that the service made the quote and the deposit actions


class SwapMetadata(TypedDict):
    sequence_number: int  # The number by which call_data names the swap
    reference_id: Optional[str]  # Your own reference; null for callers who may not read it
    exchange_account: Optional[str]


class SwapProgress(TypedDict):
    now: str  # The service's clock
    quote_expires_at: str
    expires_at: str
    deposit_seen_at: Optional[str]
    received_amount: Number  # The sum of the deposits that are in a block, in the source token
    received_amount_in_base_units: str  # The same, exactly
    remaining_amount: Number  # The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open
    remaining_amount_in_base_units: str  # The same, exactly
    waits_until: Optional[str]  # Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits, else refunded
    usual_seconds: Number
    p95_seconds: Optional[Number]
    gives_up_at: Optional[str]  # When the swap is refunded if its payout still cannot be started; null if no payout waits
    held: Optional[str]  # Why a payout waits
    history: list[SwapProgressHistoryItem]
    refund: SwapProgressRefund


class SwapProgressHistoryItem(TypedDict):
    at: str
    type: str
    status: str


class SwapProgressRefund(TypedDict):
    address: Optional[str]  # The address to which it is refunded automatically
    owed: Number  # The amount that was received and is neither delivered nor being refunded, in the source token
    needs_address: bool
    text_to_sign: str  # A URL with {address} in place of the address


class TestedWebhook(TypedDict):
    message_id: str  # The `webhook-id` that the test event will have


class Token(TypedDict):
    symbol: str  # A label that may change: identify tokens by their contract or their group
    display_asset: str
    logo: str
    contract: Optional[str]  # Null for the native token
    decimals: int
    price_in_usd: Number
    precision: Number  # The number of decimals with which amounts are shown
    listing_date: str
    source_rank: int
    destination_rank: int
    group: Optional[str]
    supports_gasless_deposit: bool


Transaction = TypedDict(
    "Transaction",
    {
        "from": "Optional[str]",
        "to": "Optional[str]",
        "timestamp": "str",
        "created_date": "str",  # The same as timestamp, under the name that older clients read
        "transaction_hash": "Optional[str]",
        "confirmations": "int",
        "max_confirmations": "int",
        "amount": "Number",
        "amount_in_usd": "Optional[Number]",
        "usd_value": "Optional[Number]",  # The same as amount_in_usd
        "usd_price": "Optional[Number]",  # The price of one token at the swap's creation, in dollars
        "type": "str",  # input: the deposit. output: the delivered amount. refuel: gas delivered with it. refund: a refund
        "status": "str",  # pending: not in a block, or not sent. initiated: in a block or sent, with too few confirmations. completed: confirmed
        "token": "Token",
        "network": "Network",
        "fee_amount": "Optional[Number]",
        "fee_token": "Token",
    },
)


class TransactionStatus(TypedDict):
    status: str
    network: str
    transaction_id: str
    is_found: bool
    is_completed: bool
    confirmations: int
    max_confirmations: int


class UnmatchedDeposit(TypedDict):
    network: str
    transaction_hash: str
    seen_at: str
    state: str  # waiting: an operator will assign it to a swap or refund it. kept: the operator has set it aside


class UpdateWebhookBody(TypedDict):
    event_types: Optional[list[str]]  # The types of events to send from now on; null for all types


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    event_types: Optional[list[str]]  # The types of events that the endpoint receives; null for all types, including future ones
    created_date: str


class WellKnown(TypedDict):
    service: str
    environment: str
    api: str
    quote_signing_keys: list[WellKnownQuoteSigningKeysItem]


class WellKnownQuoteSigningKeysItem(TypedDict):
    key_id: str
    algorithm: str
    public_key: str


class Withdrawal(TypedDict):
    network: Network
    token: Token
    fee: WithdrawalFee  # The fixed cost of a swap into the destination, without the percentage; 0 if none was named


class WithdrawalFee(TypedDict):
    total_fee: Number
    total_fee_in_usd: Number


class Api(Transport):
    """One method per call. Failures raise `CausewayError`."""

    def list_networks(
        self,
        *,
        network_types: Optional[Sequence[str]] = None,
    ) -> list[ListedNetwork]:
        """Every network and its tokens"""
        return self.call("GET", "/api/v2/networks", query={"network_types": network_types})

    def list_sources(
        self,
        *,
        network_types: Optional[Sequence[str]] = None,
        include_swaps: Optional[bool] = None,
        include_unavailable: Optional[bool] = None,
        include_unmatched: Optional[bool] = None,
        has_deposit_address: Optional[bool] = None,
        include_swaps_via_deposit_address: Optional[bool] = None,
        destination_network: Optional[str] = None,
        destination_token: Optional[str] = None,
    ) -> list[RouteNetwork]:
        """Tokens that can be swapped from"""
        return self.call("GET", "/api/v2/sources", query={"network_types": network_types, "include_swaps": include_swaps, "include_unavailable": include_unavailable, "include_unmatched": include_unmatched, "has_deposit_address": has_deposit_address, "include_swaps_via_deposit_address": include_swaps_via_deposit_address, "destination_network": destination_network, "destination_token": destination_token})

    def list_destinations(
        self,
        *,
        network_types: Optional[Sequence[str]] = None,
        include_swaps: Optional[bool] = None,
        include_unavailable: Optional[bool] = None,
        include_unmatched: Optional[bool] = None,
        has_deposit_address: Optional[bool] = None,
        include_swaps_via_deposit_address: Optional[bool] = None,
        source_network: Optional[str] = None,
        source_token: Optional[str] = None,
    ) -> list[RouteNetwork]:
        """Tokens that can be swapped into"""
        return self.call("GET", "/api/v2/destinations", query={"network_types": network_types, "include_swaps": include_swaps, "include_unavailable": include_unavailable, "include_unmatched": include_unmatched, "has_deposit_address": has_deposit_address, "include_swaps_via_deposit_address": include_swaps_via_deposit_address, "source_network": source_network, "source_token": source_token})

    def get_transaction_status(
        self,
        *,
        network: str,
        transaction_id: str,
    ) -> TransactionStatus:
        """What a chain says of a transaction"""
        return self.call("GET", "/api/v2/transaction_status", query={"network": network, "transaction_id": transaction_id})

    def check_address(
        self,
        *,
        network: str,
        address: str,
    ) -> CheckedAddress:
        """What an address is, before anything is sent there"""
        return self.call("GET", "/api/v2/address", query={"network": network, "address": address})

    def get_balance(
        self,
        *,
        network: str,
        token: str,
        address: str,
    ) -> Balance:
        """What an address holds, and what sending costs"""
        return self.call("GET", "/api/v2/balance", query={"network": network, "token": token, "address": address})

    def list_source_exchanges(
        self,
    ) -> list[Exchange]:
        """Exchanges to deposit from"""
        return self.call("GET", "/api/v2/source_exchanges")

    def list_withdrawal_networks(
        self,
        *,
        exchange: Optional[str] = None,
        source_exchange: Optional[str] = None,
        destination_network: Optional[str] = None,
        destination_token: Optional[str] = None,
    ) -> list[Withdrawal]:
        """Where exchanges pay out to"""
        return self.call("GET", "/api/v2/exchange_withdrawal_networks", query={"exchange": exchange, "source_exchange": source_exchange, "destination_network": destination_network, "destination_token": destination_token})

    def get_limits(
        self,
        *,
        source_network: str,
        source_token: str,
        destination_network: str,
        destination_token: str,
        amount: Optional[Union[Number, str]] = None,
        slippage: Optional[Union[Number, str]] = None,
        refuel: Optional[bool] = None,
        use_deposit_address: Optional[bool] = None,
        use_depository: Optional[bool] = None,
        use_gasless: Optional[bool] = None,
        source_address: Optional[str] = None,
        destination_address: Optional[str] = None,
    ) -> Limits:
        """The smallest and the largest amount of a route"""
        return self.call("GET", "/api/v2/limits", query={"source_network": source_network, "source_token": source_token, "destination_network": destination_network, "destination_token": destination_token, "amount": amount, "slippage": slippage, "refuel": refuel, "use_deposit_address": use_deposit_address, "use_depository": use_depository, "use_gasless": use_gasless, "source_address": source_address, "destination_address": destination_address})

    def get_quote(
        self,
        *,
        source_network: str,
        source_token: str,
        destination_network: str,
        destination_token: str,
        amount: Union[Number, str],
        slippage: Optional[Union[Number, str]] = None,
        refuel: Optional[bool] = None,
        use_deposit_address: Optional[bool] = None,
        use_depository: Optional[bool] = None,
        use_gasless: Optional[bool] = None,
        source_address: Optional[str] = None,
        destination_address: Optional[str] = None,
    ) -> Quoted:
        """What a swap of this amount would cost and deliver now"""
        return self.call("GET", "/api/v2/quote", query={"source_network": source_network, "source_token": source_token, "destination_network": destination_network, "destination_token": destination_token, "amount": amount, "slippage": slippage, "refuel": refuel, "use_deposit_address": use_deposit_address, "use_depository": use_depository, "use_gasless": use_gasless, "source_address": source_address, "destination_address": destination_address})

    def get_detailed_quote(
        self,
        *,
        source_network: str,
        source_token: str,
        destination_network: str,
        destination_token: str,
        amount: Optional[Union[Number, str]] = None,
        slippage: Optional[Union[Number, str]] = None,
        refuel: Optional[bool] = None,
        use_deposit_address: Optional[bool] = None,
        use_depository: Optional[bool] = None,
        use_gasless: Optional[bool] = None,
        source_address: Optional[str] = None,
        destination_address: Optional[str] = None,
    ) -> list[QuoteTier]:
        """What a route costs, by tiers of the amount"""
        return self.call("GET", "/api/v2/detailed_quote", query={"source_network": source_network, "source_token": source_token, "destination_network": destination_network, "destination_token": destination_token, "amount": amount, "slippage": slippage, "refuel": refuel, "use_deposit_address": use_deposit_address, "use_depository": use_depository, "use_gasless": use_gasless, "source_address": source_address, "destination_address": destination_address})

    def create_swap(
        self,
        body: CreateSwapBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> CreatedSwap:
        """Make a swap, and learn what to deposit"""
        return self.call("POST", "/api/v2/swaps", body=body, idempotency_key=idempotency_key or self.new_key())

    def list_swaps(
        self,
        *,
        page: Optional[int] = None,
        statuses: Optional[Sequence[str]] = None,
        networks: Optional[Sequence[str]] = None,
        cursor: Optional[str] = None,
        created_from: Optional[str] = None,
        created_before: Optional[str] = None,
        source_network: Optional[str] = None,
        destination_network: Optional[str] = None,
        include_expired: Optional[bool] = None,
        address: Optional[Sequence[str]] = None,
        addresses: Optional[Sequence[str]] = None,
        reference_id: Optional[str] = None,
    ) -> list[ListedSwap]:
        """An address's, a reference's or an app's swaps"""
        return self.call("GET", "/api/v2/swaps", query={"page": page, "statuses": statuses, "networks": networks, "cursor": cursor, "created_from": created_from, "created_before": created_before, "source_network": source_network, "destination_network": destination_network, "include_expired": include_expired, "address": address, "addresses": addresses, "reference_id": reference_id})

    def get_swap(
        self,
        swap_id: str,
        *,
        source_address: Optional[str] = None,
        exclude_deposit_actions: Optional[bool] = None,
    ) -> SwapDetails:
        """A swap, its quote and its transactions"""
        return self.call("GET", "/api/v2/swaps/{swapId}", path_parameters={"swapId": swap_id}, query={"source_address": source_address, "exclude_deposit_actions": exclude_deposit_actions})

    def get_deposit_actions(
        self,
        swap_id: str,
        *,
        source_address: Optional[str] = None,
    ) -> list[DepositAction]:
        """What to deposit, and how"""
        return self.call("GET", "/api/v2/swaps/{swapId}/deposit_actions", path_parameters={"swapId": swap_id}, query={"source_address": source_address})

    def get_swap_progress(
        self,
        swap_id: str,
    ) -> SwapProgress:
        """How far a swap is, against the usual time, and what it waits for"""
        return self.call("GET", "/api/v2/swaps/{swapId}/progress", path_parameters={"swapId": swap_id})

    def get_swap_by_transaction_hash(
        self,
        transaction_hash: str,
    ) -> SwapDetails:
        """The swap of a transaction"""
        return self.call("GET", "/api/v2/swaps/by_transaction_hash/{transactionHash}", path_parameters={"transactionHash": transaction_hash})

    def speed_up_deposit(
        self,
        swap_id: str,
        body: SpeedupBody,
    ) -> Nothing:
        """Name the deposit that was sent"""
        return self.call("POST", "/api/v2/swaps/{swapId}/deposit_speedup", path_parameters={"swapId": swap_id}, body=body)

    def authorize_deposit(
        self,
        swap_id: str,
        body: AuthorizeBody,
    ) -> Authorization:
        """Submit the authorization of a gasless deposit"""
        return self.call("POST", "/api/v2/swaps/{swapId}/authorize", path_parameters={"swapId": swap_id}, body=body)

    def get_authorization(
        self,
        swap_id: str,
    ) -> Authorization:
        """What became of a gasless authorization"""
        return self.call("GET", "/api/v2/swaps/{swapId}/authorize", path_parameters={"swapId": swap_id})

    def set_refund_address(
        self,
        swap_id: str,
        body: RefundAddressBody,
    ) -> Nothing:
        """Say where owed money shall go"""
        return self.call("POST", "/api/v2/swaps/{swapId}/refund_address", path_parameters={"swapId": swap_id}, body=body)

    def list_explorer_swaps(
        self,
        *,
        page: Optional[int] = None,
        statuses: Optional[Sequence[str]] = None,
        networks: Optional[Sequence[str]] = None,
        cursor: Optional[str] = None,
        created_from: Optional[str] = None,
        created_before: Optional[str] = None,
        source_network: Optional[str] = None,
        destination_network: Optional[str] = None,
        include_expired: Optional[bool] = None,
        address: Optional[Sequence[str]] = None,
        addresses: Optional[Sequence[str]] = None,
        reference_id: Optional[str] = None,
    ) -> list[ExplorerRow]:
        """Every swap, newest first"""
        return self.call("GET", "/api/v2/explorer", query={"page": page, "statuses": statuses, "networks": networks, "cursor": cursor, "created_from": created_from, "created_before": created_before, "source_network": source_network, "destination_network": destination_network, "include_expired": include_expired, "address": address, "addresses": addresses, "reference_id": reference_id})

    def search_swaps(
        self,
        search: str,
        *,
        page: Optional[int] = None,
        statuses: Optional[Sequence[str]] = None,
        networks: Optional[Sequence[str]] = None,
        cursor: Optional[str] = None,
        created_from: Optional[str] = None,
        created_before: Optional[str] = None,
        source_network: Optional[str] = None,
        destination_network: Optional[str] = None,
        include_expired: Optional[bool] = None,
        address: Optional[Sequence[str]] = None,
        addresses: Optional[Sequence[str]] = None,
        reference_id: Optional[str] = None,
    ) -> list[ExplorerRow]:
        """Swaps by address, transaction or id"""
        return self.call("GET", "/api/v2/explorer/{search}", path_parameters={"search": search}, query={"page": page, "statuses": statuses, "networks": networks, "cursor": cursor, "created_from": created_from, "created_before": created_before, "source_network": source_network, "destination_network": destination_network, "include_expired": include_expired, "address": address, "addresses": addresses, "reference_id": reference_id})

    def get_analytics(
        self,
        *,
        period: Optional[str] = None,
    ) -> Analytics:
        """Volumes by network and over time"""
        return self.call("GET", "/api/v2/explorer/analytics", query={"period": period})

    def list_unmatched_deposits(
        self,
        transaction_hash: str,
    ) -> list[UnmatchedDeposit]:
        """Deposits of a transaction that name no swap"""
        return self.call("GET", "/api/v2/unmatched/{transactionHash}", path_parameters={"transactionHash": transaction_hash})

    def list_route_health(
        self,
    ) -> list[RouteHealth]:
        """How many swaps of each route arrived, and how fast"""
        return self.call("GET", "/api/v2/routes/health")

    def list_campaigns(
        self,
    ) -> list[Campaign]:
        """Reward campaigns"""
        return self.call("GET", "/api/v2/campaigns")

    def get_campaign(
        self,
        campaign: str,
    ) -> Campaign:
        """A campaign, by its id or name"""
        return self.call("GET", "/api/v2/campaigns/{campaign}", path_parameters={"campaign": campaign})

    def get_leaderboard(
        self,
        campaign: str,
    ) -> Leaderboard:
        """Who earned most"""
        return self.call("GET", "/api/v2/campaigns/{campaign}/leaderboard", path_parameters={"campaign": campaign})

    def get_rewards(
        self,
        campaign: str,
        address: str,
    ) -> EarnedRewards:
        """What an address earned"""
        return self.call("GET", "/api/v2/campaigns/{campaign}/rewards/{address}", path_parameters={"campaign": campaign, "address": address})

    def list_reward_payouts(
        self,
        campaign: str,
        address: str,
    ) -> list[RewardPayout]:
        """What an address was paid"""
        return self.call("GET", "/api/v2/campaigns/{campaign}/payouts/{address}", path_parameters={"campaign": campaign, "address": address})

    def create_webhook(
        self,
        body: CreateWebhookBody,
    ) -> CreatedWebhook:
        """Add a webhook endpoint; its secret is shown once"""
        return self.call("POST", "/api/v2/webhooks", body=body)

    def list_webhooks(
        self,
    ) -> list[WebhookEndpoint]:
        """The app's webhook endpoints"""
        return self.call("GET", "/api/v2/webhooks")

    def update_webhook(
        self,
        webhook_id: str,
        body: UpdateWebhookBody,
    ) -> WebhookEndpoint:
        """Choose which events an endpoint receives"""
        return self.call("PATCH", "/api/v2/webhooks/{webhookId}", path_parameters={"webhookId": webhook_id}, body=body)

    def delete_webhook(
        self,
        webhook_id: str,
    ) -> Nothing:
        """Remove a webhook endpoint"""
        return self.call("DELETE", "/api/v2/webhooks/{webhookId}", path_parameters={"webhookId": webhook_id})

    def test_webhook(
        self,
        webhook_id: str,
    ) -> TestedWebhook:
        """Send a test event to an endpoint"""
        return self.call("POST", "/api/v2/webhooks/{webhookId}/test", path_parameters={"webhookId": webhook_id})

    def replay_webhooks(
        self,
        body: ReplayBody,
    ) -> Replayed:
        """Send a swap's events again"""
        return self.call("POST", "/api/v2/webhooks/replay", body=body)

    def get_health(
        self,
    ) -> None:
        """Whether the service runs"""
        return self.call("GET", "/api/v2/health")

    def get_app(
        self,
        *,
        name: str,
    ) -> App:
        """An app by its name, as pages show it"""
        return self.call("GET", "/api/v2/internal/apps", query={"name": name})

    def get_site(
        self,
    ) -> Site:
        """Who runs this service, its clock, and what is paused"""
        return self.call("GET", "/api/v2/site")

    def get_status(
        self,
    ) -> ServiceStatus:
        """Whether each network can be read, now and on the last days"""
        return self.call("GET", "/api/v2/status")

    def get_well_known(
        self,
    ) -> WellKnown:
        """Who we are, and the key of our signatures"""
        return self.call("GET", "/.well-known/causeway.json", is_wrapped=False)
