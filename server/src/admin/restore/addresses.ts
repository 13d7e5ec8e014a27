/** Watches deposit addresses that may have been given out after the backup. Deposits there are unmatched. */
import type { ChainAdapter } from '@causeway/core'
import type { JournalLines } from '../../keys/journal/read.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { newestBranches, rememberBranches } from '../../store/watch/address-branch.ts'
import { insertDepositAddress, lastAddressIndex } from '../../store/watch/addresses.ts'
import { rebuildUtxos } from '../../store/watch/utxos.ts'
import { type CommandContext, UsageError } from '../context/command-context.ts'

/** How many of the newest branches are watched: more than processes that ran when the backup was made. */
const NEWEST_BRANCHES = 5
/** Largest branch number: branches are hardened indexes in derivation paths. */
const MAX_BRANCH = 2 ** 31 - 1
const MOST_ADDRESSES = 1_000_000

/** The branches to watch: those that the journal or the operator names, and the newest that the database knows. */
export async function branchesFor(desk: CommandContext, journal: JournalLines, text: string): Promise<number[]> {
  const named = text.split(',').filter(Boolean)
  const row = await readJournalRow(desk.database)
  const lost = named.map((one) => countIn(one.trim(), '--branches', MAX_BRANCH))
  for (const { content } of journal.after(Number(row?.adopted_to ?? 0n)))
    if (content.type === 'branch') lost.push(content.branch)
  await rememberBranches(desk.database, lost, desk.now())
  const newest = await newestBranches(desk.database, NEWEST_BRANCHES)
  // A backup from before there were branches has branch 0.
  return [...new Set([...lost, ...(newest.length > 0 ? newest : [0])])]
}

export function addressCount(text: string): number {
  return countIn(text, '--watch', MOST_ADDRESSES)
}

/** Watches the next addresses of each branch. Returns how many were added. */
export async function watchAddresses(
  { database }: CommandContext,
  { network: { name: network }, treasury: account, depositAddresses }: ChainAdapter,
  branches: readonly number[],
  count: number,
): Promise<number> {
  if (!depositAddresses) return 0
  let added = 0
  for (const branch of branches) {
    const place = { network, account, branch }
    const last = await lastAddressIndex(database, place)
    // Sequential, because a remote signer is asked for each.
    for (let index = last + 1; index <= last + count; index++) {
      const address = await depositAddresses.derive(index, branch)
      if (await insertDepositAddress(database, { ...place, index, address, purpose: 'restored' })) added++
    }
  }
  if (added > 0) await rebuildUtxos(database, network)
  return added
}

function countIn(text: string, name: string, most: number): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : most + 1
  if (count > most) throw new UsageError(`${name} takes numbers up to ${most}`)
  return count
}
