/** What the tests of this folder share: a catalogue of one EVM network, a policy, and orders to sign. */
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ChainLog, Network, Order, Token } from '@causeway/core'
import { readCatalogue } from '../catalogue/catalogue.ts'
import { loadFamily } from '../catalogue/chains.ts'

export const PHRASE = 'test test test test test test test test test test test junk'
export const TOKEN = 'a-token-of-the-tests-that-is-long-enough'
export const NETWORK = 'BASE_SEPOLIA'
/** The first account of the phrase. */
export const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const ETHER = 10n ** 18n

export const quiet: ChainLog = { info() {}, warn() {}, error() {} }

export function policyFile(changes: Record<string, unknown> = {}) {
  const tokens = { ETH: { max: '2', max_per_hour: '5' }, USDC: { max: '1000.5', max_per_hour: '3000' } }
  return { networks: { [NETWORK]: { tokens, ...changes } } }
}

/** A folder of its own with one network's file in `networks`. */
export function makeFolder(): { folder: string; networks: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-signer-'))
  const networks = path.join(folder, 'networks')
  mkdirSync(networks)
  const source = path.join(import.meta.dirname, '../../../networks/sandbox')
  copyFileSync(path.join(source, `${NETWORK}.json`), path.join(networks, `${NETWORK}.json`))
  return { folder, networks }
}

export async function testCatalogue(networks: string) {
  const catalogue = await readCatalogue(networks, {}, loadFamily)
  const network = catalogue.network(NETWORK)
  return { catalogue, network, eth: network.nativeToken, usdc: tokenOf(network, 'USDC') }
}

function tokenOf(network: Network, symbol: string): Token {
  const token = network.tokens.find((candidate) => candidate.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token
}

export function payment(token: Token, units: bigint, to: string = ALICE): Order {
  return { kind: 'transfers', account: ACCOUNT, transfers: [{ to, amount: { token, units } }] }
}

/** Terms of the EVM family; a higher price makes another transaction of the same order. */
export function draftAt(gwei: number, gas = 21_000): string {
  const price = (BigInt(gwei) * 10n ** 9n).toString()
  return JSON.stringify({ gas: `${gas}`, nonce: '0', maxFeePerGas: price, maxPriorityFeePerGas: price })
}
