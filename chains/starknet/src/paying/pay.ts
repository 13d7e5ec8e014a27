/** Signing and sending. A transaction follows from order, slot and draft alone and can be rebuilt from them. */
import {
  Bug,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { bytes32, padded } from '../felt.ts'
import { send, transactionStatus } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { encodeCalls, feeCeiling, type Invoke, invokeHash, invokeJson } from '../transaction.ts'
import { exposureOf } from './max-signing-cost.ts'
import { callsOf } from './order.ts'
import { boundsOf, parseTerms } from './terms.ts'
import { isSignable, isSignedBy, splitSignature } from './treasury.ts'

/** The lowest free nonce, starting from the chain's next one: a released nonce must not leave a gap. */
export function nextSlot({ settings }: StarknetChain, draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const used = new Set(taken.map(nonceOf))
  const { nonce: next } = parseTerms(draft)
  let nonce = next
  while (used.has(nonce)) nonce++
  if (nonce - next >= BigInt(settings.maxInFlight)) {
    throw new RetryLater(`${settings.maxInFlight} transactions wait for the account's transaction ${next}`)
  }
  return [nonce.toString()]
}

export function nonceOf(slot: Slot): bigint {
  const [nonce, ...more] = slot
  // Each nonce has one spelling.
  if (nonce === undefined || !/^(0|[1-9]\d{0,15})$/.test(nonce) || more.length > 0) {
    throw new Bug('not a slot of this family', { slot })
  }
  return BigInt(nonce)
}

export function maxSigningCost(
  chain: StarknetChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): MaxSigningCost {
  nonceOf(slot)
  return exposureOf(chain, order, parseTerms(draft))
}

export async function sign(
  chain: StarknetChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const terms = parseTerms(draft)
  exposureOf(chain, order, terms)
  const invoke: Invoke = {
    sender: BigInt(chain.treasury),
    calldata: encodeCalls(callsOf(chain, order)),
    nonce: nonceOf(slot),
    tip: 0n,
    bounds: boundsOf(terms),
  }
  const hash = invokeHash(chain.chainId, invoke)
  // With other terms, which the next preparation reads, the transaction has another hash.
  if (!isSignable(hash)) throw new RetryLater('the hash of the transaction is beyond what the curve signs')
  const intent = { network: chain.network.name, order, slot, draft }
  const signature = splitSignature(await chain.signer.sign(chain.kind.treasuryKey, bytes32(hash), intent))
  if (!isSignedBy(chain.account, hash, signature)) {
    throw new Bug('the signer used another key', { treasury: chain.treasury })
  }
  const bytes = JSON.stringify(invokeJson(invoke, signature))
  return { hash: padded(hash), bytes, feeCeiling: feeCeiling(invoke) }
}

export async function broadcast(chain: StarknetChain, signed: SignedTransfer): Promise<void> {
  const invoke: unknown = JSON.parse(signed.bytes)
  await chain.rpc.any(async (node) => {
    const [answer] = await node.settle([send(invoke)])
    if (!(answer instanceof Refusal) || classOf(answer) === 'known') return
    // One error code is used for a used nonce, one too far ahead and an underpriced replacement. If a node can show the
    // transaction, it has it.
    const [known] = await node.settle([transactionStatus(signed.hash)])
    if (!(known instanceof Refusal)) return
    throw new RetryLater(`${chain.network.name}: ${answer.message}${detail(answer.data)}`)
  })
}

function detail(data: unknown): string {
  return typeof data === 'string' ? `: ${data.slice(0, 200)}` : ''
}
