/** The draft that `prepare` passes to `sign`, as text: values from the chain that go into the message. */
import { type Address, Bug, type PreparedTransfer } from '@causeway/core'

export interface Terms {
  /** Chain time in unix seconds. */
  time: number
  /** False while the treasury's contract must still be deployed with the message. */
  isDeployed: boolean
  /** Counts the variants of one slot's message. */
  variant: number
  /** The treasury's jetton wallets by master, as a node reported them: used only if the network's file pins none. */
  wallets: Readonly<Record<Address, Address>>
}

/** The variant is written into 32 bits. */
const MOST_VARIANT = 0xffffffff

export function formatTerms(terms: Terms): PreparedTransfer {
  return JSON.stringify(terms)
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const { time, isDeployed, variant, wallets = {} }: Terms = JSON.parse(draft)
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
  if (!isCount(time) || !isCount(variant) || variant > MOST_VARIANT) throw new Bug('not a draft', { draft })
  return { time, isDeployed: isDeployed === true, variant, wallets }
}
