/**
 * The deposits in mined transactions: one watchlist query for all outputs, and the watchdog's logs for the few that pay
 * the treasury.
 */
import { treasuriesIn } from '@causeway/chain-kit'
import type { Address, Sighting, Watchlist } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import type { Input, Output, Transaction } from '../transaction.ts'
import type { Landed } from './blocks.ts'
import { NO_WORD } from './receipt-reference.ts'

interface Payment {
  index: number
  /** Change and variable outputs count like any coin. */
  kind: 'coin' | 'change' | 'variable'
  to: Address
  asset: string
  units: bigint
}

export async function sightingsIn(
  chain: FuelChain,
  node: Node,
  candidates: readonly Landed[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const paying = candidates
    .map((candidate) => ({ candidate, payments: paymentsIn(chain, candidate.transaction) }))
    .filter(({ payments }) => payments.length > 0)
  const asked = paying.flatMap(({ candidate, payments }) => [
    ...payments.map(({ to }) => to),
    ...ownersIn(candidate.transaction),
  ])
  if (asked.length === 0) return []
  const owned = await ours.owned([...new Set(asked)])
  const treasuries = await treasuriesIn(chain.treasury, ours)
  const sightings: Sighting[] = []
  const failures: unknown[] = []
  for (const { candidate, payments } of paying) {
    const hits = payments.filter(({ to }) => owned.has(to))
    // Our own change, payouts and sweeps are not deposits: we signed every transaction that spends our coins.
    const isOwn = ownersIn(candidate.transaction).some((owner) => owned.has(owner))
    if (hits.length === 0 || isOwn) continue
    try {
      sightings.push(...(await sightingsOf(chain, node, candidate, hits, treasuries)))
    } catch (error) {
      // All transactions are tried, so that many unreadable ones cost no more scans than one.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return sightings
}

function paymentsIn({ tokens }: FuelChain, { outputs }: Transaction): Payment[] {
  return outputs.flatMap((output, index) => {
    if (!isMoney(output) || output.units === 0n || !tokens.has(output.asset)) return []
    const { type, to, asset, units } = output
    return [{ index, kind: type, to, asset, units }]
  })
}

async function sightingsOf(
  chain: FuelChain,
  node: Node,
  candidate: Landed,
  hits: readonly Payment[],
  treasuries: ReadonlySet<Address>,
): Promise<Sighting[]> {
  const { txId, transaction, block } = candidate
  const named = namedPayment(chain, transaction, treasuries)
  const word = named === null ? NO_WORD : await chain.receiptReferences.of(node, candidate, chain.watchdogs)
  return hits.flatMap(({ index, to, asset, units }) => {
    const token = chain.tokens.get(asset)
    if (!token) return []
    return {
      ...{
        txHash: txId,
        index,
        block,
        refundableSender: payerOf(transaction),
        fundingAddresses: ownersIn(transaction),
      },
      ...{ to, amount: { token, units }, reference: index === named ? word.reference : null },
      ...(index === named && word.doubt !== null && { doubt: word.doubt }),
    }
  })
}

/** The one output that a reference could belong to; null if there is none or more than one. */
function namedPayment(
  { watchdogs }: FuelChain,
  transaction: Transaction,
  treasuries: ReadonlySet<Address>,
): number | null {
  const { inputs, outputs } = transaction
  const calls = inputs.some((input) => input.type === 'contract' && watchdogs.has(input.contract))
  if (!calls || isSharedByCode(transaction)) return null
  const places = outputs.flatMap((output, index) =>
    isMoney(output) && output.type !== 'change' && treasuries.has(output.to) && output.units > 0n ? [index] : [],
  )
  return places.length === 1 ? (places[0] ?? null) : null
}

/**
 * Whether the owner may not have signed the reference: a predicate moved one owner's money, and another party submitted
 * it.
 */
function isSharedByCode(transaction: Transaction): boolean {
  const isByCode = transaction.inputs.some((input) => input.type !== 'contract' && input.predicate.length > 0)
  return isByCode && ownersIn(transaction).length > 1
}

/**
 * The refundable sender: the only owner of all inputs, if the change of every asset went back to it. Wallets of other
 * chains use predicates here, like ordinary users; so do orders and escrows, but their change goes elsewhere.
 */
function payerOf(transaction: Transaction): Address | null {
  const [owner, ...others] = ownersIn(transaction)
  if (owner === undefined || others.length > 0) return null
  const rests = transaction.outputs.flatMap((output) => (output.type === 'change' ? [output] : []))
  const isByCode = transaction.inputs.some((input) => input.type !== 'contract' && input.predicate.length > 0)
  if (isByCode && rests.length === 0) return null
  return rests.every(({ to }) => to === owner) ? owner : null
}

/** All owners of the inputs. */
function ownersIn({ inputs }: Transaction): Address[] {
  return [...new Set(inputs.flatMap((input) => ownerOf(input) ?? []))]
}

function ownerOf(input: Input): Address | null {
  if (input.type === 'coin') return input.owner
  return input.type === 'message' ? input.recipient : null
}

function isMoney(output: Output): output is Extract<Output, { units: bigint }> {
  return 'units' in output
}
