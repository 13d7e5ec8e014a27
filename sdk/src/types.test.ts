/** The plain types are those of the schemas: the compiler checks each pair in both directions. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type * as types from './types.ts'
import type * as wire from './wire.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

interface Pairs {
  Analytics: Same<types.Analytics, wire.Analytics>
  ApiError: Same<types.ApiError, wire.ApiError>
  App: Same<types.App, wire.App>
  Authorization: Same<types.Authorization, wire.Authorization>
  AuthorizeBody: Same<types.AuthorizeBody, z.input<typeof wire.AuthorizeBody>>
  Balance: Same<types.Balance, wire.Balance>
  Campaign: Same<types.Campaign, wire.Campaign>
  CheckedAddress: Same<types.CheckedAddress, wire.CheckedAddress>
  CreateSwapBody: Same<types.CreateSwapBody, z.input<typeof wire.CreateSwapBody>>
  CreateWebhookBody: Same<types.CreateWebhookBody, z.input<typeof wire.CreateWebhookBody>>
  CreatedSwap: Same<types.CreatedSwap, wire.CreatedSwap>
  CreatedWebhook: Same<types.CreatedWebhook, wire.CreatedWebhook>
  DepositAction: Same<types.DepositAction, wire.DepositAction>
  EarnedRewards: Same<types.EarnedRewards, wire.EarnedRewards>
  Earner: Same<types.Earner, z.infer<typeof wire.Earner>>
  Exchange: Same<types.Exchange, wire.Exchange>
  ExplorerRow: Same<types.ExplorerRow, wire.ExplorerRow>
  Failure: Same<types.Failure, wire.Failure>
  Funding: Same<types.Funding, wire.Funding>
  Leaderboard: Same<types.Leaderboard, wire.Leaderboard>
  Leg: Same<types.Leg, wire.Leg>
  Limits: Same<types.Limits, wire.Limits>
  ListedNetwork: Same<types.ListedNetwork, wire.ListedNetwork>
  ListedSwap: Same<types.ListedSwap, wire.ListedSwap>
  Network: Same<types.Network, wire.Network>
  NetworkMetadata: Same<types.NetworkMetadata, z.infer<typeof wire.NetworkMetadata>>
  NetworkStatus: Same<types.NetworkStatus, wire.ServiceStatus['networks'][number]>
  NetworkType: Same<types.NetworkType, wire.NetworkType>
  NetworkVolumes: Same<types.NetworkVolumes, wire.NetworkVolumes>
  Owed: Same<types.Owed, wire.Owed>
  Quote: Same<types.Quote, wire.Quote>
  QuoteSignature: Same<types.QuoteSignature, wire.QuoteSignature>
  QuoteTier: Same<types.QuoteTier, wire.QuoteTier>
  Quoted: Same<types.Quoted, wire.Quoted>
  Refuel: Same<types.Refuel, wire.Refuel>
  RefundAddressBody: Same<types.RefundAddressBody, z.input<typeof wire.RefundAddressBody>>
  ReplayBody: Same<types.ReplayBody, z.input<typeof wire.ReplayBody>>
  Replayed: Same<types.Replayed, wire.Replayed>
  Reward: Same<types.Reward, wire.Reward>
  RewardPayout: Same<types.RewardPayout, wire.RewardPayout>
  RouteHealth: Same<types.RouteHealth, wire.RouteHealth>
  RouteNetwork: Same<types.RouteNetwork, wire.RouteNetwork>
  RouteToken: Same<types.RouteToken, wire.RouteToken>
  ServiceStatus: Same<types.ServiceStatus, wire.ServiceStatus>
  Site: Same<types.Site, wire.Site>
  SpeedupBody: Same<types.SpeedupBody, z.input<typeof wire.SpeedupBody>>
  Swap: Same<types.Swap, wire.Swap>
  SwapDetails: Same<types.SwapDetails, wire.SwapDetails>
  SwapEvent: Same<types.SwapEvent, wire.SwapEvent>
  SwapEventType: Same<types.SwapEventType, wire.SwapEventType>
  SwapProgress: Same<types.SwapProgress, wire.SwapProgress>
  SwapStatus: Same<types.SwapStatus, wire.SwapStatus>
  TestEvent: Same<types.TestEvent, wire.TestEvent>
  TestedWebhook: Same<types.TestedWebhook, wire.TestedWebhook>
  Token: Same<types.Token, wire.Token>
  Transaction: Same<types.Transaction, wire.Transaction>
  TransactionStatus: Same<types.TransactionStatus, wire.TransactionStatus>
  UnmatchedDeposit: Same<types.UnmatchedDeposit, wire.UnmatchedDeposit>
  UpdateWebhookBody: Same<types.UpdateWebhookBody, z.input<typeof wire.UpdateWebhookBody>>
  WebhookEndpoint: Same<types.WebhookEndpoint, wire.WebhookEndpoint>
  WellKnown: Same<types.WellKnown, wire.WellKnown>
  Withdrawal: Same<types.Withdrawal, wire.Withdrawal>
}

/** Does not compile if one of them differs. */
const PAIRS: Record<keyof Pairs, true> & Pairs = {
  Analytics: true,
  ApiError: true,
  App: true,
  Authorization: true,
  AuthorizeBody: true,
  Balance: true,
  Campaign: true,
  CheckedAddress: true,
  CreateSwapBody: true,
  CreateWebhookBody: true,
  CreatedSwap: true,
  CreatedWebhook: true,
  DepositAction: true,
  EarnedRewards: true,
  Earner: true,
  Exchange: true,
  ExplorerRow: true,
  Failure: true,
  Funding: true,
  Leaderboard: true,
  Leg: true,
  Limits: true,
  ListedNetwork: true,
  ListedSwap: true,
  Network: true,
  NetworkMetadata: true,
  NetworkStatus: true,
  NetworkType: true,
  NetworkVolumes: true,
  Owed: true,
  Quote: true,
  QuoteSignature: true,
  QuoteTier: true,
  Quoted: true,
  Refuel: true,
  RefundAddressBody: true,
  ReplayBody: true,
  Replayed: true,
  Reward: true,
  RewardPayout: true,
  RouteHealth: true,
  RouteNetwork: true,
  RouteToken: true,
  ServiceStatus: true,
  Site: true,
  SpeedupBody: true,
  Swap: true,
  SwapDetails: true,
  SwapEvent: true,
  SwapEventType: true,
  SwapProgress: true,
  SwapStatus: true,
  TestEvent: true,
  TestedWebhook: true,
  Token: true,
  Transaction: true,
  TransactionStatus: true,
  UnmatchedDeposit: true,
  UpdateWebhookBody: true,
  WebhookEndpoint: true,
  WellKnown: true,
  Withdrawal: true,
}

test('every plain type is compared with its schema', () => {
  const text = readFileSync(path.join(import.meta.dirname, 'types.ts'), 'utf8')
  const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name)
  expect(Object.keys(PAIRS)).toEqual(names)
})
