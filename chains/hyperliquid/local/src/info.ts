/** The local chain's answers at `/info` and `/explorer`, with the network's own names and shapes. */
import type { LocalChain } from './chain.ts'
import { decimal } from './decimal.ts'
import { feeOf } from './exchange.ts'

type Question = Readonly<Record<string, unknown>>
type Answer = (chain: LocalChain, question: Question) => unknown

const PAGE = 500

/** The weight of each request; a ledger also costs one for every twenty rows. */
export const WEIGHTS: Readonly<Record<string, number>> = {
  exchangeStatus: 2,
  spotClearinghouseState: 2,
  clearinghouseState: 2,
  userRole: 60,
  txDetails: 40,
  userDetails: 40,
}
export const USUAL_WEIGHT = 20

export const ANSWERS: Readonly<Record<string, Answer>> = {
  exchangeStatus: (chain) => ({ time: chain.time - chain.lagMs, specialStatuses: null }),

  spotMeta: ({ plan }) => ({
    universe: [],
    tokens: plan.tokens.map(({ name, id, index, decimals }) => ({
      ...{ name, szDecimals: 2, weiDecimals: decimals, index, tokenId: id, isCanonical: true },
      ...{ evmContract: null, fullName: null, deployerTradingFeeShare: '0.0' },
    })),
  }),

  spotClearinghouseState(chain, { user }) {
    const { account } = chain.seen(addressIn(user))
    const balances = [...(account?.spot ?? [])]
      .filter(([, units]) => units > 0n)
      .map(([index, units]) => {
        const token = chain.plan.tokens.find((one) => one.index === index)
        const total = decimal(units, token?.decimals ?? 8)
        return { coin: token?.name ?? `#${index}`, token: index, total, hold: '0.0', entryNtl: '0.0' }
      })
    return { balances }
  },

  clearinghouseState(chain, { user }) {
    const { account } = chain.seen(addressIn(user))
    const value = decimal(account?.perp ?? 0n, 6)
    const summary = { accountValue: value, totalNtlPos: '0.0', totalRawUsd: value, totalMarginUsed: '0.0' }
    return {
      ...{ marginSummary: summary, crossMarginSummary: summary, crossMaintenanceMarginUsed: '0.0' },
      ...{ withdrawable: value, assetPositions: [], time: chain.time - chain.lagMs },
    }
  },

  userNonFundingLedgerUpdates(chain, { user, startTime = 0, endTime = null }) {
    const until = endTime === null ? Number.POSITIVE_INFINITY : Number(endTime)
    const { rows } = chain.seen(addressIn(user))
    return rows.filter(({ time }) => time >= Number(startTime) && time <= until).slice(0, PAGE)
  },

  preTransferCheck(chain, { user, source }) {
    const fee = feeOf(chain, chain.account(addressIn(source)), addressIn(user))
    const known = chain.account(addressIn(user))
    return {
      fee: decimal(fee, 8),
      isSanctioned: known?.role === 'sanctioned',
      userExists: known !== undefined,
      userHasSentTx: known?.hasSent ?? false,
    }
  },

  userRole: (chain, { user }) => ({ role: chain.account(addressIn(user))?.role ?? 'missing' }),
  userAbstraction: (chain, { user }) => chain.account(addressIn(user))?.mode ?? 'default',
  extraAgents: () => [],

  userRateLimit(chain, { user }) {
    const used = chain.account(addressIn(user))?.sent ?? 0
    return { cumVlm: '0.0', nRequestsUsed: used, nRequestsCap: 10_000, nRequestsSurplus: 0 }
  },

  txDetails(chain, { hash }) {
    const found = chain.actions.find((one) => one.hash === hash)
    return found ? { type: 'txDetails', tx: { ...found, error: null } } : null
  },

  userDetails(chain, { user }) {
    const txs = chain.actions.filter((one) => one.user === addressIn(user)).slice(-300)
    return { type: 'userDetails', txs: txs.map((one) => ({ ...one, error: null })).toReversed() }
  },
}

export function addressIn(value: unknown): string {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase()
  throw new TypeError('Failed to deserialize the JSON body into the target type')
}
