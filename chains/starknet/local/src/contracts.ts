/** The contracts of a local chain, simulated in TypeScript: tokens in both event layouts, and our watchdog. */
import { selector } from 'starknet'
import type { Cells } from './ledger.ts'
import type { AccountRule, Layout } from './plan.ts'
import { accountAddress } from './signature-checks.ts'

export interface Emitted {
  from_address: string
  keys: string[]
  data: string[]
}

interface Frame {
  cells: Cells
  caller: bigint
  /** The address of the contract that runs. */
  self: bigint
  emit(event: Omit<Emitted, 'from_address'>): void
  call(to: bigint, name: bigint, calldata: readonly bigint[]): bigint[]
}

export type Contract = (frame: Frame, name: bigint, calldata: readonly bigint[]) => bigint[]

/** The call fails, and with it its whole transaction. */
export class Revert extends Error {
  override name = 'Revert'
}

const HALF = 1n << 128n

export function named(name: string): bigint {
  return BigInt(selector.getSelectorFromName(name))
}

export function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

export function balanceCell(token: bigint, owner: bigint): string {
  return `balance ${token} ${owner}`
}

function allowanceCell(token: bigint, owner: bigint, spender: bigint): string {
  return `allowance ${token} ${owner} ${spender}`
}

const [TRANSFER, TRANSFER_FROM, APPROVE, ALLOWANCE, DECIMALS] = [
  named('transfer'),
  named('transfer_from'),
  named('approve'),
  named('allowance'),
  named('decimals'),
]
const BALANCES = [named('balanceOf'), named('balance_of')]
const TRANSFER_EVENT = named('Transfer')

export interface TokenOptions {
  layout(): Layout
  decimals: bigint
  /** Whether the issuer blocks this recipient. */
  isBlocked(address: bigint): boolean
}

export function tokenContract(options: TokenOptions): Contract {
  return (frame, name, calldata) => {
    const { cells, caller, self } = frame
    const [first = 0n, second = 0n, third = 0n, fourth = 0n] = calldata
    if (BALANCES.includes(name)) return halves(cells.get(balanceCell(self, first)))
    if (name === DECIMALS) return [options.decimals]
    if (name === ALLOWANCE) return halves(cells.get(allowanceCell(self, first, second)))
    if (name === APPROVE) {
      cells.set(allowanceCell(self, caller, first), second + third * HALF)
      return [1n]
    }
    if (name === TRANSFER) {
      move(frame, options, caller, first, whole(second, third))
      return [1n]
    }
    if (name === TRANSFER_FROM) {
      const units = whole(third, fourth)
      const cell = allowanceCell(self, first, caller)
      if (cells.get(cell) < units) throw new Revert('ERC20: insufficient allowance')
      cells.set(cell, cells.get(cell) - units)
      move(frame, options, first, second, units)
      return [1n]
    }
    throw new Revert('ENTRYPOINT_NOT_FOUND')
  }
}

function move(frame: Frame, options: TokenOptions, from: bigint, to: bigint, units: bigint): void {
  const { cells, self } = frame
  if (options.isBlocked(to) || options.isBlocked(from)) throw new Revert('Blocklistable: account is blocklisted')
  const held = cells.get(balanceCell(self, from))
  if (held < units) throw new Revert('u256_sub Overflow')
  cells.set(balanceCell(self, from), held - units)
  cells.set(balanceCell(self, to), cells.get(balanceCell(self, to)) + units)
  frame.emit(transferEvent(options.layout(), from, to, units))
}

export function transferEvent(layout: Layout, from: bigint, to: bigint, units: bigint): Omit<Emitted, 'from_address'> {
  const who = [hex(from), hex(to)]
  const much = halves(units).map(hex)
  const name = hex(TRANSFER_EVENT)
  return layout === 'new' ? { keys: [name, ...who], data: much } : { keys: [name], data: [...who, ...much] }
}

function halves(units: bigint): [bigint, bigint] {
  return [units % HALF, units / HALF]
}

function whole(low: bigint, high: bigint): bigint {
  if (low >= HALF || high >= HALF) throw new Revert('u256 is not two halves')
  return low + high * HALF
}

const [WATCH, WATCHED] = [named('watch'), named('Watched')]

/** The watchdog contract, equivalent to `contracts/starknet/watchdog.cairo`. */
export const watchdogContract: Contract = ({ caller, emit }, name, calldata) => {
  const [number, ...more] = calldata
  if (name !== WATCH) throw new Revert('ENTRYPOINT_NOT_FOUND')
  if (number === undefined || more.length > 0) throw new Revert('Failed to deserialize param #1')
  emit({ keys: [hex(WATCHED), hex(caller), hex(number)], data: [] })
  return []
}

const DEPLOY = named('deploy_contract')

/**
 * The universal deployer, for accounts only. Its arguments: class, salt, whether the deployer is part of the address,
 * and the constructor's arguments.
 */
export function deployerContract(rule: AccountRule): Contract {
  return ({ cells }, name, calldata) => {
    const [classHash, salt = 0n, isOwn, count, ...args] = calldata
    if (name !== DEPLOY) throw new Revert('ENTRYPOINT_NOT_FOUND')
    if (classHash !== BigInt(rule.classHash)) throw new Revert('Class with hash is not declared')
    if (isOwn !== 0n || Number(count) !== args.length) throw new Revert('only accounts are deployed here')
    const address = accountAddress(rule, salt)
    if (cells.get(`class ${address}`) !== 0n) throw new Revert('contract already deployed')
    cells.set(`class ${address}`, classHash)
    cells.set(`key ${address}`, salt)
    return [address]
  }
}
