/** A real signer for attacks on it: its app on a port of its own, and what a service that was taken over would ask it. */
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
} from '@causeway/core'
import { onTestFinished } from 'vitest'
import { SignerRefusal } from '../../../server/src/keys/backends/refusal.ts'
import { remoteSigner } from '../../../server/src/keys/backends/remote.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { createDigestVerifier } from '../../../server/src/keys/signer-process/digest-verifier.ts'
import { openJournal } from '../../../server/src/keys/signer-process/journal.ts'
import { readPolicy } from '../../../server/src/keys/signer-process/policy.ts'
import { createSignerApp } from '../../../server/src/keys/signer-process/signer-app.ts'
import { createLog } from '../../../server/src/observe/log.ts'

export const PHRASE = 'test test test test test test test test test test test junk'
const TOKEN = 'a-token-of-the-tests-that-is-long-enough'
export const quiet: ChainLog = { info() {}, warn() {}, error() {} }

/** Enough of every token that only the tested rule can refuse. */
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }

/** The signer of one network, with a policy that says nothing of fees unless the test does. */
export async function openSigner(family: Family, network: Network, rules: Record<string, unknown> = {}) {
  const catalogue = catalogueOf([network])
  const families = async () => family
  const keys = mnemonicSigner(PHRASE)
  const log = createLog('silent')
  const journal = await openJournal(path.join(mkdtempSync(path.join(tmpdir(), 'causeway-attack-')), 'journal'))
  const tokens = Object.fromEntries(network.tokens.map(({ symbol }) => [symbol, PLENTY]))
  const file = { networks: { [network.name]: { tokens, ...rules } } }
  const policy = await readPolicy(file, catalogue, families)
  const prover = createDigestVerifier(catalogue, families, keys, log)
  const app = createSignerApp({
    catalogue,
    signer: keys,
    policy,
    journal,
    ...prover,
    token: TOKEN,
    now: () => new Date(),
    log,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    journal.close()
  })
  const signer = remoteSigner({ url, token: TOKEN, timeoutMs: 20_000 })
  /** The service's side with settings of the attacker's own: nothing there refuses what the draft says. */
  const attacker = async (settings: Record<string, unknown> = {}) => {
    const hostile = { ...network, settings: { ...network.settings, ...settings } }
    return family.open({ network: hostile, signer, log: quiet })
  }
  return { signer, attacker, treasury: await family.treasury(network, keys) }
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
