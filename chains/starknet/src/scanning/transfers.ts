/**
 * The deposits of a transaction and their owner, from its receipt alone: transfers of listed tokens to our addresses,
 * and the swap's reference from our watchdog. Pure, so that every case can be tested.
 */
import { type Address, type BlockRef, isReference, type Sighting, type Token } from '@causeway/core'
import { joinU256, padded } from '../felt.ts'
import { selector } from '../hashing.ts'
import type { ChainEvent } from '../node/calls.ts'

export const TRANSFER = selector('Transfer')
const WATCHED = selector('Watched')

export interface TokenTransfer {
  contract: bigint
  from: bigint
  to: bigint
  units: bigint
}

/**
 * Decodes a transfer; null if the event is not one. Tokens have two event layouts, and one may change to the other: the
 * parties in the keys and the amount in the data, or everything in the data.
 */
export function readTransfer({ contract, keys, data }: ChainEvent): TokenTransfer | null {
  if (keys[0] !== TRANSFER) return null
  const isNew = keys.length === 3 && data.length === 2
  if (!isNew && !(keys.length === 1 && data.length === 4)) return null
  const [from = 0n, to = 0n, low = 0n, high = 0n] = isNew ? [...keys.slice(1), ...data] : data
  const units = joinU256(low, high)
  return units === null ? null : { contract, from, to, units }
}

/**
 * Decodes a watchdog event. It names its caller: anyone can add a reference next to a foreign transfer, but not in its
 * payer's name.
 */
function readWatched(
  watchdog: bigint,
  { contract, keys, data }: ChainEvent,
): { caller: bigint; number: bigint } | null {
  const [name, caller, number] = keys
  const isOurs = contract === watchdog && name === WATCHED && keys.length === 3 && data.length === 0
  return isOurs && caller !== undefined && number !== undefined ? { caller, number } : null
}

export interface Landing {
  hash: string
  block: BlockRef | null
  /** The type of transaction and its signer; null if there is none. */
  type: string
  sender: bigint | null
  succeeded: boolean
  events: readonly ChainEvent[]
}

export interface Known {
  tokens: ReadonlyMap<bigint, Token>
  watchdog: bigint | null
}

interface Deposit extends TokenTransfer {
  index: number
  token: Token
}

export function sightingsIn({ tokens, watchdog }: Known, landing: Landing, owned: ReadonlySet<Address>): Sighting[] {
  const { events, hash, block } = landing
  const signer = landing.type === 'INVOKE' ? landing.sender : null
  const isOurs = (number: bigint) => owned.has(padded(number))
  // A transaction that we signed is a payout with its fee: never a deposit.
  if (!landing.succeeded || (signer !== null && isOurs(signer))) return []
  const deposits = events.flatMap((event, index): Deposit[] => {
    const transfer = readTransfer(event)
    const token = transfer && tokens.get(transfer.contract)
    if (!token || transfer.units === 0n || !isOurs(transfer.to) || isOurs(transfer.from)) return []
    return [{ ...transfer, token, index }]
  })
  const watched = watchdog === null ? [] : events.flatMap((event) => readWatched(watchdog, event) ?? [])
  return deposits.map(({ index, from, to, token, units }) => ({
    txHash: hash,
    index,
    block,
    // Every sender is a contract: only one that signed this transaction is known to be able to sign again.
    refundableSender: from === signer ? padded(from) : null,
    fundingAddresses: from === 0n ? [] : [padded(from)],
    to: padded(to),
    amount: { token, units },
    reference: referenceOf(from, deposits, watched),
  }))
}

/** The reference, if it is unambiguous: one transfer of this sender and one reference from this sender; else null. */
function referenceOf(
  from: bigint,
  deposits: readonly Deposit[],
  watched: readonly { caller: bigint; number: bigint }[],
): bigint | null {
  const [only, ...more] = watched.filter(({ caller }) => caller === from)
  if (!only || more.length > 0 || deposits.filter((other) => other.from === from).length !== 1) return null
  return isReference(only.number) ? only.number : null
}
