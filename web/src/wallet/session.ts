/** The wallets found in this browser, and the one that the user chose for each family. */
import type { Account, Wallet } from '@causeway/core/wallet'
import type { Network, NetworkType } from '@causeway/sdk/light'
import { signal } from '@preact/signals'
import { site } from '../api/client.ts'
import { loadFamily } from './families.ts'
import { sandboxWallet } from './sandbox.ts'

export interface Session {
  wallet: Wallet
  account: Account
  /** The network for which the wallet was connected. */
  network: string
}

type Place = Pick<Network, 'name' | 'type'>

/** Found wallets by family. */
const found = signal<Partial<Record<NetworkType, Wallet[]>>>({})
export const sessions = signal<Partial<Record<NetworkType, Session>>>({})
/** The network that the open page sends from, for the wallet button of the header. */
export const current = signal<Network | null>(null)
const looking = new Set<NetworkType>()

/** Searches for wallets of a network's family, once. */
export async function lookFor(type: NetworkType): Promise<void> {
  if (looking.has(type)) return
  looking.add(type)
  const family = await loadFamily(type)
  family?.discover?.((wallets) => {
    found.value = { ...found.value, [type]: wallets }
  })
}

export function walletsFor(network: Place): Wallet[] {
  const real = found.value[network.type] ?? []
  return site.value?.isSandbox ? [...real, sandboxWallet(network.name)] : real
}

export function sessionFor({ name, type }: Place): Session | null {
  const session = sessions.value[type]
  return session && (!session.wallet.isPerNetwork || session.network === name) ? session : null
}

const CONNECT_MS = 120_000

export async function connect(network: Network, wallet: Wallet): Promise<Session | null> {
  const { type } = network
  const [account] = await wallet.connect(AbortSignal.timeout(CONNECT_MS), network)
  if (!account) return null
  const session = { wallet, account, network: network.name }
  sessions.value = { ...sessions.value, [type]: session }
  wallet.onChange(([changed]) => {
    if (sessions.value[type]?.wallet.id !== wallet.id) return
    if (changed) sessions.value = { ...sessions.value, [type]: { ...session, account: changed } }
    else disconnect(type)
  })
  return session
}

export function disconnect(type: NetworkType): void {
  const { [type]: gone, ...rest } = sessions.value
  sessions.value = rest
  void gone?.wallet.disconnect()
}
