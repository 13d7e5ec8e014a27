/** Test helpers of this folder: a catalogue with one EVM network, a policy, and orders to sign. */
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Catalogue, ChainLog, Network, Order, SignedTransfer, Signer, Slot, Token, Usd } from '@causeway/core'
import { readCatalogue } from '../catalogue/catalogue.ts'
import { type Families, loadFamily } from '../catalogue/chains.ts'
import { createLog } from '../observe/log.ts'
import { SignerRefusal } from './backends/refusal.ts'
import { remoteSigner } from './backends/remote.ts'
import { openJournal } from './journal/journal.ts'
import { mnemonicSigner } from './keystore/mnemonic.ts'
import type { OrderRefusal, OrderSigner, SignRequest } from './orders/orders.ts'
import { claimJournal, remoteOrders } from './orders/remote.ts'
import { openAdapters } from './signer-process/adapters.ts'
import { readPolicy } from './signer-process/policy.ts'
import { createSignerApp } from './signer-process/signer-app.ts'

export const PHRASE = 'test test test test test test test test test test test junk'
export const DATABASE = 'the database of the tests'
export const TOKEN = 'a-token-of-the-tests-that-is-long-enough'
export const NETWORK = 'BASE_SEPOLIA'
/** The first account of the test phrase. */
export const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const ETHER = 10n ** 18n

export const quiet: ChainLog = { info() {}, warn() {}, error() {} }

export function policyFile(changes: Record<string, unknown> = {}) {
  const tokens = { ETH: { max: '2', max_per_hour: '5' }, USDC: { max: '1000.5', max_per_hour: '3000' } }
  return { networks: { [NETWORK]: { tokens, ...changes } } }
}

/** Creates a folder with one network file in `networks`. */
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

/** Fee terms of the EVM family. A higher gas price gives another transaction of the same order. */
export function draftAt(gwei: number, gas = 21_000): string {
  const price = (BigInt(gwei) * 10n ** 9n).toString()
  return JSON.stringify({ gas: `${gas}`, nonce: '0', maxFeePerGas: price, maxPriorityFeePerGas: price })
}

interface TestSignerOptions {
  catalogue: Catalogue
  families?: Families
  policy: unknown
  /** The folder of the signer's journal. */
  folder: string
  keys?: Signer
  now?: () => Date
  /** The prices of the signer's own sources. */
  priceOf?: (token: Token) => Usd | null
  /** Whether the journal belongs to the tests' database; otherwise the first service claims it. */
  isClaimed?: boolean
}

/** Runs a signer in this process, on its own port, and returns the service's client of it. */
export async function openTestSigner(options: TestSignerOptions) {
  const { catalogue, families = loadFamily, folder, keys = mnemonicSigner(PHRASE), now = () => new Date() } = options
  const { isClaimed = true } = options
  const log = createLog('silent')
  const journal = await openJournal({ folder, now })
  const app = createSignerApp({
    ...{ catalogue, signer: keys, journal, token: TOKEN, now, log, permission: path.join(folder, 'resume') },
    policy: await readPolicy(options.policy, catalogue, families, { priceOf: options.priceOf ?? (() => null), now }),
    ...openAdapters(catalogue, families, keys, log),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = { url, token: TOKEN, timeoutMs: 20_000 }
  const orders =
    isClaimed && journal.database() === null ? await claimJournal(connection, DATABASE) : remoteOrders(connection)
  const stop = async () => {
    await app.close()
    await journal.end()
  }
  return { app, url, journal, orders, signer: remoteSigner(connection), sign: orderSigning(orders), stop }
}

/**
 * Requests the signature of an order as the service does, with the next attempt number of its slot. Throws the refusal as the service
 * would show it. `payouts`: the payouts that the service claims to pay.
 */
export function orderSigning(orders: OrderSigner) {
  return async (
    network: string,
    order: Order,
    slot: Slot,
    draft: string,
    { payouts = [], known = [], ...more }: Partial<SignRequest> = {},
  ): Promise<SignedTransfer> => {
    const place = { network, account: order.account, slot }
    const attempt = slot.length === 0 ? 0 : (await orders.recorded(place).catch(() => [])).length
    const purpose = order.kind === 'cancel' ? 'cancel' : attempt > 0 ? 'bump' : 'new'
    const answer = await orders.sign({
      ...{ database: DATABASE, network, order, slot, draft, attempt, purpose, payouts, known, writer: ['writer', 1] },
      ...more,
    })
    if (answer.is === 'signed') return answer.record.transfer
    throw refusalOf(answer.refusal)
  }
}

function refusalOf(refusal: OrderRefusal): SignerRefusal {
  switch (refusal.code) {
    case 'refused':
      return new SignerRefusal(refusal.reason)
    case 'slot_signed':
      return new SignerRefusal(`the slot ${refusal.record.slot.join(' ')} was signed for another order`)
    case 'approval_used':
      return new SignerRefusal(`the approval ${refusal.approval} was used for another slot: approve it again`)
    default:
      return new SignerRefusal(refusal.code)
  }
}
