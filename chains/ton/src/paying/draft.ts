/** What `prepare` hands to `sign`, as text: what was read of the chain and is written into the message. */
import { type Address, Bug, type Draft } from '@causeway/core'

export interface Terms {
  /** Chain time in unix seconds. */
  time: number
  /** False while the treasury's contract must be sent along. */
  isDeployed: boolean
  /** Counts the writings of one slot's message. */
  variant: number
  jettonValue: bigint
  /** The treasury's jetton wallets by master. */
  wallets: Readonly<Record<Address, Address>>
}

export function formatTerms(terms: Terms): Draft {
  return JSON.stringify({ ...terms, jettonValue: terms.jettonValue.toString() })
}

export function parseTerms(draft: Draft): Terms {
  const { jettonValue, ...rest }: Omit<Terms, 'jettonValue'> & { jettonValue: string } = JSON.parse(draft)
  if (typeof rest.time !== 'number' || typeof rest.variant !== 'number') throw new Bug('not a draft', { draft })
  return { ...rest, jettonValue: BigInt(jettonValue) }
}
