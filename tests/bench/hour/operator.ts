/**
 * The operator after a restore, following docs/operate/restore.md: runs the commands, then judges the findings by the
 * chains, in place of an explorer. The lost database says what a payment was for, in place of the operator's notes.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describeHold } from '@causeway/core'
import type pg from 'pg'
import { UsageError } from '../../../server/src/admin/context/command-context.ts'
import { openDatabase } from '../../../server/src/store/db/database.ts'
import { listUnmatched } from '../../../server/src/store/deposits/unmatched.ts'
import { listHaltDifferences, listHalts } from '../../../server/src/store/limits/halts.ts'
import { admitSandbox } from '../../../server/src/store/operators/operators.ts'
import { listHeld } from '../../../server/src/store/payouts/holds.ts'
import {
  doubtfulPayouts,
  listMovements,
  listRestored,
  type RestoredRow,
} from '../../../server/src/store/restore/restored.ts'
import type { PayoutRow } from '../../../server/src/store/swaps/swaps.ts'
import type { World } from '../../support/processes/world.ts'
import { admin } from '../../support/service/accounts.ts'
import type { Story } from './users.ts'

const run = promisify(execFile)
const LAUNCH = path.join(import.meta.dirname, '../../../server/launch.mjs')
const MOST = 10_000
/** Findings are final by then, on chains with a block per second. */
const TRIES = 60
const TRY_MS = 5_000

export interface Operator {
  /** Decisions so far, by kind. */
  decided: Record<string, number>
  /** `npm run admin -- restored`, until it is done for every network. */
  sayRestored(env: Readonly<Record<string, string>>): Promise<void>
  /**
   * A sent transaction may land for an hour on TON and for a day on Bitcoin, and an operator waits that long. Here
   * everything has settled already, so the rest of that day is skipped.
   */
  letTheDayPass(): Promise<void>
  /** Reviews what waits for an operator. False while something cannot be answered yet. */
  review(): Promise<boolean>
  command(...words: string[]): Promise<string>
  stop(): Promise<void>
}

/** `paidBefore`: the transactions that the lost database had signed, by recipient. */
export type PaidBefore = ReadonlyMap<string, ReadonlySet<string>>

export async function paidBefore(lost: pg.Pool): Promise<PaidBefore> {
  const { rows } = await lost.query<{ to_address: string; hash: string }>(
    `select to_address, hash from payout join slot_payout on payout_id = payout.id join attempt using (slot_id)`,
  )
  const known = new Map<string, Set<string>>()
  for (const { to_address, hash } of rows)
    known.set(to_address, (known.get(to_address) ?? new Set()).add(hash.toLowerCase()))
  return known
}

export function openOperator(world: World, url: string, stories: readonly Story[], before: PaidBefore): Operator {
  const database = openDatabase(url)
  const office = { database, now: () => new Date() }
  const decided: Record<string, number> = {}

  /** False if it cannot be decided yet. */
  async function say(...words: string[]): Promise<boolean> {
    try {
      await admin(office, ...words)
      const what = words.slice(0, 2).join(' ')
      decided[what] = (decided[what] ?? 0) + 1
      return true
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return false
    }
  }

  async function reviewPayouts(): Promise<boolean> {
    const found = await listMovements(database, MOST)
    const unexplained = found.filter(({ units, explained_units }) => units !== explained_units)
    const held = await listHeld(database, MOST)
    const doubtful = await doubtfulPayouts(
      database,
      held.map(({ id }) => id),
      new Date(),
    )
    let isAll = true
    for (const payout of held.filter(({ id }) => doubtful.has(id))) {
      const { id, to_address, network, token } = payout
      const hashes = before.get(to_address) ?? new Set()
      const made = found.find(
        (row) => row.network === network && row.token === token && hashes.has(row.tx_hash.toLowerCase()),
      )
      // Already settled in the other way: it must not be settled a second time.
      if (!made && wasSettledOtherwise(payout, unexplained))
        await say('payout', 'reject', '--id', id, '--hold', payout.hold?.id ?? '')
      const isSaid = made
        ? await say('restored', 'paid', '--payout', id, '--transaction', made.tx_hash)
        : await say('restored', 'unpaid', '--payout', id, '--despite', found.map(({ tx_hash }) => tx_hash).join(','))
      isAll &&= isSaid
    }
    return isAll
  }

  /** An output was paid and a refund is ordered now, or the other way round. */
  function wasSettledOtherwise({ swap_id, kind }: PayoutRow, found: readonly RestoredRow[]): boolean {
    const story = stories.find(({ id }) => id === swap_id)
    const other = kind === 'refund' ? story?.recipient : kind === 'output' ? story?.refundTo : undefined
    const hashes = other === undefined ? undefined : before.get(other)
    return found.some(({ tx_hash }) => hashes?.has(tx_hash.toLowerCase()))
  }

  async function acceptRest(): Promise<boolean> {
    let isAll = true
    const hashes = new Set((await listRestored(database, MOST)).map(({ tx_hash }) => tx_hash))
    for (const hash of hashes) isAll = (await say('restored', 'accept', '--transaction', hash)) && isAll
    return isAll
  }

  async function reviewUnmatched(): Promise<boolean> {
    let isAll = true
    for (const { id, tx_hash } of await listUnmatched(database, MOST)) {
      const story = stories.find(({ deposits }) => [...deposits.keys()].some((hash) => isSame(hash, tx_hash)))
      if (!story) continue
      const isSecond = !isSame([...story.deposits.keys()][0] ?? '', tx_hash)
      const [out, back] = [
        await world.balance(story.destination, story.recipient),
        await world.balance(story.source, story.refundTo),
      ]
      const isSettled = isSecond ? back > 0n : out > 0n || back > 0n
      const isSaid = isSettled
        ? await say('unmatched', 'ignore', '--deposit', id)
        : await say('unmatched', 'refund', '--deposit', id, '--to', story.refundTo)
      isAll &&= isSaid
    }
    return isAll
  }

  /** After a restore, forgotten sweeps have cost a few fees. */
  /** The arguments that accept the loss. */
  async function missingAt(network: string, account: string): Promise<string[]> {
    const rows = await listHaltDifferences(database)
    const missing = rows.filter((row) => row.network === network && row.account === account)
    return missing.length === 0 ? [] : ['--accept', missing.map(({ token, units }) => `${token}=${units}`).join(',')]
  }

  async function release(): Promise<void> {
    for (const { network, account, causes } of await listHalts(database)) {
      const whose = account === world.sandbox.treasuries[network] ? 'the treasury' : account
      console.log(
        `    the operator releases ${whose} on ${network}: ${causes.map(({ hold }) => describeHold(hold)).join('; ')}`,
      )
      const words = ['--hold', causes.map(({ id }) => id).join(','), ...(await missingAt(network, account))]
      await say('wallet', 'release', '--network', network, '--wallet', account, ...words)
    }
  }

  return {
    decided,
    async sayRestored(env) {
      // This database is temporary, like a sandbox's.
      await admitSandbox(database)
      for (let tries = 0; ; tries++) {
        try {
          const words = ['admin', 'restored', '--watch', '300']
          await run(process.execPath, [LAUNCH, ...words], { env: { ...process.env, ...env } })
          return
        } catch (error) {
          const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
          if (!stdout.includes('NOT DONE') || tries > TRIES) throw new Error(`restored: ${stdout}\n${stderr}`)
          await sleep(TRY_MS)
        }
      }
    },
    async letTheDayPass() {
      await database
        .updateTable('restoration')
        .set({ settles_at: office.now() })
        .where('settles_at', 'is not', null)
        .execute()
    },
    async review() {
      await release()
      // One after the other: payouts must be marked as paid before the transaction is off the list.
      return (await reviewPayouts()) && (await acceptRest()) && (await reviewUnmatched())
    },
    command: (...words) => admin(office, ...words),
    stop: () => database.destroy(),
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
