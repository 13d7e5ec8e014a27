/**
 * Compares our hot wallets' transactions on chain with the ledger. Every transaction of ours is stored before it is
 * sent. An unknown one means that the database was restored from an older backup, or that the key leaked.
 */
import { type ChainAdapter, type Movement, RetryLater, type TxHash } from '@causeway/core'
import type { Queries } from '../store/db/database.ts'
import { checkedTo, saveChecked, unknownAmong } from '../store/ledger/wallet-checks.ts'
import { readPosition } from '../store/watch/cursors.ts'

/** Blocks per request to a family. */
const STRETCH = 2_000n

export interface WalletHistory {
  /** The newest block that was read. */
  head: bigint
  /** The newest final block. */
  final: bigint
  /** The first block that was not compared before. */
  from: bigint
  /** Our own transactions that are not in the ledger, oldest first. */
  unknown: Movement[]
}

/**
 * How often the wallet is read: a load balancer may mix nodes of different heights. After this many failures it is
 * given up for now.
 */
const TRIES = 5

/** A wallet's transactions since the last comparison; null if the family cannot list movements. */
export async function readHistory(queries: Queries, chain: ChainAdapter): Promise<WalletHistory | null> {
  if (!chain.audit) return null
  let head: bigint | null = null
  for (let tried = 1; ; tried++) {
    const { block } = await chain.balances([])
    if (!block) throw new RetryLater(`${chain.network.name} does not say where it stands`)
    // Use the lowest head seen: every node that answered knows that block.
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
  if (!chain.audit) return null
  const final = head - BigInt(network.finalDepth)
  const from = ((await rememberBeginning(queries, chain)) ?? head) + 1n
  const unknown: Movement[] = []
  for (let next = from; next <= head; next += STRETCH) {
    const last = next + STRETCH - 1n < head ? next + STRETCH - 1n : head
    const moved = await chain.audit.movements(treasury, next, last)
    unknown.push(...(await unknownAmong(queries, network.name, treasury, moved)))
  }
  return { head, final, from, unknown }
}

/**
 * The block up to which the wallet was compared. On the first call it is the scan position, stored before the scan
 * moves on: otherwise transactions since then would never be compared. Null if nothing was scanned yet.
 */
export async function rememberBeginning(queries: Queries, { network, treasury }: ChainAdapter): Promise<bigint | null> {
  const checked = await checkedTo(queries, network.name, treasury)
  if (checked !== null) return checked
  const position = await readPosition(queries, network.name)
  if (position) await saveChecked(queries, network.name, treasury, position.headNumber, position.at)
  return position?.headNumber ?? null
}

/** Our own mempool transactions that are not in the ledger: they may be mined alongside what we send now. */
export async function unknownWaiting(
  queries: Queries,
  { network, treasury, lateTransactions }: ChainAdapter,
): Promise<TxHash[]> {
  const found = (await lateTransactions?.mempoolTransactions?.(treasury)) ?? []
  return (await unknownAmong(queries, network.name, treasury, found)).map(({ txHash }) => txHash)
}
