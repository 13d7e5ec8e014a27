/**
 * Finds blocks that may concern us without their results, which are megabytes per second on busy chains: addresses are
 * written literally in sends, packets and contract calls.
 */
import type { Watchlist } from '@causeway/core'
import { parseAccount } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import type { Block } from './blocks.ts'

export async function namesUs(
  { settings: { prefix } }: CosmosChain,
  blocks: readonly Block[],
  ours: Watchlist,
): Promise<ReadonlySet<bigint>> {
  return blocksNaming(
    prefix,
    blocks.map(({ number, transactions }) => ({
      number,
      texts: transactions.map((bytes) => Buffer.from(bytes).toString('latin1')),
    })),
    ours,
  )
}

/** The blocks with a text that contains one of our addresses. */
export async function blocksNaming(
  prefix: string,
  blocks: readonly { number: bigint; texts: readonly string[] }[],
  ours: Watchlist,
): Promise<ReadonlySet<bigint>> {
  // Bech32 characters after the prefix: 38 for a key, 58 for a contract, in any case. Other characters may follow
  // directly.
  const form = new RegExp(`${prefix}1(?=([02-9ac-hj-np-z]{38,58}))`, 'gi')
  const named = blocks.map(({ number, texts }) => ({
    number,
    addresses: new Set(texts.flatMap((text) => addressesIn(text, form, prefix))),
  }))
  const all = new Set(named.flatMap(({ addresses }) => [...addresses]))
  if (all.size === 0) return new Set()
  const owned = await ours.owned([...all])
  return new Set(
    named.filter(({ addresses }) => [...addresses].some((address) => owned.has(address))).map(({ number }) => number),
  )
}

function addressesIn(written: string, form: RegExp, prefix: string): string[] {
  return [...written.matchAll(form)].flatMap(([, letters = '']) =>
    [letters.slice(0, 38), letters].flatMap((body) => parseAccount(`${prefix}1${body.toLowerCase()}`, prefix) ?? []),
  )
}
