/** Signing and sending. A nonce is used once, and everything signed for it in one slot is the same payment. */
import { Bug, type Order, type PreparedTransfer, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { bytesToHex, type Hex, hexToBytes, recoverAddress } from 'viem'
import { canonical } from '../address.ts'
import type { HyperliquidChain } from '../chain.ts'
import { classOf } from '../node/errors.ts'
import type { Node } from '../node/node.ts'
import { digestOf, hashOf } from './action.ts'
import { exposureOf } from './max-signing-cost.ts'
import { actionsOf, type Signing } from './order.ts'
import { envelopesIn, formatEnvelopes, type KeptEnvelope } from './signed-bytes.ts'

export async function sign(
  chain: HyperliquidChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { feeUnits: feeCeiling } = exposureOf(chain, order, slot, draft)
  const envelopes: KeptEnvelope[] = []
  for (const signing of actionsOf(chain, order, slot, draft)) {
    if (order.kind === 'sweep') await checkOwner(chain, order, signing)
    envelopes.push(await seal(chain, signing, { network: chain.network.name, order, slot, draft }))
  }
  const hash = hashOf(envelopes.map(({ action }) => digestOf(action)))
  return { hash, bytes: formatEnvelopes(envelopes), feeCeiling }
}

async function checkOwner(
  chain: HyperliquidChain,
  { sources }: Extract<Order, { kind: 'sweep' }>,
  { owner }: Signing,
): Promise<void> {
  const source = sources.find(({ address }) => address === owner)
  if (!source || (await chain.derive(source.index, source.branch)) !== owner)
    throw new Bug('not a deposit address of ours', { owner })
}

async function seal(
  { signer }: HyperliquidChain,
  { key, owner, action }: Signing,
  intent: Parameters<HyperliquidChain['signer']['sign']>[2],
): Promise<KeptEnvelope> {
  const digest = digestOf(action)
  const signature = await signer.sign(key, hexToBytes(digest), intent)
  const r = bytesToHex(signature.slice(0, 32))
  const s = bytesToHex(signature.slice(32, 64))
  const v = 27 + (signature[64] ?? 0)
  // A wrong signature would not be rejected: the network would attribute it to another account.
  if (signature.length !== 65 || (await recovered(digest, r, s, v)) !== owner) {
    throw new Bug('the signer used another key', { owner })
  }
  return { action, nonce: action.nonce, signature: { r, s, v }, owner }
}

async function recovered(hash: Hex, r: Hex, s: Hex, v: number): Promise<string> {
  return canonical(await recoverAddress({ hash, signature: { r, s, v: BigInt(v) } }))
}

export async function broadcast(chain: HyperliquidChain, signed: SignedTransfer): Promise<void> {
  const envelopes = envelopesIn(signed.bytes)
  await chain.rpc.any((node) => postAll(chain, node, envelopes))
  chain.accepted.add(signed.hash)
}

/** Posts each action, whether or not the previous ones succeeded. */
async function postAll({ network }: HyperliquidChain, node: Node, envelopes: readonly KeptEnvelope[]): Promise<void> {
  const refusals: string[] = []
  for (const { action, nonce, signature } of envelopes) {
    const said = await node.post({ action, nonce, signature })
    if (said !== null && classOf({ message: said }) !== 'known') refusals.push(said)
  }
  if (refusals[0] !== undefined) throw new RetryLater(`${network.name}: ${refusals[0].slice(0, 300)}`)
}
