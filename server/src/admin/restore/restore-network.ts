/**
 * The work of `restored` for one network, in one commit: possibly given-out addresses are taken as ours, unknown
 * transactions of the hot wallet are booked and held for review, and payouts that they may have made are held. A second
 * run finds what arrived since.
 */
import { type ChainAdapter, tokenKey, unexplainedOutflow } from '@causeway/core'
import { readHistory, rememberBeginning, unknownWaiting } from '../../market/history.ts'
import { beginAt, saveChecked } from '../../store/ledger/wallet-checks.ts'
import { holdPayout } from '../../store/payouts/holds.ts'
import {
  doubtfulPayouts,
  insertRestored,
  leavingBy,
  openPayoutIds,
  saveRestoration,
} from '../../store/restore/restored.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { type DerivationPlace, insertDepositAddress, lastAddressIndex } from '../../store/watch/addresses.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { rebuildUtxos } from '../../store/watch/utxos.ts'
import { type CommandContext, change, UsageError } from '../context/command-context.ts'

/** The fee of a listed transaction needs no decision of its own. */
const FEE = 'the fee of a transfer on this list'
/** Behind one address may stand nodes of different age. */
const LOOKS = 8

export interface Gaps {
  /** Addresses per branch that are watched and emptied from now on, since they may have been given out. */
  watched: number
  /** The branches that processes may have used since the backup. */
  branches: readonly number[]
}

export interface Restored {
  transactions: number
  watched: number
}

/** `beginning`: the block from which the wallet is read, if the ledger knows nothing of the network yet. */
export async function restoreNetwork(
  desk: CommandContext,
  chain: ChainAdapter,
  gaps: Gaps,
  beginning: bigint | null,
): Promise<Restored> {
  const { name, finalDepth } = chain.network
  await requireBeginning(desk, chain, beginning)
  const history = await readHistory(desk.database, chain)
  const young = history?.unknown.find(({ block }) => block.number > history.final)
  if (young)
    throw new UsageError(`${young.txHash} is not final yet; run this again when ${finalDepth} blocks lie on top of it`)
  const [waiting] = await unknownWaiting(desk.database, chain)
  if (waiting)
    throw new UsageError(
      `${waiting} is ours and waits for a block; run this again when it is final, or no node knows it`,
    )
  const head = await newestHead(chain, history?.head)
  if (head === null) throw new UsageError('the node does not say where it stands')
  const addresses = await addressesBeyond(desk, chain, gaps)
  const transactions = history?.unknown.map(({ txHash }) => txHash) ?? []
  return change(desk, 'network restored', { network: name, transactions }, async (queries) => {
    for (const movement of history?.unknown ?? []) {
      const leaving = leavingBy(movement)
      const paysToken = leaving.some(({ token }) => token.contract !== null)
      for (const { token, units } of leaving) {
        const isFee = token.contract === null && paysToken
        const row = await insertRestored(queries, {
          network: name,
          account: chain.treasury,
          tx_hash: movement.txHash,
          block_number: movement.block.number,
          slot: [...(movement.slot ?? [])],
          token: tokenKey(token),
          units,
          explained_units: isFee ? units : 0n,
          is_fee: isFee,
          found_at: desk.now(),
          reviewed_at: isFee ? desk.now() : null,
          reviewed_by: isFee ? FEE : null,
        })
        if (row)
          await insertPosting(queries, unexplainedOutflow(chain.treasury, token, units), null, movement.block.number)
      }
    }
    if (history) await saveChecked(queries, name, chain.treasury, history.final, desk.now())
    // A deposit may have been paid and then have landed again a little later.
    const ageMs = chain.lateTransactions?.maxForgottenTxAgeMs
    const settlesAt = ageMs ? new Date(desk.now().getTime() + ageMs) : null
    await saveRestoration(queries, name, { untilBlock: head + BigInt(finalDepth), at: desk.now(), settlesAt })
    for (const address of addresses) await insertDepositAddress(queries, { ...address, purpose: 'restored' })
    if (addresses.length > 0) await rebuildUtxos(queries, name)
    return { transactions: transactions.length, watched: addresses.length }
  })
}

/**
 * A network unknown to the backup may have been added since, and may have paid: an operator must say from which block
 * it is to be read.
 */
async function requireBeginning(
  { database, now }: CommandContext,
  chain: ChainAdapter,
  beginning: bigint | null,
): Promise<void> {
  const { network, treasury, audit } = chain
  if (!audit) return
  const known = await rememberBeginning(database, chain)
  if (beginning === null) {
    if (known !== null) return
    throw new UsageError(
      `the backup knows nothing of it: say --from ${network.name}=BLOCK with a block before its wallet was first used by this service, or the newest one if it never was`,
    )
  }
  if (await readPosition(database, network.name))
    throw new UsageError(`it was read before, up to ${known}, and goes on from there: leave --from ${network.name} out`)
  const head = await newestHead(chain, undefined)
  if (head === null || beginning > head)
    throw new UsageError(
      `--from ${network.name}=${beginning} is not there yet: its newest block is ${head ?? 'unknown'}`,
    )
  // An earlier, later block was wrong: what is known by now is not booked twice.
  await beginAt(database, network.name, treasury, beginning - 1n, now())
}

/** All networks are read: what may have been paid on one for a deposit on another is known now. */
export async function holdDoubtful(desk: CommandContext, networks: readonly string[]): Promise<number> {
  return desk.database.transaction().execute(async (queries) => {
    const doubtful = await doubtfulPayouts(queries, await openPayoutIds(queries, networks), desk.now())
    for (const id of doubtful) await holdPayout(queries, id, { hold: { code: 'restore_doubt' }, now: desk.now() })
    return doubtful.size
  })
}

/** The newest of those that answer: what it has seen may have been paid, whether the others have seen it or not. */
async function newestHead(chain: ChainAdapter, head: bigint | undefined): Promise<bigint | null> {
  let newest = head ?? null
  for (let asked = 0; asked < LOOKS; asked++) {
    const { block } = await chain.balances([])
    if (block && (newest === null || block.number > newest)) newest = block.number
  }
  return newest
}

/** The next ones of each branch: a process may have given them out after the backup. */
async function addressesBeyond(
  { database }: CommandContext,
  { network: { name: network }, treasury: account, depositAddresses }: ChainAdapter,
  { watched, branches }: Gaps,
): Promise<(DerivationPlace & { index: number; address: string })[]> {
  if (!depositAddresses) return []
  const addresses = []
  for (const branch of branches) {
    const place = { network, account, branch }
    const last = await lastAddressIndex(database, place)
    // One after the other: a remote signer is asked for each.
    for (let index = last + 1; index <= last + watched; index++)
      addresses.push({ ...place, index, address: await depositAddresses.derive(index, branch) })
  }
  return addresses
}
