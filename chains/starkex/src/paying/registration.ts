/**
 * Links our Stark key to our address: before that the ledger can pay us nothing. The link moves no money. It is signed
 * as an order that cancels nothing, in a slot with its own name, so that a signer that computes digests itself
 * recognises it.
 */
import { type Order, type PreparedTransfer, RetryLater, type Slot, type TransferIntent } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { register, userKey } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { LINK_TEXT, linkHash, nameOf } from '../transaction.ts'
import { signStark, signText } from './treasury.ts'

const SLOT: Slot = ['link']
const DRAFT: PreparedTransfer = 'link'

export function isLink(slot: Slot, draft: PreparedTransfer): boolean {
  return slot.length === 1 && slot[0] === SLOT[0] && draft === DRAFT
}

/**
 * Registers our key. Tried at opening and with every scan until it is done; an operator that is down must not prevent
 * the start.
 */
export async function keepRegistered(chain: StarkExChain): Promise<void> {
  if (chain.isRegistered || chain.network.nodes.length === 0) return
  try {
    await chain.rpc.use((node) => registered(chain, node))
    chain.isRegistered = true
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
    chain.log.warn({ network: chain.network.name, reason: error.message }, 'our key is not linked yet')
  }
}

async function registered(chain: StarkExChain, node: Node): Promise<void> {
  const { address, starkKey } = chain.keys
  const known = await keyOf(node, address)
  if (known === starkKey) return
  if (known !== null) {
    chain.log.error(
      { network: chain.network.name, address },
      'the operator links our address to a key that is not ours',
    )
    throw new RetryLater('our address is linked to another key')
  }
  await node.ask(register(await linkRequest(chain)))
}

/** The registered key of an address; null if there is none. */
export async function keyOf(node: Node, address: string): Promise<bigint | null> {
  try {
    return await node.ask(userKey(address))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'account_not_found') return null
    throw error
  }
}

async function linkRequest(chain: StarkExChain): Promise<unknown> {
  const { network, signer, keys } = chain
  const { address, stark, starkKey } = keys
  const order: Order = { kind: 'cancel', account: address }
  const intent: TransferIntent = { network: network.name, order, slot: SLOT, draft: DRAFT }
  return signLink(signer, { address, stark, starkKey }, intent)
}

export async function signLink(
  signer: StarkExChain['signer'],
  { address, stark, starkKey }: StarkExChain['keys'],
  intent: TransferIntent,
): Promise<unknown> {
  const { r, s } = await signStark(signer, stark, linkHash(address, starkKey), intent)
  return {
    ether_key: address,
    stark_key: nameOf(starkKey),
    eth_signature: await signText(signer, address, LINK_TEXT, intent),
    stark_signature: { r: nameOf(r), s: nameOf(s) },
  }
}
