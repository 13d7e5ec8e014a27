/** What everybody holds and which numbers they have used, at every height: nodes are asked of the past too. */

export interface AccountState {
  number: bigint
  sequence: bigint
  /** Known once it has signed something. */
  key: { type: string; bytes: Buffer } | null
  /** What it was given first is locked up for ever. */
  isLocked?: true
}

type Cell = bigint | AccountState

/** Changes are collected aside, and kept or thrown away together. */
export class Ledger {
  readonly #below: Ledger | null
  readonly #changed = new Map<string, Cell>()
  /** Of the lowest one: every value with the height since when it stands. */
  readonly #past = new Map<string, { since: bigint; value: Cell }[]>()

  constructor(below: Ledger | null = null) {
    this.#below = below
  }

  /** What is changed in it changes nothing here before it is kept. */
  aside(): Ledger {
    return new Ledger(this)
  }

  keep(): void {
    for (const [key, value] of this.#changed) this.#below?.set(key, value)
  }

  balance(owner: string, denom: string): bigint {
    return (this.get(`${owner} ${denom}`) as bigint | undefined) ?? 0n
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

  /** Of the lowest ledger: what was changed stands from this height on. */
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

  denomsOf(owner: string): string[] {
    const mark = `${owner} `
    return [...this.#past.keys()].filter((key) => key.startsWith(mark)).map((key) => key.slice(mark.length))
  }

  #at(key: string, height: bigint): Cell | undefined {
    return this.#past.get(key)?.findLast(({ since }) => since <= height)?.value
  }

  /** Counted like any other value, so that it is thrown away with the rest. */
  #nextNumber(): bigint {
    const next = ((this.get(' accounts') as bigint | undefined) ?? 0n) + 1n
    this.set(' accounts', next)
    return next
  }
}
