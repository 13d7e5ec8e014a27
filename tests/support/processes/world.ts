/**
 * A sandbox with its service, and helpers for end-to-end tests: swaps over HTTP, deposits as a wallet makes them,
 * balances, prices that can be changed and windows that can be closed.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Devnet, TestAccount, Token } from '@causeway/core'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import pg from 'pg'
import { startDatabase } from '../database/database.ts'
import { type Client, clientOf, type WireAction, type WireSwap } from '../service/client.ts'

const PRICES = path.join(import.meta.dirname, '../../../networks/prices.json')

export interface World {
  sandbox: Sandbox
  client: Client
  token(network: string, symbol: string): Token
  devnet(network: string): Devnet
  account(network: string, index: number): TestAccount
  /** A fresh address of an EVM network that holds nothing. */
  stranger(): string
  /** Sends what the action says, or this many base units instead. */
  deposit(token: Token, action: WireAction, options?: { account?: number; units?: bigint }): Promise<string>
  balance(token: Token, address: string): Promise<bigint>
  query<T extends object>(sql: string, values?: unknown[]): Promise<T[]>
  /** Moves the end of the swap's window, of its quote, or of its price retries into the past. */
  close(swapId: string, what: 'window' | 'quote' | 'price'): Promise<void>
  setPrice(group: string, usd: string): Promise<void>
  stop(): Promise<void>
}

/** One family is enough for behaviour that all families share, and starts much faster. */
const ONLY = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA', 'BASE_SEPOLIA', 'OPTIMISM_SEPOLIA']

export async function startWorld(
  env: Record<string, string> = {},
  runService = true,
  only: readonly string[] = ONLY,
  networks?: string,
  database: () => Promise<{ url: string; stop(): Promise<void> }> = startDatabase,
): Promise<World> {
  const prices = path.join(await mkdtemp(path.join(os.tmpdir(), 'causeway-prices-')), 'prices.json')
  await writeFile(prices, await readFile(PRICES))
  const sandbox = await startSandbox({
    only,
    ...(networks ? { networks } : {}),
    runService,
    database,
    env: { PRICES_FILE: prices, LOG_LEVEL: 'fatal', ...env },
  })
  const pool = new pg.Pool({ connectionString: sandbox.databaseUrl, max: 2 })
  pool.on('error', () => undefined)
  const devnet = (network: string): Devnet => {
    const found = sandbox.devnets.get(network)
    if (!found) throw new Error(`no local chain for ${network}`)
    return found
  }
  const account = (network: string, index: number): TestAccount => {
    const found = devnet(network).accounts[index]
    if (!found) throw new Error(`no test account ${index}`)
    return found
  }
  return {
    sandbox,
    client: clientOf(sandbox.url),
    devnet,
    account,
    token(network, symbol) {
      const found = sandbox.catalogue.network(network).tokens.find((token) => token.symbol === symbol)
      if (!found) throw new Error(`no ${symbol} on ${network}`)
      return found
    },
    stranger: () => `0x${randomBytes(20).toString('hex')}`,
    deposit(token, action, options = {}) {
      const units = options.units ?? BigInt(action.amount_in_base_units)
      const wallet = devnet(token.network)
      const from = account(token.network, options.account ?? 0)
      if (action.call_data === null) return wallet.transfer(from, token, action.to_address, units)
      return wallet.deposit(from, token, { toAddress: action.to_address, units, callData: action.call_data })
    },
    balance: (token, address) => devnet(token.network).balance(token, address),
    async query<T extends object>(sql: string, values: unknown[] = []) {
      return (await pool.query<T>(sql, values)).rows
    },
    async close(swapId, what) {
      const column = { window: 'expires_at', quote: 'quote_expires_at', price: 'degraded_at' }[what]
      const since = what === 'price' ? '31 minutes' : '1 second'
      await pool.query(`update swap set ${column} = now() - $2::interval where id = $1`, [swapId, since])
    },
    async setPrice(group, usd) {
      await writeFile(prices, JSON.stringify({ ...JSON.parse(await readFile(prices, 'utf8')), [group]: usd }))
    },
    async stop() {
      await pool.end()
      await sandbox.stop()
    },
  }
}

/** The only deposit action of a swap. */
export function actionOf({ deposit_actions }: WireSwap): WireAction {
  const [action] = deposit_actions
  if (!action) throw new Error('the swap has no deposit action')
  return action
}

/** A decimal amount of the API in base units, exactly. */
export function unitsOf(amount: number, token: Token): bigint {
  const [whole = '0', fraction = ''] = amount.toFixed(token.precision).split('.')
  return BigInt(whole + fraction.padEnd(token.decimals, '0'))
}
