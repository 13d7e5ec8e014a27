/**
 * The operator after a restore, following docs/operate/restore.md: runs the commands, then judges the findings by the
 * chains, in place of an explorer.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describeHold } from '@causeway/core'
import { UsageError } from '../../../server/src/admin/context/command-context.ts'
import { openDatabase } from '../../../server/src/store/db/database.ts'
import { listUnmatched } from '../../../server/src/store/deposits/unmatched.ts'
import { listHaltDifferences, listHalts } from '../../../server/src/store/limits/halts.ts'
import { admitSandbox } from '../../../server/src/store/operators/operators.ts'
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
  /** `restore --apply`, until it is done for every network. No process runs. */
  replay(env: Readonly<Record<string, string>>): Promise<void>
  /** `restore --resume`, once the processes run. */
  resume(env: Readonly<Record<string, string>>): Promise<void>
  /** Goes through what waits for a person. False while something still cannot be answered. */
  review(): Promise<boolean>
  command(...words: string[]): Promise<string>
  stop(): Promise<void>
}

export function openOperator(world: World, url: string, stories: readonly Story[]): Operator {
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

  async function restore(env: Readonly<Record<string, string>>, ...words: string[]): Promise<void> {
    await run(process.execPath, [LAUNCH, 'admin', 'restore', ...words], { env: { ...process.env, ...env } })
  }

  return {
    decided,
    async replay(env) {
      // This database is thrown away like a sandbox's.
      await admitSandbox(database)
      for (let tries = 0; ; tries++) {
        try {
          await restore(env, '--apply', '--watch', '300')
          return
        } catch (error) {
          const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
          if (!stdout.includes('NOT DONE') || tries > TRIES) throw new Error(`restore: ${stdout}\n${stderr}`)
          await sleep(TRY_MS)
        }
      }
    },
    resume: (env) => restore(env, '--resume'),
    async review() {
      await release()
      return reviewUnmatched()
    },
    command: (...words) => admin(office, ...words),
    stop: () => database.destroy(),
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
