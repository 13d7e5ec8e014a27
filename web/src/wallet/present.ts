/** The network that a wallet is on now, by the name that people know it by. */
import type { Wallet } from '@causeway/core/wallet'
import type { Network } from '@causeway/sdk/light'
import { client } from '../api/client.ts'
import { visible } from '../money/format.ts'
import { wallet as text } from '../text/en.ts'

/** Where wallets mostly are, listed by this service or not: most who are on a wrong network are on one of these. */
const EVM_CHAINS: Record<string, string> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
}

/** Null where the wallet does not say. `wanted`: the one that it should be on. */
export async function presentNetwork(
  wallet: Pick<Wallet, 'network'>,
  wanted: Pick<Network, 'type'>,
): Promise<string | null> {
  const id = await wallet.network().catch(() => null)
  if (id === null) return null
  const listed = await client.networks().catch(() => [])
  const found = listed.find(({ type, chain_id }) => type === wanted.type && chain_id === id)
  if (found) return visible(found.display_name)
  const known = wanted.type === 'evm' ? EVM_CHAINS[id] : undefined
  // A name is shown as it is, a number with a word before it.
  return known ?? (/^-?(0x)?[0-9a-f]*\d[0-9a-f]*$/i.test(id) ? text.chain(id) : visible(id))
}
