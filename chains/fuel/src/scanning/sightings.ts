/**
 * The deposits in transactions of blocks: one question to the watchlist for all outputs, and for the few that pay the treasury a
 * look at what the watchdog wrote.
 */
import { type Address, isSequence, NodeFailure, type Sighting, type Watchlist } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { transaction as transactionById } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isRootOf, logsOf, type Receipt } from '../receipts.ts'
import { type Input, type Output, receiptsRootOf, type Transaction } from '../transaction.ts'
import type { Landed } from './blocks.ts'

/** What is known of how it ran, where somebody has asked for it already. */
interface Run {
  isSuccess: boolean
  receipts: readonly Receipt[]
}

export interface Candidate extends Landed {
  run?: Run
}

interface Payment {
  index: number
  /** Change and what a script pays out count like any coin. */
  kind: 'coin' | 'change' | 'variable'
  to: Address
  asset: string
  units: bigint
}

export async function sightingsIn(
  chain: FuelChain,
  node: Node,
  candidates: readonly Candidate[],
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
  const sightings: Sighting[] = []
  for (const { candidate, payments } of paying) {
    const hits = payments.filter(({ to }) => owned.has(to))
    // Our own change, payouts and sweeps are no deposits: what spends a coin of ours was signed by us.
    const isOwn = ownersIn(candidate.transaction).some((owner) => owned.has(owner))
    if (hits.length > 0 && !isOwn) sightings.push(...(await sightingsOf(chain, node, candidate, hits)))
  }
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
  candidate: Candidate,
  hits: readonly Payment[],
): Promise<Sighting[]> {
  const { txId, transaction, block } = candidate
  const named = namedPayment(chain, transaction)
  const word = named === null ? NO_WORD : await wordOf(chain, node, candidate)
  return hits.flatMap(({ index, to, asset, units }) => {
    const token = chain.tokens.get(asset)
    if (!token) return []
    return {
      ...{ txHash: txId, index, block, from: payerOf(transaction), senders: ownersIn(transaction) },
      ...{ to, amount: { token, units }, reference: index === named ? word.reference : null },
      ...(index === named && word.doubt !== null && { doubt: word.doubt }),
    }
  })
}

/** The one output that a number could speak of; null where there is none, or where it could be several. */
function namedPayment({ treasury, watchdogs }: FuelChain, transaction: Transaction): number | null {
  const { inputs, outputs } = transaction
  const calls = inputs.some((input) => input.type === 'contract' && watchdogs.has(input.contract))
  if (!calls || isSharedByCode(transaction)) return null
  const places = outputs.flatMap((output, index) =>
    isMoney(output) && output.type !== 'change' && output.to === treasury && output.units > 0n ? [index] : [],
  )
  return places.length === 1 ? (places[0] ?? null) : null
}

/** Where one's money is moved by code and another submits it, the number is that other's word. */
function isSharedByCode(transaction: Transaction): boolean {
  const isByCode = transaction.inputs.some((input) => input.type !== 'contract' && input.predicate.length > 0)
  return isByCode && ownersIn(transaction).length > 1
}

interface Word {
  reference: bigint | null
  doubt: string | null
}

const NO_WORD: Word = { reference: null, doubt: null }
/** A number of 64 bits, the highest byte first. */
const NUMBER_BYTES = 8

async function wordOf(chain: FuelChain, node: Node, candidate: Candidate): Promise<Word> {
  const { isSuccess, receipts } = candidate.run ?? (await runOf(node, candidate))
  // What a script did is undone where it failed; the coins that it was made with are paid all the same.
  if (!isSuccess) return NO_WORD
  const root = receiptsRootOf(candidate.transaction)
  if (root === null) return NO_WORD
  if (!isRootOf(root, receipts))
    return { reference: null, doubt: 'what the node tells of its script is not what the block says' }
  const logs = logsOf(receipts, chain.watchdogs)
  const [only] = logs
  if (!only || logs.length !== 1 || only.length !== NUMBER_BYTES) return NO_WORD
  const number = only.readBigUInt64BE()
  return { reference: isSequence(number) ? number : null, doubt: null }
}

async function runOf(node: Node, { txId, block }: Candidate): Promise<Run> {
  const found = await node.ask(transactionById(txId), block.number)
  if (found?.landed?.block.hash !== block.hash)
    throw new NodeFailure(`node ${node.name} has changed its block ${block.number}`)
  return found.landed
}

/**
 * Whom a refund reaches: the one owner of all that was spent, where the rest of every asset went back to it. Wallets of other chains
 * stand behind code here, as ordinary people do; so do orders and escrows, and there the rest goes elsewhere.
 */
function payerOf(transaction: Transaction): Address | null {
  const [owner, ...others] = ownersIn(transaction)
  if (owner === undefined || others.length > 0) return null
  const rests = transaction.outputs.flatMap((output) => (output.type === 'change' ? [output] : []))
  const isByCode = transaction.inputs.some((input) => input.type !== 'contract' && input.predicate.length > 0)
  if (isByCode && rests.length === 0) return null
  return rests.every(({ to }) => to === owner) ? owner : null
}

/** Everybody whose money it was. */
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
