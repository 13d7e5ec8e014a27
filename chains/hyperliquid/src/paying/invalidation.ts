/**
 * Proof that a nonce expired unused. On every gateway the treasury's ledger, read without a gap since before the nonce
 * could be used, holds a later action of ours beyond the nonce's lifetime and nothing with that nonce. The time is the
 * block time of that later action; no clock of ours and no gateway's "now" is trusted.
 */
import type { InvalidationProof } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { blockAt, confirmationsAt } from '../scanning/block-time.ts'
import { readLedger } from '../scanning/ledger.ts'
import { isUnreadable } from '../scanning/ledger-row.ts'
import { isSent, type SentRow, strangeUse, usedIn } from './rebuild-from-ledger.ts'
import { NONCE_AHEAD_MS, NONCE_LIFE_MS, type SlotPart } from './slot.ts'

/** A margin, because block times may be slightly off. */
const MARGIN_MS = 3_600_000

export async function expiredBy(
  chain: HyperliquidChain,
  parts: readonly SlotPart[],
): Promise<InvalidationProof | null> {
  const nonces = parts.map(({ nonce }) => nonce)
  const over = Math.max(...nonces) + NONCE_LIFE_MS + MARGIN_MS
  // The cache is checked first, which costs nothing: most nonces are recent.
  if (!chain.ledgerCache.known().some((row) => isWitness(chain, row, over))) return null
  const witnesses = await chain.rpc.every((node) => witnessOf(chain, node, parts, over))
  const [first] = witnesses
  if (!first || witnesses.some((witness) => witness === null)) return null
  const block = blockAt(first.time)
  const until = new Date(over - MARGIN_MS).toISOString()
  const reason =
    `its nonce could be used until ${until} and was not: the ledger holds nothing with it ` +
    `up to ${block.hash}, when our own action ${first.hash} came, which is final`
  return { usedBy: null, block, reason }
}

/**
 * Whether the row proves that time has passed: an action of the treasury after the expiry, by its block's time and by
 * its nonce.
 */
function isWitness(chain: HyperliquidChain, row: Parameters<typeof isSent>[0], over: number): row is SentRow {
  return (
    isSent(row) && row.transfer.user === chain.treasury && row.time > over && row.transfer.nonce > over - NONCE_LIFE_MS
  )
}

async function witnessOf(
  chain: HyperliquidChain,
  node: Node,
  parts: readonly SlotPart[],
  over: number,
): Promise<SentRow | null> {
  const oldest = Math.min(...parts.map(({ nonce }) => nonce))
  const { rows, gaps } = await readLedger(node, chain.treasury, oldest - NONCE_AHEAD_MS, null)
  const owners = [chain.treasury, ...parts.flatMap(({ source }) => source?.address ?? [])]
  // After the nonce's expiry nothing could use it: rows hidden in a later moment do not matter.
  const hidden = gaps.find((moment) => moment <= over && !chain.settings.vouchedMoments.has(moment))
  if (hidden !== undefined) {
    const fields = { network: chain.network.name, slot: parts, moment: new Date(hidden).toISOString() }
    chain.log.error(
      fields,
      'a payout cannot be proven dead: more came to the treasury in one moment than a gateway shows',
    )
  }
  if (hidden !== undefined || rows.some((row) => isUnreadable(row, owners))) return null
  if (usedIn(chain, rows, parts).length > 0 || strangeUse(chain, rows, parts)) return null
  const timeMs = await node.ask(networkTime())
  const isFinal = ({ time }: SentRow) => confirmationsAt(timeMs, blockAt(time)) >= chain.network.finalDepth
  return rows.find((row): row is SentRow => isWitness(chain, row, over) && isFinal(row)) ?? null
}
