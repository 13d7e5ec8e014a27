/** The draft that `prepare` passes to `sign`, as text: values from the chain that go into the transaction. */
import { type Address, Bug, type PreparedTransfer } from '@causeway/core'

export interface Terms {
  /** The treasury's account number. */
  accountNumber: bigint
  /** The treasury's next sequence by the chain's newest state. */
  sequence: bigint
  gas: bigint
  feeUnits: bigint
  timeoutHeight: bigint
  /** The sources and amounts of a sweep; empty otherwise. */
  sources: readonly SourceTerms[]
}

export interface SourceTerms {
  address: Address
  accountNumber: bigint
  sequence: bigint
  units: bigint
}

const MOST = (1n << 63n) - 1n
/** Limit of an amount, which may exceed a safe integer. */
const MOST_UNITS = (1n << 255n) - 1n

export function formatTerms(terms: Terms): PreparedTransfer {
  return JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const wrong = () => new Bug('not a draft of this family', { draft: draft.slice(0, 200) })
  const count = (value: unknown, most = MOST): bigint => {
    if (typeof value !== 'string' || !/^(0|[1-9]\d{0,76})$/.test(value) || BigInt(value) > most) throw wrong()
    return BigInt(value)
  }
  const raw: Record<string, unknown> = JSON.parse(draft)
  if (!Array.isArray(raw.sources)) throw wrong()
  return {
    accountNumber: count(raw.accountNumber),
    sequence: count(raw.sequence),
    gas: count(raw.gas),
    feeUnits: count(raw.feeUnits, MOST_UNITS),
    timeoutHeight: count(raw.timeoutHeight),
    sources: raw.sources.map((source: Record<string, unknown>) => {
      if (typeof source?.address !== 'string') throw wrong()
      const { address } = source
      return {
        address,
        accountNumber: count(source.accountNumber),
        sequence: count(source.sequence),
        units: count(source.units, MOST_UNITS),
      }
    }),
  }
}
