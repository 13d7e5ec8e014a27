/** The client: one method per endpoint, built on `fetch` alone. */
import type { AnalyticsPeriod } from '@causeway/core/vocabulary'
import type * as wire from '../types.ts'
import { type ClientOptions, createHttp, type Query } from './http.ts'
import type {
  CallOptions,
  CreateOptions,
  CreateSwapRequest,
  DestinationsRequest,
  QuoteRequest,
  RouteRequest,
  SourcesRequest,
  SwapsRequest,
  WebhookOptions,
} from './requests.ts'
import { type WaitOptions, type WatchOptions, waitForSwap, watchSwap } from './watch.ts'

export type CausewayClient = ReturnType<typeof createClient>

const API = '/api/v2'

export function createClient(options: ClientOptions) {
  const http = createHttp(options)
  const get = <Data>(path: string, request: object = {}, { signal }: CallOptions = {}) =>
    http.call<Data>(API + path, { query: request as Query, signal })
  const post = <Data>(path: string, body: object, { signal, idempotencyKey }: CreateOptions = {}) =>
    http.call<Data>(API + path, { method: 'POST', body, signal, ...(idempotencyKey ? { idempotencyKey } : {}) })
  const campaignPath = (campaign: string) => `/campaigns/${encodeURIComponent(campaign)}`
  const webhookPath = (webhookId: string) => `${API}/webhooks/${encodeURIComponent(webhookId)}`
  const swapPath = (swapId: string) => `/swaps/${encodeURIComponent(swapId)}`

  return {
    /** Resolves when the service answers. */
    health: (call?: CallOptions) => get<void>('/health', {}, call),
    /** The service's name, and the keys that verify its signed quotes. */
    wellKnown: ({ signal }: CallOptions = {}) => http.call<wire.WellKnown>('/.well-known/causeway.json', { signal }),

    networks: (request: { network_types?: readonly wire.NetworkType[] } = {}, call?: CallOptions) =>
      get<wire.ListedNetwork[]>('/networks', request, call),
    sources: (request: SourcesRequest = {}, call?: CallOptions) => get<wire.RouteNetwork[]>('/sources', request, call),
    destinations: (request: DestinationsRequest = {}, call?: CallOptions) =>
      get<wire.RouteNetwork[]>('/destinations', request, call),
    sourceExchanges: (call?: CallOptions) => get<wire.Exchange[]>('/source_exchanges', {}, call),
    /** The tokens an exchange pays out, and which of them can be swapped into the given token. */
    exchangeWithdrawalNetworks: (
      request: { exchange?: string; destination_network?: string; destination_token?: string } = {},
      call?: CallOptions,
    ) => get<wire.Withdrawal[]>('/exchange_withdrawal_networks', request, call),

    limits: (request: RouteRequest, call?: CallOptions) => get<wire.Limits>('/limits', request, call),
    quote: (request: QuoteRequest, call?: CallOptions) => get<wire.Quoted>('/quote', request, call),
    detailedQuote: (request: RouteRequest, call?: CallOptions) =>
      get<wire.QuoteTier[]>('/detailed_quote', request, call),
    transactionStatus: (request: { network: string; transaction_id: string }, call?: CallOptions) =>
      get<wire.TransactionStatus>('/transaction_status', request, call),

    /** The service's name, its clock, and what is paused. */
    site: (call?: CallOptions) => get<wire.Site>('/site', {}, call),
    /** Whether the service reads each network, now and on the last days. */
    status: (call?: CallOptions) => get<wire.ServiceStatus>('/status', {}, call),
    balance: (request: { network: string | number; token: string; address: string }, call?: CallOptions) =>
      get<wire.Balance>('/balance', request, call),
    /** Checks an address before anything is sent to it. */
    address: (request: { network: string | number; address: string }, call?: CallOptions) =>
      get<wire.CheckedAddress>('/address', request, call),
    routesHealth: (call?: CallOptions) => get<wire.RouteHealth[]>('/routes/health', {}, call),

    /** Creates one swap, even if the first response is lost: every call carries an idempotency key. */
    createSwap: (request: CreateSwapRequest, call: CreateOptions = {}) =>
      post<wire.CreatedSwap>('/swaps', request, { idempotencyKey: crypto.randomUUID(), ...call }),
    swap: (
      swapId: string,
      request: { exclude_deposit_actions?: boolean; source_address?: string } = {},
      call?: CallOptions,
    ) => get<wire.SwapDetails>(swapPath(swapId), request, call),
    /** How far a swap is, compared with the usual time, and what it waits for. */
    progress: (swapId: string, call?: CallOptions) => get<wire.SwapProgress>(`${swapPath(swapId)}/progress`, {}, call),
    swaps: (request: SwapsRequest = {}, call?: CallOptions) => get<wire.ListedSwap[]>('/swaps', request, call),
    swapByTransaction: (hash: string, call?: CallOptions) =>
      get<wire.SwapDetails>(`/swaps/by_transaction_hash/${encodeURIComponent(hash)}`, {}, call),
    depositActions: (swapId: string, request: { source_address?: string } = {}, call?: CallOptions) =>
      get<wire.DepositAction[]>(`${swapPath(swapId)}/deposit_actions`, request, call),
    /** Tells the service about a deposit before it finds it. */
    speedUp: async (swapId: string, transactionHash: string, call?: CallOptions): Promise<void> => {
      await post(`${swapPath(swapId)}/deposit_speedup`, { transaction_id: transactionHash }, call)
    },
    authorization: (swapId: string, call?: CallOptions) =>
      get<wire.Authorization>(`${swapPath(swapId)}/authorize`, {}, call),
    authorize: (swapId: string, request: wire.AuthorizeBody, call?: CallOptions) =>
      post<wire.Authorization>(`${swapPath(swapId)}/authorize`, request, call),

    /**
     * Sets the refund address of owed money: with the key of the swap's app, or with a `signature` over
     * `refundAddressText` by the address that sent the deposit.
     */
    giveRefundAddress: async (swapId: string, request: wire.RefundAddressBody, call?: CallOptions): Promise<void> => {
      await post(`${swapPath(swapId)}/refund_address`, request, call)
    },

    /**
     * The swap now and on every change, until a terminal status: `for await (const { swap } of client.watchSwap(id))`.
     */
    watchSwap: (swapId: string, watch?: WatchOptions) => watchSwap(http, swapId, watch),
    /** The swap at a terminal status, or at one of `until`. */
    waitForSwap: (swapId: string, wait?: WaitOptions) => waitForSwap(http, swapId, wait),

    explorer: (request: SwapsRequest = {}, call?: CallOptions) => get<wire.ExplorerRow[]>('/explorer', request, call),
    explorerSearch: (search: string, request: SwapsRequest = {}, call?: CallOptions) =>
      get<wire.ExplorerRow[]>(`/explorer/${encodeURIComponent(search)}`, request, call),
    /** Deposits of a transaction that match no swap. */
    unmatched: (transactionHash: string, call?: CallOptions) =>
      get<wire.UnmatchedDeposit[]>(`/unmatched/${encodeURIComponent(transactionHash)}`, {}, call),
    analytics: (request: { period?: AnalyticsPeriod } = {}, call?: CallOptions) =>
      get<wire.Analytics>('/explorer/analytics', request, call),

    campaigns: (call?: CallOptions) => get<wire.Campaign[]>('/campaigns', {}, call),
    campaign: (campaign: string, call?: CallOptions) => get<wire.Campaign>(campaignPath(campaign), {}, call),
    leaderboard: (campaign: string, call?: CallOptions) =>
      get<wire.Leaderboard>(`${campaignPath(campaign)}/leaderboard`, {}, call),
    /** The rewards of an address in a campaign. */
    rewards: (campaign: string, address: string, call?: CallOptions) =>
      get<wire.EarnedRewards>(`${campaignPath(campaign)}/rewards/${encodeURIComponent(address)}`, {}, call),
    /** The payouts of these rewards. */
    rewardPayouts: (campaign: string, address: string, call?: CallOptions) =>
      get<wire.RewardPayout[]>(`${campaignPath(campaign)}/payouts/${encodeURIComponent(address)}`, {}, call),

    webhooks: (call?: CallOptions) => get<wire.WebhookEndpoint[]>('/webhooks', {}, call),
    /** Adds a webhook endpoint. The response contains the secret, which is never shown again. */
    addWebhook: (url: string, { eventTypes, ...call }: WebhookOptions = {}) =>
      post<wire.CreatedWebhook>('/webhooks', { url, ...(eventTypes ? { event_types: eventTypes } : {}) }, call),
    /** Chooses the events that an endpoint receives from now on; null: all. */
    updateWebhook: (webhookId: string, request: wire.UpdateWebhookBody, { signal }: CallOptions = {}) =>
      http.call<wire.WebhookEndpoint>(webhookPath(webhookId), { method: 'PATCH', body: request, signal }),
    /** Sends a signed event of type `webhook.test` to an endpoint. */
    testWebhook: (webhookId: string, call?: CallOptions) =>
      post<wire.TestedWebhook>(`/webhooks/${encodeURIComponent(webhookId)}/test`, {}, call),
    removeWebhook: async (webhookId: string, { signal }: CallOptions = {}): Promise<void> => {
      await http.call(webhookPath(webhookId), { method: 'DELETE', signal })
    },
    /** Sends all webhooks of a swap again. */
    replayWebhooks: (swapId: string, call?: CallOptions) =>
      post<wire.Replayed>('/webhooks/replay', { swap_id: swapId }, call),
  }
}
