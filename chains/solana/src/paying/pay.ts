/**
 * Signing and sending. The value of a nonce account is the slot: the chain includes only one transaction that names it,
 * so the same order signed again at another price can never be paid twice.
 */
import {
  Bug,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import { getBase58Decoder, type ReadonlyUint8Array } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'
import { accounts, send } from '../node/calls.ts'
import { fieldsOf } from '../node/decode.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { isSignedBy } from '../signature.ts'
import { exposureOf } from './max-signing-cost.ts'
import { MAX_BYTES, toBase64, wireBytes, withNonce } from './message.ts'
import { nonceOf, nonceValue, slotOf } from './nonce.ts'
import { instructionsOf, signersOf } from './order.ts'
import { budgetInstructions, parseTerms } from './terms.ts'

/** Chooses a nonce account whose value is not allocated, preferably one that no open slot uses. */
export async function nextSlot(chain: SolanaChain, taken: readonly Slot[]): Promise<Slot> {
  const { nonces, treasury } = chain
  const [found] = await chain.rpc.use((node) => node.ask([accounts(nonces)]))
  const values = found.accounts.map((account) => nonceValue(account, treasury))
  const ready = nonces.flatMap((account, position) => {
    const value = values[position]
    return value ? [{ account, value, seenAt: found.slot }] : []
  })
  if (ready.length === 0) {
    throw new RetryLater('there is no nonce account yet: make them by chains/solana/src/setup.ts (see its README)')
  }
  const uses = taken.map(nonceOf)
  const free = ready.filter(({ account, value }) => !uses.some((use) => use.account === account && use.value === value))
  const idle = free.find(({ account }) => !uses.some((use) => use.account === account))
  const chosen = idle ?? free[0]
  if (!chosen) throw new RetryLater(`all ${ready.length} nonce accounts are in use`)
  return slotOf(chosen)
}

export async function sign(
  chain: SolanaChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, signer, treasury } = chain
  const terms = parseTerms(draft)
  exposureOf(chain, order, terms)
  const instructions = [...budgetInstructions(terms), ...(await instructionsOf(chain.settings, order, terms))]
  const unsigned = withNonce(treasury, nonceOf(slot), instructions)
  const signatures = new Map<string, ReadonlyUint8Array>()
  for (const { key, address } of signersOf(order, terms)) {
    const signature = await signer.sign(key, Uint8Array.from(unsigned.messageBytes), {
      network: network.name,
      order,
      slot,
      draft,
    })
    if (!isSignedBy(address, signature, unsigned.messageBytes))
      throw new Bug('the signer used another key', { address })
    signatures.set(address, signature)
  }
  const missing = Object.keys(unsigned.signatures).find((address) => !signatures.has(address))
  const first = signatures.get(treasury)
  if (missing || !first) throw new Bug('a signature is missing', { missing })
  const wire = wireBytes(unsigned, signatures)
  if (wire.length > MAX_BYTES) throw new Bug('the transaction is too long', { bytes: wire.length })
  return { hash: getBase58Decoder().decode(first), bytes: toBase64(wire) }
}

export function maxSigningCost(chain: SolanaChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  nonceOf(slot)
  return exposureOf(chain, order, parseTerms(draft))
}

export async function broadcast(chain: SolanaChain, signed: SignedTransfer): Promise<void> {
  await chain.rpc.any(async (node) => {
    const [refusal] = await node.settle([send(signed.bytes)])
    if (!(refusal instanceof Refusal)) return
    const told = classOf({ code: codeOf(refusal), message: refusal.message })
    if (told === 'known') return
    if (told === 'permanent') throw new Bug('a signature was refused', { hash: signed.hash })
    throw new RetryLater(`${chain.network.name}: ${refusal.message}`)
  })
}

/** The name of the transaction's error if the node gives one, else the code of its own. */
function codeOf({ code, data }: Refusal): string | number {
  const reason = typeof data === 'object' && data !== null ? fieldsOf(data).err : null
  return typeof reason === 'string' ? reason : code
}
