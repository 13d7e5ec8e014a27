/**
 * A successful plain send has a bank event. If it is missing, the node omits events and others are asked. If all nodes
 * keep agreeing, the chain reads the message differently than we do. Then the coins are held for review, so that one
 * transaction does not stop the scan for ever.
 */
import { NodeFailure } from '@causeway/chain-kit'
import type { Address, TxHash } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Transaction } from '../transaction.ts'
import type { Flow } from './events.ts'
import { readSend } from './messages.ts'

const PATIENCE_MS = 10 * 60_000

/** Why the deposit is doubted; null if the events are complete. Throws while another node may still have them. */
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
  log.error({ network: network.name, txHash: hash }, 'no node reports the coins that a send to us names: check it')
  return 'the chain tells of other coins than its messages name'
}

export function isSame(coin: { denom: string; units: bigint }, credit: Flow): boolean {
  return coin.denom === credit.denom && coin.units === credit.units
}
