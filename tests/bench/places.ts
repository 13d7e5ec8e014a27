/** Where payouts are benched: one local chain of each family, and recipients on it that have never held anything. */
import type { Address, Network } from '@causeway/core'
import { strangerOn } from '@causeway/devnet'
import { loadFamily } from '@causeway/server'

const ALL = ['BASE_SEPOLIA', 'BITCOIN_TESTNET', 'SOLANA_DEVNET', 'TON_TESTNET']

/** `BENCH_NETWORKS`, separated by commas, names some of them. */
export function benchNetworks(): string[] {
  const wanted = process.env.BENCH_NETWORKS?.split(',')
  const unknown = wanted?.filter((name) => !ALL.includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`BENCH_NETWORKS: ${unknown.join(', ')} is none of ${ALL.join(', ')}`)
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
