/** Queries to the modules of the chain, in protobuf: accounts, balances, simulations, gas prices. */
import { NodeRefusal } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { readFields, writeFields } from '../protobuf.ts'
import type { FeeModel } from '../settings.ts'
import { readAny, readCoin } from '../transaction.ts'
import { abciQuery } from './calls.ts'
import type { Node } from './node.ts'

/** The application refused the query. */
export class QueryRefusal extends NodeRefusal {
  override name = 'QueryRefusal'
  readonly log: string
  constructor(path: string, log: string) {
    super(`${path}: ${log}`)
    this.log = log
  }
}

export interface Account {
  number: bigint
  sequence: bigint
}

/** An account's number and sequence; null if it has never received anything: it has no account number yet. */
export async function account(node: Node, address: Address, height: bigint | null): Promise<Account | null> {
  const path = '/cosmos.auth.v1beta1.Query/Account'
  const [answer] = await node.ask([abciQuery(path, writeFields({ 1: address }), height)])
  if (answer.code !== 0) {
    if (/not found/i.test(answer.log) && !/height|version/i.test(answer.log)) return null
    throw new QueryRefusal(path, answer.log)
  }
  return readAccount(readAny(readFields(answer.value).bytes(1)).value, address)
}

export interface AccountLock {
  /** The account's type as the chain names it. */
  kind: string
  /** All units that it ever locked, by denomination; null if they cannot be read from this type. */
  original: ReadonlyMap<string, bigint> | null
}

/** Types that are or contain a `BaseVestingAccount` of the SDK. */
const VESTING_KIND = /\.((Base|Continuous|Delayed|Periodic|Clawback)VestingAccount|PermanentLockedAccount)$/

/** The account's type and what it locked up to a block, or to the newest one; null if the node does not say. */
export async function accountLock(node: Node, address: Address, height: bigint | null): Promise<AccountLock | null> {
  const path = '/cosmos.auth.v1beta1.Query/Account'
  const [answer] = await node.ask([abciQuery(path, writeFields({ 1: address }), height)])
  if (answer.code !== 0) return null
  try {
    const { type, value } = readAny(readFields(answer.value).bytes(1))
    return { kind: type, original: VESTING_KIND.test(type) ? readOriginalVesting(value, address) : null }
  } catch {
    return null
  }
}

/**
 * Vesting accounts, module accounts and other key types contain the plain account as their first field; this many
 * layers are opened.
 */
const MOST_LAYERS = 4

function readAccount(bytes: Uint8Array, address: Address): Account {
  let layer = bytes
  for (let depth = 0; depth < MOST_LAYERS; depth++) {
    const fields = readFields(layer)
    const first = fields.bytes(1)
    if (Buffer.from(first).toString('latin1') === address) return { number: fields.uint(3), sequence: fields.uint(4) }
    layer = first
  }
  throw new NodeRefusal(`the account ${address} cannot be read`)
}

/** The `original_vesting` of the layer around the plain account; null if it cannot be read. */
function readOriginalVesting(bytes: Uint8Array, address: Address): Map<string, bigint> | null {
  try {
    let layer = readFields(bytes)
    for (let depth = 0; depth < MOST_LAYERS; depth++) {
      const inner = readFields(layer.bytes(1))
      if (Buffer.from(inner.bytes(1)).toString('latin1') === address)
        return new Map(layer.all(2).map((coin) => [readCoin(coin).denom, readCoin(coin).units]))
      layer = inner
    }
  } catch {
    // Then nothing is known about its coins.
  }
  return null
}

export function balance(node: Node, owner: Address, denom: string, height: bigint | null): Promise<bigint> {
  return coinAnswer(node, '/cosmos.bank.v1beta1.Query/Balance', owner, denom, height)
}

/** The balance without locked coins. */
export function spendable(node: Node, owner: Address, denom: string): Promise<bigint> {
  return coinAnswer(node, '/cosmos.bank.v1beta1.Query/SpendableBalanceByDenom', owner, denom, null)
}

async function coinAnswer(
  node: Node,
  path: string,
  owner: Address,
  denom: string,
  height: bigint | null,
): Promise<bigint> {
  const answer = await query(node, path, writeFields({ 1: owner, 2: denom }), height)
  const bytes = readFields(answer).bytes(1)
  if (bytes.length === 0) return 0n
  const coin = readCoin(bytes)
  if (coin.denom !== denom) throw new NodeRefusal(`${path}: the balance of another denomination`)
  return coin.units
}

/** The gas used in a simulation. Throws `QueryRefusal` if it failed. */
export async function simulate(node: Node, raw: Uint8Array): Promise<bigint> {
  const answer = await query(node, '/cosmos.tx.v1beta1.Service/Simulate', writeFields({ 2: raw }), null)
  const used = readFields(readFields(answer).bytes(1)).uint(2)
  if (used === 0n) throw new NodeRefusal('a trial that used no gas')
  return used
}

/** The gas price in 10^-18 base units; null if only the file's price is known. */
export async function gasPrice(node: Node, model: FeeModel, denom: string): Promise<bigint | null> {
  if (model === 'fixed') return null
  if (model === 'feemarket') {
    const answer = await query(node, '/feemarket.feemarket.v1.Query/GasPrice', writeFields({ 1: denom }), null)
    // A decimal coin, encoded as digits only.
    const coin = readFields(readFields(answer).bytes(1))
    if (coin.text(1) !== denom) throw new NodeRefusal('the price of gas in another denomination')
    return decimal(coin.text(2))
  }
  if (model === 'osmosis') {
    return decimal(
      readFields(await query(node, '/osmosis.txfees.v1beta1.Query/GetEipBaseFee', new Uint8Array(), null)).text(1),
    )
  }
  if (model === 'injective') {
    // The base fee, in a message of its own.
    const answer = await query(node, '/injective.txfees.v1beta1.Query/GetEipBaseFee', new Uint8Array(), null)
    return decimal(readFields(readFields(answer).bytes(1)).text(1))
  }
  return decimal(
    readFields(await query(node, '/cosmos.evm.feemarket.v1.Query/BaseFee', new Uint8Array(), null)).text(1),
  )
}

function decimal(digits: string): bigint {
  if (!/^\d{1,60}$/.test(digits)) throw new NodeRefusal('a price that is none')
  return BigInt(digits)
}

async function query(node: Node, path: string, data: Uint8Array, height: bigint | null): Promise<Uint8Array> {
  const [answer] = await node.ask([abciQuery(path, data, height)])
  if (answer.code !== 0) throw new QueryRefusal(path, answer.log)
  return answer.value
}
