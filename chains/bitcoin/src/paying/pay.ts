/**
 * UTXO selection, signing and sending. The UTXOs are the slot: the chain includes only one transaction that spends a
 * UTXO, so the same order signed again with another fee can never be paid twice.
 */
import { parseSourceKey } from '@causeway/chain-kit'
import { Bug, type Order, type PreparedTransfer, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { send } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { depositKey, treasuryKey } from '../settings.ts'
import { outpointOf } from '../transaction.ts'
import { spendingOf } from './max-signing-cost.ts'
import { chooseCoins, parseTerms } from './order.ts'
import { signTransaction } from './sign.ts'

export function nextSlot(chain: BitcoinChain, order: Order, draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const terms = parseTerms(draft)
  const used = new Set(taken.flat())
  const free = terms.coins.filter(({ part }) => !used.has(part))
  const chosen = chooseCoins(chain, order, free, terms)
  if (!chosen) throw new RetryLater('the coins that are free now do not cover this and its fee')
  return chosen.map(({ part }) => part)
}

export async function sign(
  chain: BitcoinChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, settings, signer } = chain
  const { coins, outputs } = spendingOf(chain, order, slot, draft)
  return signTransaction({
    inputs: coins.map(({ part, units, source }) => {
      const outpoint = outpointOf(part)
      if (!outpoint) throw new Bug('not a slot of this family', { part })
      return {
        ...outpoint,
        units,
        key: source === null ? treasuryKey(settings.chain) : depositKey(settings.chain, parseSourceKey(source)),
      }
    }),
    outputs,
    signer,
    intent: { network: network.name, order, slot, draft },
  })
}

/** Core's code for inputs that do not exist (any more). */
const MISSING_INPUTS = -25

export function broadcast(chain: BitcoinChain, signed: SignedTransfer): Promise<void> {
  return chain.rpc.any(async (node) => {
    const [answer] = await node.settle([send(signed.bytes)])
    if (!(answer instanceof Refusal) || classOf(answer) === 'known') return
    // The inputs may be spent because this very transaction was mined; no other rejection proves anything.
    if (answer.code === MISSING_INPUTS && (await locate(node, signed.hash)).state !== 'unknown') return
    throw answer
  })
}
