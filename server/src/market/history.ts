/**
 * What our hot wallets did on chain, compared with what the books say they did. Every transaction of ours is stored before
 * it is sent: one on chain that is not stored tells that the database went back in time, or that somebody else has the key.
 */
import { type ChainAdapter, type Movement, RetryLater, type TxHash } from '@causeway/core'
import type { Queries } from '../store/db/database.ts'
import { checkedTo, saveChecked, unknownAmong } from '../store/ledger/wallet-checks.ts'
import { readPosition } from '../store/watch/cursors.ts'

/** Blocks that a family is asked about at once. */
const STRETCH = 2_000n

export interface WalletHistory {
  /** The newest block that was looked at. */
  head: bigint
  /** The newest one that no reorg changes any more. */
  final: bigint
  /** From which block on it was not compared before. */
  from: bigint
  /** Transactions of our own that the books do not know, oldest first. */
  unknown: Movement[]
}

/** Behind one address may stand nodes of different age: after so many that could not tell, nobody can now. */
const TRIES = 5

/** Null where the family cannot tell what moved. */
export async function readHistory(queries: Queries, chain: ChainAdapter): Promise<WalletHistory | null> {
  if (!chain.movements) return null
  let head: bigint | null = null
  for (let tried = 1; ; tried++) {
    const { block } = await chain.balances([])
    if (!block) throw new RetryLater(`${chain.network.name} does not say where it stands`)
    // The oldest of those that answered is the one that the others can tell about too.
    if (head === null || block.number < head) head = block.number
    try {
      return await readUpTo(queries, chain, head)
    } catch (error) {
      if (!(error instanceof RetryLater) || tried === TRIES) throw error
    }
  }
}

async function readUpTo(queries: Queries, chain: ChainAdapter, head: bigint): Promise<WalletHistory | null> {
  const { network, treasury } = chain
  if (!chain.movements) return null
  const final = head - BigInt(network.finalDepth)
  const from = ((await rememberBeginning(queries, chain)) ?? head) + 1n
  const unknown: Movement[] = []
  for (let next = from; next <= head; next += STRETCH) {
    const last = next + STRETCH - 1n < head ? next + STRETCH - 1n : head
    const moved = await chain.movements(treasury, next, last)
    unknown.push(...(await unknownAmong(queries, network.name, treasury, moved)))
  }
  return { head, final, from, unknown }
}

/**
 * Up to where it was compared. Where it never was, up to where the scan stands, which is written down before the scan goes
 * on: else what happened since would never be looked at. Null where nothing was scanned yet.
 */
export async function rememberBeginning(queries: Queries, { network, treasury }: ChainAdapter): Promise<bigint | null> {
  const checked = await checkedTo(queries, network.name, treasury)
  if (checked !== null) return checked
  const position = await readPosition(queries, network.name)
  if (position) await saveChecked(queries, network.name, treasury, position.headNumber, position.at)
  return position?.headNumber ?? null
}

/** Transactions of our own that wait for a block and that the books do not know: they may land beside what is sent now. */
export async function unknownWaiting(
  queries: Queries,
  { network, treasury, waiting }: ChainAdapter,
): Promise<TxHash[]> {
  const found = (await waiting?.(treasury)) ?? []
  return (await unknownAmong(queries, network.name, treasury, found)).map(({ txHash }) => txHash)
}
