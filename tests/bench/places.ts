/** Where payouts are benched: one local chain of each family, and recipients on it that have never held anything. */
import type { Address, Network } from '@causeway/core'
import { strangerOn } from '@causeway/devnet'
import { loadFamily } from '@causeway/server'

const BY_FAMILY: Readonly<Record<string, string>> = {
  evm: 'BASE_SEPOLIA',
  bitcoin: 'BITCOIN_TESTNET',
  solana: 'SOLANA_DEVNET',
  ton: 'TON_TESTNET',
  starknet: 'STARKNET_SEPOLIA',
}
const ALL = Object.values(BY_FAMILY)

/** The networks of `FAMILIES` (evm, bitcoin, solana, ton, starknet), separated by commas; or `BENCH_NETWORKS` names some of them. */
export function benchNetworks(): string[] {
  const families = process.env.FAMILIES?.split(',').map((name) => BY_FAMILY[name] ?? name)
  const wanted = families ?? process.env.BENCH_NETWORKS?.split(',')
  const unknown = wanted?.filter((name) => !ALL.includes(name)) ?? []
  if (unknown.length > 0)
    throw new Error(`FAMILIES or BENCH_NETWORKS: ${unknown.join(', ')} is none of ${ALL.join(', ')}`)
  return wanted ?? ALL
}

/** Who is to get how much: a thousandth of a coin and a different rest each, so that nothing can pass for something else. */
export async function recipients(network: Network, count: number): Promise<Map<Address, bigint>> {
  const family = await loadFamily(network.type)
  const least = 10n ** BigInt(network.nativeToken.decimals - 3)
  const targets = new Map<Address, bigint>()
  while (targets.size < count) targets.set(await strangerOn({ network, family }), least + BigInt(targets.size))
  return targets
}
