/** A real signer to attack: its app on its own port, and the requests of a compromised service. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type ChainLog,
  catalogueOf,
  type Family,
  type Network,
  type Order,
  type PreparedTransfer,
  type SignedTransfer,
  type Slot,
  type TransferIntent,
} from '@causeway/core'
import { onTestFinished } from 'vitest'
import { SignerRefusal } from '../../../server/src/keys/backends/refusal.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { openTestSigner, PHRASE } from '../../../server/src/keys/testing.ts'

export { PHRASE }
export const quiet: ChainLog = { info() {}, warn() {}, error() {} }

/** Enough of every token, so that only the tested rule can refuse. */
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }

/** The signer of one network. Its policy names no fees unless the test sets them. */
export async function openSigner(family: Family, network: Network, rules: Record<string, unknown> = {}) {
  const tokens = Object.fromEntries(network.tokens.map(({ symbol }) => [symbol, PLENTY]))
  const { signer, sign, stop, orders } = await openTestSigner({
    catalogue: catalogueOf([network]),
    families: async () => family,
    policy: { networks: { [network.name]: { tokens, ...rules } } },
    folder: mkdtempSync(path.join(tmpdir(), 'causeway-attack-')),
  })
  onTestFinished(stop)
  const ask = (order: Order, slot: Slot, draft: PreparedTransfer) => sign(network.name, order, slot, draft)
  /** The service's side with settings of the attacker's own: nothing there refuses what the draft says. */
  const attacker = async (settings: Record<string, unknown> = {}) => {
    const hostile = { ...network, settings: { ...network.settings, ...settings } }
    return { ...(await family.open({ network: hostile, signer, log: quiet })), sign: ask }
  }
  /** Says that nothing was paid in a slot and that its parts are free again, as the service does when it has judged it. */
  const free = async (account: string, slot: Slot) => {
    const place = { network: network.name, account, slot: [...slot] }
    const lines = (await orders.recorded(place)).map(({ line }) => line.n)
    await orders.close({ ...place, outcome: 'unpaid', evidence: null, freed: [...slot], lines })
  }
  const askFor = ({ order, slot, draft = '' }: TransferIntent) => ask(order, slot, draft)
  return { signer, askFor, attacker, free, treasury: await family.treasury(network, mnemonicSigner(PHRASE)) }
}

/** The signed bytes, or null if the signer itself refused. Any other failure fails the test. */
export async function orRefused(
  adapter: { sign(order: Order, slot: Slot, draft: PreparedTransfer): Promise<SignedTransfer> },
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer | null> {
  try {
    return await adapter.sign(order, slot, draft)
  } catch (error) {
    if (error instanceof SignerRefusal) return null
    throw error
  }
}
