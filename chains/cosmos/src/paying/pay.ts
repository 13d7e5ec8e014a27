/**
 * Signing and sending. An account's sequence is the slot: the chain includes only one transaction per sequence, so the
 * same order signed again at another price can never be paid twice.
 */
import {
  Bug,
  type KeyRef,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
  type TransferIntent,
} from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { CosmosChain } from '../chain.ts'
import { send, transaction } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { authBytes, bodyBytes, digestOf, hashOf, rawBytes } from '../transaction.ts'
import { exposureOf } from './max-signing-cost.ts'
import { messagesOf } from './order.ts'
import { formatPart, partsOf } from './slot.ts'
import { parseTerms, type Terms } from './terms.ts'
import { depositAddress, depositKey, treasuryKey } from './treasury.ts'

/**
 * Chooses the lowest free sequence, starting from the chain's next one: a released one must not leave a gap. For a
 * swept address it is always the next one, because a cancelled sweep may not have used it.
 */
export function nextSlot({ treasury }: CosmosChain, draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const used = new Set(taken.flat())
  const { sources, ...own } = parseTerms(draft)
  let { sequence } = own
  while (used.has(formatPart({ address: treasury, sequence }))) sequence++
  return [{ address: treasury, sequence }, ...sources].map(formatPart)
}

interface Hand {
  key: KeyRef
  publicKey: Uint8Array
  sequence: bigint
  accountNumber: bigint
}

export async function sign(
  chain: CosmosChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { settings, network } = chain
  exposureOf(chain, order, slot, draft)
  const terms = parseTerms(draft)
  const hands = await handsOf(chain, order, slot, terms)
  const unsigned = unsignedOf(chain, order, terms, hands)
  const body = bodyBytes(unsigned)
  const auth = authBytes(unsigned, settings.pubkeyType)
  const intent = { network: network.name, order, slot, draft }
  const signatures: Uint8Array[] = []
  for (const hand of hands) {
    const digest = digestOf(body, auth, settings, hand.accountNumber)
    signatures.push(await signatureOf(chain, hand, digest, intent))
  }
  const raw = rawBytes(body, auth, signatures)
  return { hash: hashOf(raw), bytes: Buffer.from(raw).toString('base64'), feeCeiling: terms.feeUnits }
}

/** The transaction without a signature, for a simulation. */
export async function trialOf(chain: CosmosChain, order: Order, slot: Slot, terms: Terms): Promise<Uint8Array> {
  const hands = await handsOf(chain, order, slot, terms)
  const unsigned = unsignedOf(chain, order, terms, hands)
  const empty = hands.map(() => new Uint8Array(64))
  return rawBytes(bodyBytes(unsigned), authBytes(unsigned, chain.settings.pubkeyType), empty)
}

function unsignedOf(chain: CosmosChain, order: Order, terms: Terms, hands: readonly Hand[]) {
  const { settings, treasury } = chain
  const { timeoutHeight, feeUnits, gas } = terms
  return {
    messages: messagesOf(chain, order, terms.sources),
    memo: '',
    timeoutHeight,
    signers: hands,
    fee: { denom: settings.denom, units: feeUnits },
    gas,
    // In a sweep the first signer is an address without other coins: the treasury pays the fee for all.
    payer: order.kind === 'sweep' ? treasury : null,
  }
}

/** The signers in the order in which the chain expects signatures: as the messages name them, then the fee payer. */
async function handsOf({ signer, settings }: CosmosChain, order: Order, slot: Slot, terms: Terms): Promise<Hand[]> {
  const [own, ...others] = partsOf(slot)
  const key = treasuryKey(settings)
  const { accountNumber, sources } = terms
  const treasury = { key, publicKey: await signer.publicKey(key), sequence: own?.sequence ?? 0n, accountNumber }
  if (order.kind !== 'sweep') return [treasury]
  const hands: Hand[] = []
  for (const [at, source] of sources.entries()) {
    const { index, branch } = order.sources.find(({ address }) => address === source.address) ?? { index: -1 }
    const derived = await depositAddress(signer, settings, index, branch)
    if (derived !== source.address) throw new Bug('a deposit address is not the one of its index', { index, derived })
    const own = depositKey(settings, index, branch)
    const sequence = others[at]?.sequence ?? 0n
    hands.push({ key: own, publicKey: await signer.publicKey(own), sequence, accountNumber: source.accountNumber })
  }
  return [...hands, treasury]
}

async function signatureOf(
  { signer }: CosmosChain,
  { key, publicKey }: Hand,
  digest: Uint8Array,
  intent: TransferIntent,
): Promise<Uint8Array> {
  const answer = await signer.sign(key, digest, intent)
  // A recovery bit may follow the signature; the chain ignores it.
  const signature = Uint8Array.from(answer.subarray(0, 64))
  const isOurs = answer.length >= 64 && secp256k1.verify(signature, digest, publicKey, { prehash: false, lowS: true })
  if (!isOurs) throw new Bug('the signer used another key', { path: key.path })
  return signature
}

/** Error code: the sequence is not the account's next one in this node's mempool. */
const WRONG_SEQUENCE = 32

export async function broadcast(chain: CosmosChain, signed: SignedTransfer): Promise<void> {
  const bytes = Uint8Array.from(Buffer.from(signed.bytes, 'base64'))
  await chain.rpc.any((node) => sendTo(chain, node, signed.hash, bytes))
  chain.taken.add(signed.hash)
}

async function sendTo(chain: CosmosChain, node: Node, hash: string, bytes: Uint8Array): Promise<void> {
  const { name } = chain.network
  const [answer] = await node.settle([send(bytes)])
  if (answer instanceof Refusal) {
    if (classOf(answer) === 'known') return
    throw answer
  }
  const { code, log } = answer
  const told = classOf({ code, message: log })
  if (code === 0 || told === 'known') return
  // A block may have the transaction by now: then nothing is left to send. Any other answer proves nothing.
  const [found] = await node.settle([transaction(hash)])
  if (!(found instanceof Refusal) && hashOf(found.bytes) === hash) return
  // Wrong account number, chain or key: no later block fixes that.
  if (told === 'permanent')
    chain.log.error({ network: name, hash, node: node.name, reason: log }, 'a node says that our signature is wrong')
  const reason = code === WRONG_SEQUENCE ? `its number is not the next one at ${node.name}: ${log}` : log
  throw new RetryLater(`${name}: ${reason} (code ${code})`)
}
