/**
 * The state of a local chain with its history: every value by name and the block since which it is valid. So any block
 * can be queried, and a reorg only drops later values.
 */

export interface Cells {
  get(name: string): bigint
  set(name: string, value: bigint): void
}

interface Entry {
  block: number
  value: bigint
}

export class Ledger {
  readonly #cells = new Map<string, Entry[]>()

  /** The value at a block; zero if nothing was ever written. */
  at(name: string, block: number): bigint {
    return this.#cells.get(name)?.findLast((entry) => entry.block <= block)?.value ?? 0n
  }

  write(name: string, value: bigint, block: number): void {
    const entries = this.#cells.get(name) ?? []
    const last = entries.at(-1)
    if (last?.block === block) last.value = value
    else entries.push({ block, value })
    this.#cells.set(name, entries)
  }

  forgetAbove(block: number): void {
    for (const [name, entries] of this.#cells) {
      const kept = entries.filter((entry) => entry.block <= block)
      if (kept.length === 0) this.#cells.delete(name)
      else if (kept.length < entries.length) this.#cells.set(name, kept)
    }
  }
}

/** Writes that take effect only when they are applied. */
export class Draft implements Cells {
  readonly #written = new Map<string, bigint>()
  readonly #below: (name: string) => bigint
  constructor(below: (name: string) => bigint) {
    this.#below = below
  }

  get(name: string): bigint {
    return this.#written.get(name) ?? this.#below(name)
  }

  set(name: string, value: bigint): void {
    this.#written.set(name, value)
  }

  keep(write: (name: string, value: bigint) => void): void {
    for (const [name, value] of this.#written) write(name, value)
  }
}
