/**
 * Coin selection, signing and sending. The coins are the slot: the chain includes only one transaction that spends a
 * coin, so the same order signed again with another tip can never be paid twice.
 */
import { parseSourceKey } from '@causeway/chain-kit'
import {
  type Address,
  Bug,
  type KeyRef,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import { keyAddress } from '../address.ts'
import { bytesOf } from '../bytes.ts'
import type { FuelChain } from '../chain.ts'
import { encodeTransaction, idOf, scriptParts } from '../encode.ts'
import { submit } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { depositKey, TREASURY_KEY } from '../settings.ts'
import { compactOf } from '../signature.ts'
import { KIND, outpointOf, POLICY, type Transaction } from '../transaction.ts'
import { GAS_LIMIT } from './gas.ts'
import { type Spending, spendingOf } from './max-signing-cost.ts'
import { chooseCoins } from './order.ts'
import { slotOf } from './slot.ts'
import { parseTerms } from './terms.ts'

export function nextSlot(chain: FuelChain, order: Order, draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const terms = parseTerms(draft)
  const used = new Set(taken.flat())
  const free = terms.coins.filter(({ part }) => !used.has(part))
  const chosen = chooseCoins(chain, order, free, terms)
  if (!chosen) throw new RetryLater('the coins that are free now do not cover this and its fee')
  const parts = chosen.map(({ part }) => part)
  return slotOf(parts, terms.head + chain.settings.expiresAfter)
}

interface Owner {
  key: KeyRef
  publicKey: Uint8Array
  address: Address
}

export async function sign(
  chain: FuelChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, settings, signer } = chain
  const spending = spendingOf(chain, order, slot, draft)
  const sources = [...new Set(spending.coins.map(({ source }) => source))]
  const owners = await Promise.all(
    sources.map(async (source): Promise<Owner> => {
      const key = source === null ? TREASURY_KEY : depositKey(parseSourceKey(source))
      const publicKey = await signer.publicKey(key)
      return { key, publicKey, address: keyAddress(publicKey) }
    }),
  )
  const unsigned = transactionOf(spending, sources, owners)
  const id = idOf(unsigned, settings.chainId)
  const digest = bytesOf(id)
  const witnesses: Uint8Array[] = []
  for (const { key, publicKey } of owners) {
    const signature = await signer.sign(key, digest, { network: network.name, order, slot, draft })
    witnesses.push(compactOf(signature, digest, publicKey))
  }
  return { hash: id, bytes: encodeTransaction({ ...unsigned, witnesses }), feeCeiling: spending.maxFee }
}

/** `RET`: a script that does nothing, and so cannot fail. */
const RETURN = Uint8Array.of(0x24, 0, 0, 0)

function transactionOf(
  { coins, outputs, maxFee, tip, until }: Spending,
  sources: readonly (string | null)[],
  owners: readonly Owner[],
): Transaction {
  return {
    kind: KIND.script,
    ...scriptParts(RETURN, new Uint8Array(), GAS_LIMIT),
    policies: [...(tip > 0n ? [[POLICY.tip, tip] as const] : []), [POLICY.maxFee, maxFee], [POLICY.expiration, until]],
    inputs: coins.map(({ part, asset, units, source }) => {
      const outpoint = outpointOf(part)
      const witnessIndex = sources.indexOf(source)
      const owner = owners[witnessIndex]
      if (!outpoint || !owner) throw new Bug('not a slot of this family', { part })
      const none = { predicate: new Uint8Array(), predicateData: new Uint8Array() }
      return { type: 'coin', ...outpoint, owner: owner.address, units, asset, witnessIndex, ...none }
    }),
    outputs,
    witnesses: [],
  }
}

export function broadcast(chain: FuelChain, signed: SignedTransfer): Promise<void> {
  return chain.rpc.any(async (node) => {
    try {
      await node.ask(submit(signed.bytes))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (classOf(error) === 'known') return
      // The coins may be spent because this very transaction was mined; no other rejection proves anything.
      if ((await locate(chain, node, signed.hash)).state !== 'unknown') return
      throw error
    }
  })
}
