/**
 * The overview: what waits for an operator, how much and how old it is; what is paused; whether ledger and chains
 * agree.
 */
import { tokenKey } from '@causeway/core'
import { LASTS_MS } from '../admin/commands/request.ts'
import { shownHold } from '../admin/context/hold-ref.ts'
import { amountsOf, type Shown } from '../market/amounts.ts'
import { tokenScope } from '../market/safeguards.ts'
import { countGivenUp } from '../store/apps/webhooks.ts'
import { listUnmatched, moreUnmatched } from '../store/deposits/unmatched.ts'
import { listFindings } from '../store/ledger/ledger.ts'
import { listHalts } from '../store/limits/halts.ts'
import { listLimits, listSwitches } from '../store/limits/safeguards.ts'
import { openRequests } from '../store/operators/requests.ts'
import { listHeld } from '../store/payouts/holds.ts'
import { listOwed } from '../store/swaps/owed-refunds.ts'
import { motionSince } from '../store/swaps/profit-and-loss.ts'
import { readHeads } from '../store/watch/cursors.ts'
import { walletBalances } from './balances.ts'
import type { Console } from './console.ts'
import { resultOf } from './result.ts'

const MOST = 200
const DAY_MS = 24 * 3_600_000

interface Waiting extends Shown {
  kind: 'held' | 'owed' | 'unmatched' | 'request'
  id: string
  /** The related swap; null if there is none. */
  swap: string | null
  since: string
  reason: string
}

export async function overview(house: Console) {
  const { database, catalogue, now } = house
  const dayAgo = new Date(now().getTime() - DAY_MS)
  const { shown, worth } = amountsOf(house)
  const [motion, requests, held, owed, unmatched, switches, halts, findings, heads, givenUp, limits] =
    await Promise.all([
      motionSince(database, dayAgo),
      openRequests(database, new Date(now().getTime() - LASTS_MS), MOST),
      listHeld(database, MOST),
      listOwed(database, MOST, now()),
      listUnmatched(database, MOST, worth),
      listSwitches(database),
      listHalts(database),
      listFindings(database),
      readHeads(database),
      countGivenUp(database, dayAgo),
      listLimits(database),
    ])
  const more = await moreUnmatched(database, unmatched.length)
  const waiting: Waiting[] = [
    ...held
      .filter(({ held_by }) => held_by !== 'trouble')
      .map((row) => ({
        ...{ kind: 'held' as const, id: row.id, swap: row.swap_id, ...shown(row.network, row.token, row.units) },
        since: (row.held_since ?? row.created_at).toISOString(),
        reason: row.hold ? shownHold(row.hold) : '',
      })),
    ...owed.map((row) => ({
      ...{ kind: 'owed' as const, id: row.id, swap: row.id, ...shown(row.network, row.token, row.units) },
      since: row.since.toISOString(),
      reason: row.refund_addresses.includes(null) ? 'owed, no address' : (row.fail_reason ?? 'owed'),
    })),
    ...unmatched.map((row, place) => ({
      ...{ kind: 'unmatched' as const, id: row.id, swap: null, ...shown(row.network, row.token, row.units) },
      since: row.seen_at.toISOString(),
      reason: more && place === unmatched.length - 1 ? `names no swap, as do ${more}` : 'names no swap',
    })),
    ...requests.map((row) => ({
      ...{
        kind: 'request' as const,
        id: row.id,
        swap: null,
        network: '',
        amount: '',
        units: '',
        symbol: '',
        usd: row.usd,
      },
      since: row.asked_at.toISOString(),
      reason: `${row.asked_by} asks for "${row.command}"${row.reason === null ? '' : `: ${row.reason}`}`,
    })),
  ]
  return {
    now: now().toISOString(),
    result: await resultOf(house),
    motion: { paid: motion.paid, newest: motion.newest?.toISOString() ?? null, under_way: motion.underWay },
    waiting: waiting.sort((a, b) => (b.usd ?? Infinity) - (a.usd ?? Infinity)),
    retrying: held.filter(({ held_by }) => held_by === 'trouble').length,
    paused: switches.map(({ scope, stops_swaps, stops_payouts, reason, at }) => ({
      ...{ scope, reason, swaps: stops_swaps, payouts: stops_payouts, at: at.toISOString() },
    })),
    given_up: givenUp,
    halted: halts.map(({ network, account, causes, at }) => ({
      ...{ network, account, at: at.toISOString() },
      reason: causes.map(shownHold).join('; '),
    })),
    wallets: walletBalances(house, findings, limits),
    feeds: catalogue.networks.map(({ name, displayName, nativeToken }) => {
      const head = heads.get(name)
      return {
        network: name,
        name: displayName,
        head: head ? Number(head.number) : null,
        head_at: head?.at.toISOString() ?? null,
        price: worth(name, tokenKey(nativeToken), 10n ** BigInt(nativeToken.decimals)),
        symbol: nativeToken.symbol,
      }
    }),
  }
}

/** The scopes that can be paused or limited: chosen from a list, never typed. */
export function scopes({ catalogue }: Console): string[] {
  const tokens = catalogue.networks.flatMap(({ tokens }) => tokens.map(tokenScope))
  return ['service', ...catalogue.networks.map(({ name }) => `network:${name}`), ...tokens]
}
