/**
 * Checks before signing: whether the order can be paid, from which UTXOs, and at which fee. The draft lists every
 * usable UTXO, so that a slot allocated earlier can still be signed with a later draft.
 */
import { sourceKey } from '@causeway/chain-kit'
import {
  type Address,
  Bug,
  FeeAboveLimit,
  mulDiv,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
} from '@causeway/core'
import { addressOf, isGrave, publicKeyAddress } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { type MempoolEntry, mempoolEntry } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate, orNull, spentOutputs, sumOf } from '../scanning/locate-tx.ts'
import { depositKey } from '../settings.ts'
import { parseTransaction, partOf } from '../transaction.ts'
import { feeRate } from './fees.ts'
import { chooseCoins, type DraftCoin, formatTerms, outputOf, outputsFor, refuseForeign, type Terms } from './order.ts'
import { dustLimit, feeFor } from './size.ts'
import { restingCoins, spendableCoins } from './utxos.ts'

export async function prepare(
  chain: BitcoinChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  refuseForeign(chain, order)
  refuseUnpayable(chain, order, replaces !== null)
  if (order.kind === 'sweep') await refuseUnderived(chain, order)
  return chain.rpc.use(async (node) => {
    const rate = await feeRate(chain, node)
    if (replaces) return formatTerms(await replacementTerms(chain, node, order, replaces, rate))
    if (order.kind === 'cancel') throw new Bug('a cancellation displaces something', { account: order.account })
    const terms = { rate, leastFee: 0n, coins: await coinsFor(chain, node, order) }
    if (terms.coins.length === 0 && order.kind === 'sweep') throw new RetryLater('there is nothing to sweep')
    if (!chooseCoins(chain, order, terms.coins, terms)) refuseUncovered(chain, order, terms)
    return formatTerms(terms)
  })
}

type Payment = Exclude<Order, { kind: 'cancel' }>

async function coinsFor(chain: BitcoinChain, node: Node, order: Payment): Promise<DraftCoin[]> {
  if (order.kind === 'transfers') {
    const coins = await spendableCoins(chain, node, chain.treasury)
    return coins.map((coin) => ({ part: partOf(coin), ...coin, source: null }))
  }
  if (order.kind !== 'sweep') throw new Bug('this family has no exchanges')
  const addresses = order.sources.map(({ address }) => address)
  const coins = await restingCoins(chain, node, addresses)
  const sources = sourcesOf(order)
  return coins.map((coin) => ({
    part: partOf(coin),
    units: coin.units,
    isConfirmed: true,
    source: sources.get(coin.owner) ?? null,
  }))
}

/** The increase over the old rate in percent: enough to be accepted at once and to matter to a miner. */
const RAISE_PERCENT = 25n
/** Sat per 1000 virtual bytes that nodes demand on top of the old fee for relaying a replacement (BIP 125, rule 4). */
const RELAY_RATE = 1_000n

/** The terms of a replacement: the same inputs and payments, with a higher fee taken from the change. */
async function replacementTerms(
  chain: BitcoinChain,
  node: Node,
  order: Order,
  replaces: SignedTransfer,
  today: bigint,
): Promise<Terms> {
  const old = parseTransaction(replaces.bytes)
  if (!old.inputs) throw new Bug('the transfer to replace spends nothing', { hash: replaces.hash })
  if ((await locate(node, old.txid)).state === 'included') throw new RetryLater('the transfer is in a block already')
  const waiting = orNull((await node.settle([mempoolEntry(old.txid)]))[0])
  if (waiting && order.kind !== 'cancel') refuseNeedless(waiting, today)
  if (waiting) refuseBuiltOn(waiting)
  const spent = await spentOutputs(node, old.inputs)
  if (order.kind === 'cancel') refuseForeignCoins(chain, spent)
  const oldFee = sumOf(spent) - sumOf(old.outputs)
  const raised = (rateOf(oldFee, old.vsize) * (100n + RAISE_PERCENT)) / 100n
  const rate = raised > today ? raised : today
  if (rate > chain.settings.maxFeeRate) throw new RetryLater('the fee is at its bound already')
  const displacing = oldFee + feeFor(BigInt(old.vsize), RELAY_RATE) + 1n
  const sources = order.kind === 'sweep' ? sourcesOf(order) : new Map<Address, string>()
  const coins = old.inputs.map((input, position) => {
    const { units, script } = spent[position] ?? { units: 0n, script: new Uint8Array() }
    return {
      part: partOf(input),
      units,
      isConfirmed: true,
      source: sources.get(addressOf(script, chain.prefixes) ?? '') ?? null,
    }
  })
  const terms = { rate, leastFee: waiting ? largest(displacing, packageFee(waiting, rate)) : displacing, coins }
  if (!outputsFor(chain, order, coins, terms)) throw new RetryLater('the change does not cover a better fee')
  return terms
}

/**
 * Throws why the order cannot be funded: a shortfall ends when more coins arrive; a fee above the limit of one
 * transaction needs an operator.
 */
function refuseUncovered(chain: BitcoinChain, order: Order, terms: Terms): never {
  const { maxFee } = chain.settings
  const unbound = { ...chain, settings: { ...chain.settings, maxFee: sumOf(terms.coins) } }
  if (!chooseCoins(unbound, order, terms.coins, terms)) throw new RetryLater('the coins do not cover this and its fee')
  throw new FeeAboveLimit(`it would leave more than ${maxFee} satoshis to the miner`)
}

/**
 * Throws if the transfer already pays the current rate: it is not stuck, because blocks are slow, and a higher fee
 * would be wasted.
 */
function refuseNeedless(waiting: MempoolEntry, today: bigint): void {
  const withParents = rateOf(waiting.ancestorFeeUnits, waiting.ancestorVsize)
  const own = rateOf(waiting.feeUnits, waiting.vsize)
  if (own >= today && withParents >= today) throw new RetryLater('it pays what blocks cost today, and waits for one')
}

/**
 * Throws if other transactions already spend the transfer's change: a replacement would drop them. Their own
 * replacement pays for this one.
 */
function refuseBuiltOn(waiting: MempoolEntry): void {
  if (waiting.descendants > 1) throw new RetryLater('another transfer already spends its change')
}

/** The fee that also pays for unconfirmed parents which pay too little. */
function packageFee({ ancestorVsize, ancestorFeeUnits, feeUnits }: MempoolEntry, rate: bigint): bigint {
  return feeFor(BigInt(ancestorVsize), rate) - (ancestorFeeUnits - feeUnits)
}

/** Throws if a sweep is to be cancelled: its UTXOs are on deposit addresses, and the sweep only moves them to us. */
function refuseForeignCoins({ treasuryScript }: BitcoinChain, spent: readonly { script: Uint8Array }[]): void {
  const isOwn = spent.every(({ script }) => hexOf(script) === hexOf(treasuryScript))
  if (!isOwn) throw new RetryLater('it brings our own coins home: there is nothing to cancel')
}

function rateOf(fee: bigint, vsize: number): bigint {
  return mulDiv(fee, 1_000n, BigInt(vsize), 'down')
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/**
 * Throws `PayoutImpossible` if a recipient cannot be paid. It proves that nothing was sent, so it is not thrown while
 * an earlier attempt may be mined.
 */
function refuseUnpayable(chain: BitcoinChain, order: Order, sentBefore: boolean): void {
  if (order.kind !== 'transfers') return
  for (const { to, amount } of order.transfers) {
    if (amount.units <= 0n) throw new Bug('a transfer of nothing', { to, units: amount.units })
    const { script, units } = outputOf(chain, to, amount.units)
    const isDust = units < dustLimit(script)
    if (!isDust && !isGrave(to, chain.prefixes)) continue
    const reason = isDust ? `${units} is below the dust limit of ${dustLimit(script)}` : `${to} loses what it is sent`
    throw sentBefore ? new RetryLater(reason) : new PayoutImpossible(reason)
  }
}

async function refuseUnderived(
  { signer, settings, prefixes }: BitcoinChain,
  { sources }: Extract<Order, { kind: 'sweep' }>,
): Promise<void> {
  for (const { address, index, branch } of sources) {
    const derived = publicKeyAddress(await signer.publicKey(depositKey(settings.chain, { index, branch })), prefixes)
    if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
  }
}

function sourcesOf({ sources }: Extract<Order, { kind: 'sweep' }>): Map<Address, string> {
  return new Map(sources.map((source) => [source.address, sourceKey(source)]))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
