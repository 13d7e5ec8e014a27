/**
 * The status of a signed payout, read from the treasury's ledger. A payout is there with its nonce, and so is a sweep,
 * which arrives at the treasury. The network may have deleted the swept address with its ledger.
 */
import { Bug, type SentTransfer, type SignedBefore, type TransferStatus, type TxHash } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { feesIn } from '../scanning/balance-changes.ts'
import { blockAt, confirmationsAt } from '../scanning/block-time.ts'
import { readLedger } from '../scanning/ledger.ts'
import { CANCEL_UNITS } from './action.ts'
import { expiredBy } from './invalidation.ts'
import { NONCE_SLACK_MS } from './next-slot.ts'
import { hashOfRows, type SentRow, usedIn, variantIn } from './rebuild-from-ledger.ts'
import { partsOf, type SlotPart } from './slot.ts'

export async function status(
  chain: HyperliquidChain,
  sent: SentTransfer,
  signedBefore: SignedBefore,
): Promise<TransferStatus> {
  if (sent.account !== chain.treasury) throw new Bug('not our treasury', { account: sent.account })
  const parts = partsOf(sent.slot)
  const { used, timeMs } = await chain.rpc.use(async (node) => {
    return { used: await readUsed(chain, node, parts), timeMs: await node.ask(networkTime()) }
  })
  for (const { source } of used.length > 0 ? parts : []) if (source) chain.addressCache.forget(source.address)
  if (used.length > 0) return judged(chain, sent, parts, used, timeMs, signedBefore)
  const evidence = await expiredBy(chain, parts)
  if (evidence) return { state: 'dead', evidence }
  return { state: chain.accepted.has(sent.hash) ? 'pending' : 'unknown' }
}

/** The rows of the treasury's ledger that used these nonces. Rows are permanent: only missing ones are read again. */
export async function readUsed(chain: HyperliquidChain, node: Node, parts: readonly SlotPart[]): Promise<SentRow[]> {
  const known = usedIn(chain, chain.ledgerCache.known(), parts)
  if (known.length === parts.length) return known
  const oldest = Math.min(...parts.map(({ nonce }) => nonce))
  return usedIn(chain, await chain.ledgerCache.since(node, oldest - NONCE_SLACK_MS), parts)
}

async function judged(
  chain: HyperliquidChain,
  { hash, slot }: SentTransfer,
  parts: readonly SlotPart[],
  used: readonly SentRow[],
  timeMs: number,
  signedBefore: SignedBefore,
): Promise<TransferStatus> {
  // Some addresses are not empty yet: the sweep is sent again until all are.
  if (used.length < parts.length) return { state: 'pending' }
  const newest = used.reduce((latest, row) => (row.time > latest.time ? row : latest))
  const block = blockAt(newest.time)
  const confirmations = confirmationsAt(timeMs, block)
  const variant = variantIn(chain, used, hash)
  const first = await firstSigned(chain, used, hash, variant, signedBefore)
  if (first === hash) {
    if (!(await isAgreed(chain, used))) return { state: 'unknown' }
    return { state: 'included', block, confirmations, feeUnits: costOf(chain, used), alias: newest.hash }
  }
  if (first === null) {
    // Another party has the key, or a gateway lies. No second payment is made on such an answer.
    const fields = { network: chain.network.name, slot, transaction: newest.hash }
    chain.log.error(fields, 'a nonce of ours was used by something that we did not sign')
    return { state: 'unknown' }
  }
  if (confirmations < chain.network.finalDepth || !(await isShownByAll(chain, used))) return { state: 'unknown' }
  const what = variant === null ? 'another payment' : 'the same payment as it was written first'
  const reason = `${slot.join(' ')} was used by ${what}, in transaction ${newest.hash}, which is final`
  return { state: 'dead', evidence: { usedBy: first, block, reason } }
}

/**
 * The hash that these rows belong to. The ledger does not record the variant, so the payment is attributed once, to the
 * first variant that was signed. Null if none of them was ours.
 */
async function firstSigned(
  chain: HyperliquidChain,
  used: readonly SentRow[],
  hash: TxHash,
  variant: number | null,
  signedBefore: SignedBefore,
): Promise<TxHash | null> {
  for (let writing = 0; writing <= (variant ?? 0); writing++) {
    const name = hashOfRows(chain, used, writing)
    if (name !== null && (name === hash || (await signedBefore(name)))) return name
  }
  return null
}

/** Whether enough gateways show the same rows, if a quorum is set. */
async function isAgreed(chain: HyperliquidChain, used: readonly SentRow[]): Promise<boolean> {
  if ((chain.network.quorum ?? 1) < 2) return true
  return chain.rpc.agreed((node) => isShown(chain, node, used), String)
}

/** Whether every gateway shows the action that used the nonce, which an invalidation needs. */
async function isShownByAll(chain: HyperliquidChain, used: readonly SentRow[]): Promise<boolean> {
  const shown = await chain.rpc.every((node) => isShown(chain, node, used))
  return shown.every((one) => one)
}

async function isShown(chain: HyperliquidChain, node: Node, used: readonly SentRow[]): Promise<boolean> {
  for (const row of used) {
    const { rows } = await readLedger(node, chain.treasury, row.time, row.time)
    const { user, nonce } = row.transfer
    const source = user === chain.treasury ? null : { address: user, index: 0 }
    const there = usedIn(chain, rows, [{ source, nonce }])
    if (hashOfRows(chain, there, 0) !== hashOfRows(chain, [row], 0)) return false
  }
  return true
}

/** Fees in addition to the payment; for a cancellation everything that it moved out of the spot balance. */
function costOf(chain: HyperliquidChain, rows: readonly SentRow[]): bigint {
  return rows.reduce((sum, { transfer }) => {
    const fees = feesIn(chain, transfer).filter(({ token }) => token.contract === null)
    const moved = transfer.user === transfer.destination ? CANCEL_UNITS : 0n
    return fees.reduce((all, { units }) => all + units, sum + moved)
  }, 0n)
}
