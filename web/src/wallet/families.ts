/** The one place that loads a family's wallets: one chunk each, fetched when a network of the family is chosen. */

import type { WalletFamily } from '@causeway/core/wallet'
import type { NetworkType } from '@causeway/sdk/light'

type Loader = () => Promise<{ family: WalletFamily }>
const evm: Loader = () => import('@causeway/evm-wallet')

/** Networks whose accounts are those of Ethereum, and whose deposits its wallets cannot make. */
const evmAddresses: Loader = async () => {
  const { readAddress } = (await evm()).family
  // A link of Ethereum's would make a phone send there.
  return { family: { readAddress, paymentLink: ({ to_address: to }) => to } }
}
const starknet: Loader = () => import('@causeway/starknet-wallet')

const LOADERS: Partial<Record<NetworkType, Loader>> = {
  evm,
  hyperliquid: evmAddresses,
  zksynclite: evmAddresses,
  starkex: evmAddresses,
  solana: () => import('@causeway/solana-wallet'),
  ton: () => import('@causeway/ton-wallet'),
  bitcoin: () => import('@causeway/bitcoin-wallet'),
  tron: () => import('@causeway/tron-wallet'),
  starknet,
  paradex: starknet,
  cosmos: () => import('@causeway/cosmos-wallet'),
  fuel: () => import('@causeway/fuel-wallet'),
}

/** Families whose deposits a wallet of a browser makes. From others money comes by a deposit address. */
const SENDING: readonly NetworkType[] = ['evm', 'solana', 'ton', 'bitcoin', 'tron', 'starknet', 'paradex']

export function canSend(type: NetworkType): boolean {
  return SENDING.includes(type)
}

const loaded = new Map<NetworkType, WalletFamily>()

/** Null where the family has no wallets here: the service judges its addresses, and deposits are made elsewhere. */
export async function loadFamily(type: NetworkType): Promise<WalletFamily | null> {
  const known = loaded.get(type)
  if (known) return known
  const load = LOADERS[type]
  if (!load) return null
  const { family } = await load()
  loaded.set(type, family)
  return family
}

/** All of them, to say what a pasted address looks like. */
export async function loadAll(): Promise<{ type: NetworkType; family: WalletFamily }[]> {
  const types = Object.keys(LOADERS) as NetworkType[]
  const families = await Promise.all(types.map((type) => loadFamily(type)))
  return types.flatMap((type, at) => {
    const family = families[at]
    return family ? [{ type, family }] : []
  })
}
