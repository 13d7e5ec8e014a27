/** Networks and wallets as operators type them: they must exist. Case does not matter if only one name fits. */
import type { Network } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import { knownWallets } from '../../store/ledger/treasuries.ts'
import { type Halt, listHalts } from '../../store/limits/halts.ts'
import { readKnown } from '../../store/market/known-assets.ts'
import { UsageError } from './command-context.ts'

/** The most names that are listed in an error. */
const SHOWN = 10

export async function networkNamed(queries: Queries, text: string): Promise<Network> {
  const { networks } = await readKnown(queries)
  const network = alike(networks, text, ({ name }) => name)
  if (network) return network
  const names = networks.map(({ name }) => name).join(', ')
  throw new UsageError(`there is no network ${text}; listed are: ${names || 'none, the service has not run here yet'}`)
}

/** A wallet that signs. Halting a deposit address would have no effect, since it never signs. */
export async function walletNamed(queries: Queries, network: string, text: string): Promise<string> {
  const wallets = await knownWallets(queries, network)
  const wallet = alike(wallets, text, (one) => one)
  if (wallet) return wallet
  const shown = wallets.slice(0, SHOWN).join(', ')
  throw new UsageError(
    `there is no wallet ${text} on ${network}; known are: ${shown || 'none, the service has not run here yet'}`,
  )
}

/** A halted wallet, even if this service no longer has it. */
export async function haltNamed(queries: Queries, network: string, wallet: string): Promise<Halt> {
  const halts = await listHalts(queries)
  const nameOf = (halt: Halt) => `${halt.account} on ${halt.network}`
  const halt = alike(halts, `${wallet} on ${network}`, nameOf)
  if (halt) return halt
  throw new UsageError(
    `${wallet} on ${network} is not halted; halted are: ${halts.slice(0, SHOWN).map(nameOf).join(', ') || 'none'}`,
  )
}

/** The exact match, or else the only one that differs just in case. */
export function alike<T>(all: readonly T[], text: string, nameOf: (one: T) => string): T | undefined {
  const exact = all.find((one) => nameOf(one) === text)
  if (exact !== undefined) return exact
  const found = all.filter((one) => nameOf(one).toLowerCase() === text.toLowerCase())
  return found.length === 1 ? found[0] : undefined
}
