/** Networks for payout benches: one local chain per family, with recipients that never held anything. */
import { type Address, type Devnet, type Network, transferableStep } from '@causeway/core'
import { strangerOn } from '@causeway/devnet'
import { loadFamily } from '@causeway/server'

const BY_FAMILY: Readonly<Record<string, string>> = {
  evm: 'BASE_SEPOLIA',
  bitcoin: 'BITCOIN_TESTNET',
  solana: 'SOLANA_DEVNET',
  ton: 'TON_TESTNET',
  cosmos: 'OSMOSIS_TESTNET',
  fuel: 'FUEL_TESTNET',
  hyperliquid: 'HYPERLIQUID_TESTNET',
  paradex: 'PARADEX_TESTNET',
  starkex: 'IMMUTABLEX_SANDBOX',
  starknet: 'STARKNET_SEPOLIA',
  tron: 'TRON_TESTNET',
  zksynclite: 'ZKSYNC_SEPOLIA',
}
const ALL = Object.values(BY_FAMILY)

/** The networks of `FAMILIES` (as in evm,bitcoin), separated by commas; or `BENCH_NETWORKS` names some of them. */
export function benchNetworks(): string[] {
  const families = process.env.FAMILIES?.split(',').map((name) => BY_FAMILY[name] ?? name)
  const wanted = families ?? process.env.BENCH_NETWORKS?.split(',')
  const unknown = wanted?.filter((name) => !ALL.includes(name)) ?? []
  if (unknown.length > 0)
    throw new Error(`FAMILIES or BENCH_NETWORKS: ${unknown.join(', ')} is none of ${ALL.join(', ')}`)
  return wanted ?? ALL
}

/** A dollar more than the fee of opening an account, which may be a dollar. */
const DOLLARS = 3n

/**
 * Recipients and amounts: a thousandth of a coin or some dollars, each with a unique remainder, so that no two can be
 * confused.
 */
export async function recipients(network: Network, count: number, devnet: Devnet): Promise<Map<Address, bigint>> {
  const family = await loadFamily(network.type)
  const { decimals, group } = network.nativeToken
  const least = group === 'USDC' ? DOLLARS * 10n ** BigInt(decimals) : 10n ** BigInt(decimals - 3)
  const step = transferableStep(network.nativeToken)
  const targets = new Map<Address, bigint>()
  while (targets.size < count) {
    const address = await strangerOn({ network, family })
    await devnet.introduce?.(network.name, address)
    targets.set(address, least + BigInt(targets.size) * step)
  }
  return targets
}
