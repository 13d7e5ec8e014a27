/** Balances and sequences of all accounts at every height: nodes answer for the past too. */
import type { Money } from './envelope.ts'

export interface AccountState {
  number: bigint
  sequence: bigint
  /** The account's public key; known once it has signed. */
  key: { type: string; bytes: Buffer } | null
  /** The account's first coins, if they are locked forever. */
  locked?: readonly Money[]
}

type Cell = bigint | AccountState

/** Changes are collected in a layer, and applied or discarded together. */
export class Ledger {
  readonly #below: Ledger | null
  readonly #changed = new Map<string, Cell>()
  /** Only in the bottom layer: every value with the height from which it is valid. */
  readonly #past = new Map<string, { since: bigint; value: Cell }[]>()

  constructor(below: Ledger | null = null) {
    this.#below = below
  }

  /** A copy whose changes affect this ledger only when they are applied. */
  aside(): Ledger {
    return new Ledger(this)
  }

  keep(): void {
    for (const [key, value] of this.#changed) this.#below?.set(key, value)
  }

  balance(owner: string, denom: string): bigint {
    return (this.get(`${owner} ${denom}`) as bigint | undefined) ?? 0n
  }

  /** The balance without locked coins. */
  spendable(owner: string, denom: string): bigint {
    return spendableOf(this.balance(owner, denom), this.account(owner), denom)
  }

  add(owner: string, denom: string, amount: bigint): void {
    if (!this.account(owner)) this.setAccount(owner, { number: this.#nextNumber(), sequence: 0n, key: null })
    this.set(`${owner} ${denom}`, this.balance(owner, denom) + amount)
  }

  account(owner: string): AccountState | undefined {
    return this.get(owner) as AccountState | undefined
  }

  setAccount(owner: string, state: AccountState): void {
    this.set(owner, state)
  }

  get(key: string): Cell | undefined {
    return this.#changed.get(key) ?? (this.#below ? this.#below.get(key) : this.#past.get(key)?.at(-1)?.value)
  }

  set(key: string, value: Cell): void {
    this.#changed.set(key, value)
  }

  /** Only in the bottom layer: changes are valid from this height on. */
  commit(height: bigint): void {
    for (const [key, value] of this.#changed) {
      const past = this.#past.get(key) ?? []
      past.push({ since: height, value })
      this.#past.set(key, past)
    }
    this.#changed.clear()
  }

  accountAt(owner: string, height: bigint): AccountState | undefined {
    return this.#at(owner, height) as AccountState | undefined
  }

  balanceAt(owner: string, denom: string, height: bigint): bigint {
    return (this.#at(`${owner} ${denom}`, height) as bigint | undefined) ?? 0n
  }

  spendableAt(owner: string, denom: string, height: bigint): bigint {
    return spendableOf(this.balanceAt(owner, denom, height), this.accountAt(owner, height), denom)
  }

  denomsOf(owner: string): string[] {
    const mark = `${owner} `
    return [...this.#past.keys()].filter((key) => key.startsWith(mark)).map((key) => key.slice(mark.length))
  }

  #at(key: string, height: bigint): Cell | undefined {
    return this.#past.get(key)?.findLast(({ since }) => since <= height)?.value
  }

  /** The account counter is stored like any other value, so that it is discarded with the rest. */
  #nextNumber(): bigint {
    const next = ((this.get(' accounts') as bigint | undefined) ?? 0n) + 1n
    this.set(' accounts', next)
    return next
  }
}

function spendableOf(held: bigint, account: AccountState | undefined, denom: string): bigint {
  const locked = account?.locked?.find((coin) => coin.denom === denom)?.amount ?? 0n
  return held > locked ? held - locked : 0n
}
