/**
 * A plain send that succeeded is told of by the bank. Where it is not, the node withholds events, and others are asked. Where
 * all of them go on to say the same, the chain itself reads the message in another way than we do: then what came is kept for
 * a person, and one transaction does not stop the scan for ever.
 */
import { NodeFailure } from '@causeway/chain-kit'
import type { Address, TxHash } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Transaction } from '../transaction.ts'
import type { Flow } from './events.ts'
import { readSend } from './messages.ts'

const PATIENCE_MS = 10 * 60_000

/** Null where all is told. Throws while another node may still tell it. */
export function untoldDoubt(
  { network, untold, now, log }: Pick<CosmosChain, 'network' | 'untold' | 'now' | 'log'>,
  { messages }: Transaction,
  credits: readonly Flow[],
  owned: ReadonlySet<Address>,
  hash: TxHash,
): string | null {
  const isTold = messages.every((message) => {
    const send = readSend(message)
    if (!send || !owned.has(send.to)) return true
    return send.coins.every((coin) => credits.some((credit) => credit.address === send.to && isSame(coin, credit)))
  })
  if (isTold) {
    untold.delete(hash)
    return null
  }
  const since = untold.get(hash) ?? now()
  untold.set(hash, since)
  if (now() - since < PATIENCE_MS) throw new NodeFailure(`a node does not tell what ${hash} brought`)
  log.error({ network: network.name, txHash: hash }, 'no node tells of the coins that a send to us names: look at it')
  return 'the chain tells of other coins than its messages name'
}

export function isSame(coin: { denom: string; units: bigint }, credit: Flow): boolean {
  return coin.denom === credit.denom && coin.units === credit.units
}
