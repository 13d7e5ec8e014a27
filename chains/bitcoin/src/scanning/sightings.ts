/**
 * The deposits in transactions, from blocks and from the mempool: one watchlist query for all outputs, and a lookup of
 * the senders for the few transactions that pay us.
 */
import { treasuriesIn } from '@causeway/chain-kit'
import type { Address, BlockRef, Sighting, Watchlist } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { referenceIn } from '../depositing/deposit.ts'
import type { Node } from '../node/node.ts'
import type { Transaction } from '../transaction.ts'
import { addressesIn } from './addresses.ts'
import { spentOutputs } from './locate-tx.ts'

export interface Candidate {
  transaction: Transaction
  /** Null while the transaction is pending. */
  block: BlockRef | null
}

interface Payment {
  vout: number
  to: Address
  units: bigint
}

interface Hit extends Candidate {
  payments: Payment[]
}

/**
 * Limit of senders: more inputs than nodes relay in one transaction. If a miner includes one anyway, not every sender
 * can be screened.
 */
const MOST_SENDERS = 2_000
/**
 * In satoshis. Of several payments to the same address, smaller ones would cost a good part of their value to spend.
 */
const LEAST_PIECE = 10_000n

export async function sightingsIn(
  chain: BitcoinChain,
  node: Node,
  candidates: readonly Candidate[],
  ours: Watchlist,
): Promise<Sighting[]> {
  // Coinbase outputs are left out: they cannot be spent for a hundred blocks, and miners pay by ordinary transactions.
  const paying = candidates
    .filter(({ transaction }) => transaction.inputs !== null)
    .map((candidate) => ({ ...candidate, payments: paymentsOf(chain, candidate.transaction) }))
  const addresses = new Set(paying.flatMap(({ payments }) => payments.map(({ to }) => to)))
  if (addresses.size === 0) return []
  const owned = await ours.owned([...addresses])
  const hits = paying
    .map((hit) => ({ ...hit, payments: hit.payments.filter(({ to }) => owned.has(to)) }))
    .filter(({ payments }) => payments.length > 0)
  if (hits.length === 0) return []
  const senders = await sendersOf(chain, node, hits)
  const ownSenders = await ours.owned([...new Set(senders.flat().filter((sender) => sender !== null))])
  const treasuries = await treasuriesIn(chain.treasury, ours)
  return hits.flatMap((hit, position) => sightingsOf(chain, hit, senders[position] ?? [], ownSenders, treasuries))
}

function paymentsOf({ prefixes }: BitcoinChain, transaction: Transaction): Payment[] {
  const addresses = addressesIn(transaction, prefixes)
  return transaction.outputs.flatMap(({ units }, vout) => {
    const to = addresses[vout] ?? null
    return to === null || units <= 0n ? [] : [{ vout, to, units }]
  })
}

async function sendersOf(chain: BitcoinChain, node: Node, hits: readonly Hit[]): Promise<(Address | null)[][]> {
  const looked = hits.map(({ transaction }) => transaction.inputs?.slice(0, MOST_SENDERS) ?? [])
  const spent = await spentOutputs(node, looked.flat())
  const addresses = spent.map(({ script }) => addressOf(script, chain.prefixes))
  return looked.map((inputs) => addresses.splice(0, inputs.length))
}

/**
 * The deposits of a transaction. Our own change, payouts and sweeps are not deposits: we signed every transaction that
 * spends our UTXOs.
 */
function sightingsOf(
  { network }: BitcoinChain,
  { transaction, block, payments }: Hit,
  senders: readonly (Address | null)[],
  ownSenders: ReadonlySet<Address>,
  treasuries: ReadonlySet<Address>,
): Sighting[] {
  if (senders.some((sender) => sender !== null && ownSenders.has(sender))) return []
  const refundableSender = soleSender(transaction, senders)
  // If a transaction has several payments to us, its memo does not identify one of them.
  const isSingle = payments.filter(({ to }) => treasuries.has(to)).length === 1
  const reference = isSingle && transaction.isSignedWhole ? referenceIn(transaction.outputs) : null
  return payments.map(({ vout, to, units }) => ({
    txHash: transaction.txid,
    index: vout,
    block,
    refundableSender,
    fundingAddresses: [...new Set(senders.filter((sender) => sender !== null))],
    to,
    amount: { token: network.nativeToken, units },
    reference: treasuries.has(to) ? reference : null,
    ...doubtAbout(transaction, senders, payments, { to, units }),
  }))
}

/**
 * Why an operator must decide about the deposit. A payer of a thousand small outputs would make us pay for a thousand
 * inputs.
 */
function doubtAbout(
  { inputs }: Transaction,
  senders: readonly (Address | null)[],
  payments: readonly Payment[],
  { to, units }: Pick<Payment, 'to' | 'units'>,
): { doubt?: string } {
  if (senders.length < (inputs?.length ?? 0)) return { doubt: 'it has more senders than can be looked up' }
  const isPiece = units < LEAST_PIECE && payments.filter((payment) => payment.to === to).length > 1
  return isPiece ? { doubt: 'it comes in pieces that are too small to spend' } : {}
}

/** The only address that all the money came from, which can be refunded; null if there are several. */
function soleSender({ inputs }: Transaction, senders: readonly (Address | null)[]): Address | null {
  const [first = null, ...more] = senders
  if (senders.length !== inputs?.length || more.some((sender) => sender !== first)) return null
  return first
}
