/**
 * Signing and sending. The nonce is the slot: the chain includes only one transaction per nonce, so the same order
 * signed again at another price can never be paid twice.
 */
import {
  Bug,
  type MaxSigningCost,
  type Order,
  PermanentlyRejected,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import {
  bytesToBigInt,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  recoverAddress,
  serializeTransaction,
  size,
} from 'viem'
import type { EvmChain } from '../chain.ts'
import { send, transaction as transactionCall } from '../node/calls.ts'
import { classOf, traitsOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { exposureOf } from './max-signing-cost.ts'
import { callOf } from './order.ts'
import { parseTerms } from './prepare.ts'
import { isExchangeCall, submitPrivately } from './private-submission.ts'
import { TREASURY_KEY } from './treasury.ts'

/** The lowest free nonce, starting from the chain's next one: a released nonce must not leave a gap. */
export function nextSlot(draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const used = new Set(taken.map(nonceOf))
  let { nonce } = parseTerms(draft)
  while (used.has(nonce)) nonce++
  return [nonce.toString()]
}

export function nonceOf(slot: Slot): bigint {
  const [nonce, ...more] = slot
  // Each nonce has one spelling, and only numbers that JSON represents exactly are valid.
  const isNonce = nonce !== undefined && /^(0|[1-9]\d{0,15})$/.test(nonce) && Number.isSafeInteger(Number(nonce))
  if (!isNonce || more.length > 0) throw new Bug('not a slot of this family', { slot })
  return BigInt(nonce)
}

export function maxSigningCost(chain: EvmChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  nonceOf(slot)
  return exposureOf(chain, order, parseTerms(draft), size(callOf(chain, order).data))
}

export async function sign(
  chain: EvmChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { to, value, data } = callOf(chain, order)
  const terms = parseTerms(draft)
  exposureOf(chain, order, terms, size(data))
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = terms
  const transaction = {
    type: 'eip1559',
    chainId: Number(chain.chainId),
    nonce: Number(nonceOf(slot)),
    to: getAddress(to),
    value,
    data,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  } as const
  const digest = keccak256(serializeTransaction(transaction))
  const intent = { network: chain.network.name, order, slot, draft }
  const signature = splitSignature(await chain.signer.sign(TREASURY_KEY, hexToBytes(digest), intent))
  // A signature by another key would use the nonce of another account.
  const signedBy = await recoverAddress({ hash: digest, signature })
  if (signedBy !== chain.treasury) throw new Bug('the signer used another key', { signedBy, treasury: chain.treasury })
  const bytes = serializeTransaction(transaction, signature)
  return { hash: keccak256(bytes), bytes, feeCeiling: gas * maxFeePerGas }
}

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

function splitSignature(bytes: Uint8Array): { r: Hex; s: Hex; yParity: number } {
  const yParity = bytes[64]
  const s = bytesToBigInt(bytes.subarray(32, 64))
  if (bytes.length !== 65 || (yParity !== 0 && yParity !== 1) || s > HALF_ORDER) {
    throw new Bug('not a signature of 65 bytes with low s', { length: bytes.length, yParity })
  }
  return {
    r: numberToHex(bytesToBigInt(bytes.subarray(0, 32)), { size: 32 }),
    s: numberToHex(s, { size: 32 }),
    yParity,
  }
}

export async function broadcast(chain: EvmChain, signed: SignedTransfer): Promise<void> {
  if (chain.privately && isExchangeCall(chain, signed)) return submitPrivately(chain, chain.privately, signed)
  await chain.rpc.any(async (node) => {
    const [answer] = await node.settle([send(signed.bytes)])
    if (!(answer instanceof Refusal)) return
    const told = classOf(answer, traitsOf(chain))
    if (told === 'known') return
    // Nodes word this differently. If a node can show the transaction, it has it.
    const [known] = await node.settle([transactionCall(signed.hash)])
    if (known !== null && !(known instanceof Refusal)) return
    const reason = `${chain.network.name}: ${answer.message}`
    throw told === 'permanent' ? new PermanentlyRejected(reason) : new RetryLater(reason)
  })
}
