/** The deposits among transfers: of a listed token to us, by the message that its sender signed. */
import type { Address, BlockRef, Sighting, Token, Watchlist } from '@causeway/core'
import { assetId, quantumOf } from '../asset.ts'
import type { StarkExChain } from '../chain.ts'
import { referenceIn } from '../depositing/deposit.ts'
import type { Entry } from '../node/calls.ts'

export interface Candidate {
  entry: Entry
  /** The batch; null until the transfer is in one. */
  block: BlockRef | null
}

export async function sightingsIn(
  chain: StarkExChain,
  candidates: readonly Candidate[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const people = candidates.flatMap(({ entry: { user, receiver } }) => [user, receiver])
  if (people.length === 0) return []
  const owned = await ours.owned([...new Set(people)])
  return candidates.flatMap((candidate) => sightingOf(chain, candidate, owned) ?? [])
}

function sightingOf(chain: StarkExChain, { entry, block }: Candidate, owned: ReadonlySet<Address>): Sighting | null {
  const { id, user, receiver, message } = entry
  if (!owned.has(receiver) || owned.has(user)) return null
  const amount = amountOf(chain, entry)
  if (!amount || amount.units === 0n) return null
  return {
    txHash: id,
    index: 0,
    block,
    refundableSender: user,
    fundingAddresses: [user],
    to: receiver,
    amount,
    reference: referenceIn(message.nonce),
  }
}

/** The amount by the asset and quanta of the signed message; null if the operator's list says something else. */
export function amountOf(chain: StarkExChain, { id, contract, units, message, receiver }: Entry) {
  const { network, settings, keys, log } = chain
  const token: Token | undefined = network.tokens.find((listed) => listed.contract === contract)
  if (!token) return null
  const quantum = quantumOf(settings, token)
  const isSame = assetId(contract, quantum) === message.asset && message.quanta * quantum === units
  const isToKey = receiver !== keys.address || message.receiverKey === keys.starkKey
  if (isSame && isToKey) return { token, units }
  log.warn({ network: network.name, transfer: id }, 'a transfer is not what its message says')
  return null
}
