/** `erase`: removes a person's address from closed swaps, on their request. The audit log has its hash. */
import { createHash } from 'node:crypto'
import { redactErasures } from '../../store/operators/requests.ts'
import { announceSwaps } from '../../store/swaps/announce.ts'
import { lockFree, retire, settledAmong, swapsMovingMoney, swapsNaming } from '../../store/swaps/swap-archive.ts'
import { type Command, type CommandContext, needed, record } from '../context/command-context.ts'
import { ADDRESS } from '../context/forms.ts'
import { needSigning } from './archive.ts'

const BATCH = 500
/** Rows of a table that are read at once. */
const PAGE = 20_000
const FIRST = '00000000-0000-0000-0000-000000000000'

export const eraseCommands: Record<string, Command> = {
  '': {
    usage: '--address ADDRESS',
    help: `Removes a person's address, and the history of the swaps that name it, from all swaps that are settled for good. The rest is for a later run.
      The ledger, transaction hashes, the audit log and the signing journal stay, and so do archived files and backups. It cannot be undone.`,
    takes: { options: { address: ADDRESS } },
    async run(desk, { values }) {
      const address = needed(values, 'address').trim().toLowerCase()
      const { erased, left } = await eraseAddress(desk, address)
      desk.print(`${erased} swaps are erased`)
      if (left > 0) desk.print(`${left} swaps that name the address are not settled for good: run it again later`)
    },
  },
}

/** The audit log has this instead of the address. */
export function hashOfAddress(address: string): string {
  return createHash('sha256').update(address.trim().toLowerCase()).digest('hex')
}

async function eraseAddress(desk: CommandContext, address: string): Promise<{ erased: number; left: number }> {
  const ids = [...new Set([...(await swapsNaming(desk.database, address)), ...(await moving(desk, address))])]
  let erased = 0
  for (let from = 0; from === 0 || from < ids.length; from += BATCH) {
    erased += await desk.database.transaction().execute(async (queries) => {
      await needSigning(queries)
      const settled = await settledAmong(queries, await lockFree(queries, ids.slice(from, from + BATCH)))
      await retire(queries, settled, { at: desk.now(), keepsQuote: true })
      await announceSwaps(queries, settled)
      await redactErasures(queries)
      await record(desk, queries, 'address erased', { sha256: hashOfAddress(address), swaps: settled.length })
      return settled.length
    })
  }
  return { erased, left: ids.length - erased }
}

async function moving({ database }: CommandContext, address: string): Promise<string[]> {
  const found: string[] = []
  for (const table of ['deposit', 'payout'] as const) {
    let after: string | null = FIRST
    while (after !== null) {
      const page: { ids: string[]; next: string | null } = await swapsMovingMoney(database, table, address, {
        after,
        limit: PAGE,
      })
      found.push(...page.ids)
      after = page.next
    }
  }
  return found
}
