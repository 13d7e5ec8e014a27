/**
 * Balances and nonces of the simulated chain as one table of numbers, and the changes that a transaction makes to it.
 * Changes are differences, so undoing them in any order restores the state. Reorgs and lagging nodes use that.
 */
import type { Address } from '@causeway/core'
import type { Transaction } from '../../src/transaction.ts'

export interface Change {
  key: string
  delta: bigint
}

export interface Outcome {
  changes: readonly Change[]
  reverted: boolean
}

export type State = Map<string, bigint>

export function balanceKey(owner: Address, contract: string | null): string {
  return `balance ${owner} ${contract ?? 'native'}`
}

export function nonceKey(account: Address): string {
  return `nonce ${account}`
}

export function read(state: State, key: string): bigint {
  return state.get(key) ?? 0n
}

export function apply(state: State, changes: readonly Change[]): void {
  for (const { key, delta } of changes) state.set(key, read(state, key) + delta)
}

export function undo(state: State, changes: readonly Change[]): void {
  for (const { key, delta } of changes) state.set(key, read(state, key) - delta)
}

/**
 * The effect of the transaction on this state. Fee and nonce are spent even if its moves revert; the moves revert
 * together.
 */
export function execute(state: State, transaction: Transaction, blocked: ReadonlySet<Address>): Outcome {
  const paid: Change[] = [
    { key: nonceKey(transaction.account), delta: 1n },
    { key: balanceKey(transaction.account, null), delta: -transaction.fee },
  ]
  const moved: Change[] = []
  for (const { from, to, contract, units } of transaction.moves) {
    const source = balanceKey(from, contract)
    const left = [...paid, ...moved].reduce(
      (sum, { key, delta }) => (key === source ? sum + delta : sum),
      read(state, source),
    )
    if (units < 0n || left < units || blocked.has(from) || blocked.has(to)) return { changes: paid, reverted: true }
    moved.push({ key: source, delta: -units }, { key: balanceKey(to, contract), delta: units })
  }
  return { changes: [...paid, ...moved], reverted: false }
}
