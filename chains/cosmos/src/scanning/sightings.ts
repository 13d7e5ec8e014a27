/**
 * The deposits in scanned blocks: every coin that the bank credited to our addresses by a successful transaction. A
 * memo names the swap only if the payer signed it and it is unambiguous.
 */
import { treasuriesIn } from '@causeway/chain-kit'
import { type Address, parseDecimalReference, type Sighting, type TxHash, type Watchlist } from '@causeway/core'
import { isPerson, parseAccount } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import type { Transaction } from '../transaction.ts'
import type { Landed, ReadBlock } from './blocks.ts'
import { type Flow, received, sendersTo, spent } from './events.ts'
import { readPacket, readSend } from './messages.ts'
import { isSame, untoldDoubt } from './missing-events.ts'
import { doubtLocked, lockDoubt } from './vesting-accounts.ts'

type Context = Pick<CosmosChain, 'network' | 'tokens' | 'treasury' | 'settings' | 'untold' | 'now' | 'log'>

export async function sightingsIn(
  chain: Context,
  node: Node,
  blocks: readonly ReadBlock[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const good = blocks.map((read) => ({ read, landed: read.landed.filter(({ result }) => result.code === 0) }))
  const parties = good.flatMap(({ read, landed }) => [
    ...landed.flatMap(partiesOf),
    ...received(read.events).map(({ address }) => address),
  ])
  if (parties.length === 0) return []
  const owned = await ours.owned([...new Set(parties)])
  const treasuries = await treasuriesIn(chain.treasury, ours)
  const sightings = good.flatMap(({ read, landed }) => [
    ...landed.flatMap((one) => sightingsOf(chain, read, one, owned, treasuries)),
    ...sightingsBeside(chain, read, owned),
  ])
  return doubtLocked(node, chain, sightings)
}

/** The key of a deposit outside any transaction, by its height. */
export function placeOf(height: bigint): TxHash {
  return `block/${height}`
}

/** The height in such a key; null if the text is the hash of a transaction. */
export function heightOfPlace(place: TxHash): bigint | null {
  const [, height] = /^block\/([1-9]\d{0,17})$/.exec(place) ?? []
  return height === undefined ? null : BigInt(height)
}

/**
 * Coins that a block itself transferred to a deposit address: at an epoch's end, by a stream, by an auction. An
 * operator decides about them.
 */
function sightingsBeside(
  { tokens, treasury }: Context,
  { block, events }: ReadBlock,
  owned: ReadonlySet<Address>,
): Sighting[] {
  return received(events).flatMap(({ address, denom, units, index }): Sighting[] => {
    const token = tokens.get(denom)
    if (!token || units <= 0n || address === treasury || !owned.has(address)) return []
    return [
      {
        ...{ txHash: placeOf(block.number), index, block: { number: block.number, hash: block.hash } },
        ...{ refundableSender: null, fundingAddresses: [], to: address, amount: { token, units }, reference: null },
        ...{ doubt: 'it came with the block itself, by no transaction', requiresFinality: true },
      },
    ]
  })
}

/** All recipients, and all accounts that plain sends name. */
function partiesOf({ transaction, result }: Landed): string[] {
  const sends = transaction?.messages.flatMap((message) => readSend(message) ?? []) ?? []
  return [...received(result.events).map(({ address }) => address), ...sends.flatMap(({ from, to }) => [from, to])]
}

function sightingsOf(
  chain: Context,
  { block }: ReadBlock,
  landed: Landed,
  owned: ReadonlySet<Address>,
  treasuries: ReadonlySet<Address>,
): Sighting[] {
  const { hash, transaction, result } = landed
  const credits = received(result.events).filter(({ address }) => owned.has(address))
  const untold = transaction && untoldDoubt(chain, transaction, credits, owned, hash)
  // A transaction's memo covers all its credits, a packet's memo only its own message: a relayer may add other packets.
  const isOnly = (credit: Flow, { abroad }: Origin) =>
    credits.filter(({ message }) => abroad === null || message === null || message === credit.message).length === 1
  const { number, hash: blockHash } = block
  return credits.flatMap((credit): Sighting[] => {
    const token = chain.tokens.get(credit.denom)
    if (!token || credit.units <= 0n) return []
    const origin = originOf(transaction, credit)
    // Our own sweeps, payouts and cancellations are not deposits.
    if (origin.from !== null && owned.has(origin.from)) return []
    const payer = origin.from !== null && isPerson(origin.from) ? origin.from : null
    const doubt = untold ?? (transaction && lockDoubt(transaction, credit))
    const named = isOnly(credit, origin) && treasuries.has(credit.address) && origin.memo !== null
    return [
      {
        txHash: hash,
        index: credit.index,
        block: { number, hash: blockHash },
        refundableSender: payer,
        fundingAddresses: sendersOf(chain, landed, credit, origin),
        to: credit.address,
        amount: { token, units: credit.units },
        reference: named ? parseDecimalReference(origin.memo ?? '') : null,
        ...(doubt === null ? {} : { doubt }),
      },
    ]
  })
}

interface Origin {
  /** The sender, if it signed a plain message; null otherwise. */
  from: Address | null
  /** The sender's address on another chain; null if the money came from this chain. */
  abroad: string | null
  /** The payer's own memo; null if another party wrote it. */
  memo: string | null
}

const NOBODY: Origin = { from: null, abroad: null, memo: null }

function originOf(transaction: Transaction | null, credit: Flow): Origin {
  const { messages = [] } = transaction ?? {}
  const message = messages[credit.message ?? (messages.length === 1 ? 0 : -1)]
  if (!transaction || !message) return NOBODY
  const send = readSend(message)
  if (send && send.to === credit.address && send.coins.some((coin) => isSame(coin, credit))) {
    return { from: send.from, abroad: null, memo: transaction.memo }
  }
  const packet = readPacket(message)
  if (packet && packet.receiver === credit.address && isSame(packet.coin, credit)) {
    return { from: null, abroad: packet.sender, memo: packet.memo }
  }
  return NOBODY
}

function sendersOf({ settings }: Context, { result }: Landed, credit: Flow, { from, abroad }: Origin): Address[] {
  // Every spender in the same message is included: a contract forwards what it received.
  const spenders = spent(result.events).filter(({ message }) => message !== null && message === credit.message)
  const here = [...sendersTo(result.events, credit.address), ...spenders.map(({ address }) => address)]
  const abroadToo = abroad === null ? null : parseAccount(abroad, null)
  const known = [from ?? [], ...here].flat().flatMap((sender) => parseAccount(sender, settings.prefix) ?? [])
  return [...new Set([...known, abroadToo ?? []].flat())]
}
