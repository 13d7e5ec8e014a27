/** Loads a family's wallet code: one chunk per family, fetched when one of its networks is chosen. */

import type { WalletFamily } from '@causeway/core/wallet'
import type { NetworkType } from '@causeway/sdk/light'

type Loader = () => Promise<{ family: WalletFamily }>
const evm: Loader = () => import('@causeway/evm-wallet')

/** Address code for networks with Ethereum addresses whose deposits Ethereum wallets cannot make. */
const evmAddresses: Loader = async () => {
  const { readAddress } = (await evm()).family
  // An Ethereum payment link would make a phone send on Ethereum.
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

/** Families whose deposits a browser wallet can make. Others use a deposit address. */
const SENDING: readonly NetworkType[] = [
  'evm',
  'solana',
  'ton',
  'bitcoin',
  'tron',
  'starknet',
  'paradex',
  'cosmos',
  'fuel',
]

export function canSend(type: NetworkType): boolean {
  return SENDING.includes(type)
}

const loaded = new Map<NetworkType, WalletFamily>()

/** A family's wallet code; null if it has none: the service checks its addresses, and deposits are made elsewhere. */
export async function loadFamily(type: NetworkType): Promise<WalletFamily | null> {
  const known = loaded.get(type)
  if (known) return known
  const load = LOADERS[type]
  if (!load) return null
  const { family } = await load()
  loaded.set(type, family)
  return family
}

/** All families, to recognise a pasted address. */
export async function loadAll(): Promise<{ type: NetworkType; family: WalletFamily }[]> {
  const types = Object.keys(LOADERS) as NetworkType[]
  const families = await Promise.all(types.map((type) => loadFamily(type)))
  return types.flatMap((type, at) => {
    const family = families[at]
    return family ? [{ type, family }] : []
  })
}
