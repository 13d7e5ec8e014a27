/** Starts the local chains of all families, and funds the treasury on them. */
import { readFileSync } from 'node:fs'
import {
  type Address,
  Bug,
  type Catalogue,
  type Devnet,
  fromUsd,
  type Network,
  type NetworkType,
  ONE,
  parseDecimal,
  type Signer,
  type Token,
} from '@causeway/core'
import type { Families } from '@causeway/server'
import { z } from 'zod'
import type { DevnetFamilies } from './families.ts'

export interface LocalChains {
  /** Local chains by network name; networks of one family share one. */
  devnets: ReadonlyMap<string, Devnet>
  treasuries: Readonly<Record<string, Address>>
  stop(): Promise<void>
}

/** The treasury's value per token and network: far more than the largest swap. */
const TREASURY_USD = 10_000_000n * ONE
/** The treasury's whole tokens if the price is unknown. */
const UNPRICED_WHOLE = 1_000_000n
const USD_DECIMALS = 18

export async function startChains(options: {
  catalogue: Catalogue
  signer: Signer
  families: Families
  devnets: DevnetFamilies
}): Promise<LocalChains> {
  const { catalogue, signer, families } = options
  const treasuries: Record<string, Address> = {}
  for (const network of catalogue.networks) {
    treasuries[network.name] = await (await families(network.type)).treasury(network, signer)
  }
  const groups = Map.groupBy(catalogue.networks, ({ type }) => type)
  const starts = await Promise.allSettled(
    [...groups].map(([type, networks]) => startFamily(type, networks, options.devnets, treasuries)),
  )
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const stop = async () => {
    await Promise.all(started.map(({ devnet }) => devnet.stop()))
  }
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const devnets = new Map(
    started.flatMap(({ devnet, networks }) => networks.map(({ name }) => [name, devnet] as const)),
  )
  return { devnets, treasuries, stop }
}

async function startFamily(
  type: NetworkType,
  networks: Network[],
  devnets: DevnetFamilies,
  treasuries: Record<string, Address>,
): Promise<{ devnet: Devnet; networks: Network[] }> {
  const family = await devnets(type)
  if (!family) throw new Bug('a network without a local chain was staged', { type })
  return { devnet: await family.start({ networks, treasuries }), networks }
}

/** Gives the treasury enough of every token that it holds for days of payouts. Returns the number of tokens. */
export async function fundTreasury(catalogue: Catalogue, chains: LocalChains, pricesFile: string): Promise<number> {
  const prices = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(pricesFile, 'utf8')))
  await Promise.all(
    catalogue.networks.map(async ({ name, tokens }) => {
      const devnet = chains.devnets.get(name)
      const treasury = chains.treasuries[name]
      if (!devnet || !treasury) return
      for (const token of tokens.filter(({ poolOnly }) => !poolOnly))
        await devnet.fund(token, treasury, richesOf(token, prices))
    }),
  )
  return catalogue.networks.flatMap(({ tokens }) => tokens.filter(({ poolOnly }) => !poolOnly)).length
}

function richesOf(token: Token, prices: Record<string, string>): bigint {
  const price = parseDecimal(prices[token.group ?? token.symbol] ?? '', USD_DECIMALS)
  return price ? fromUsd(TREASURY_USD, token, price, 'down') : UNPRICED_WHOLE * 10n ** BigInt(token.decimals)
}
