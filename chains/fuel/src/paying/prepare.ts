/**
 * Checks before signing: whether the order can be paid, from which coins, and at which fee. The draft lists every
 * usable coin, so that a slot allocated earlier can still be signed with a later draft.
 */
import { sourceKey } from '@causeway/chain-kit'
import {
  type Address,
  Bug,
  FeeAboveLimit,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
} from '@causeway/core'
import { isGrave, keyAddress } from '../address.ts'
import { assetOf, type FuelChain } from '../chain.ts'
import { type FoundCoin, head, thingsAt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { depositKey } from '../settings.ts'
import { coinInputs, POLICY, parseTransaction, partOf, policyOf, type Transaction } from '../transaction.ts'
import { pricingNow } from './fees.ts'
import type { Pricing } from './gas.ts'
import { areTooMany, chooseCoins, neededOf, planFor, refuseForeign, splitsFor } from './order.ts'
import { type DraftCoin, formatTerms, KEPT_COINS, type Terms } from './terms.ts'
import { largestCoins } from './utxos.ts'

/** Multiple of the current price: it may rise before inclusion, and the unused part is returned. */
const PRICE_MARGIN = 2n

export async function prepare(
  chain: FuelChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  refuseForeign(chain, order)
  if (order.kind === 'sweep') await refuseUnderived(chain, order)
  return chain.rpc.use(async (node) => {
    const { number: height } = await node.ask(head())
    await refuseUnpayable(chain, node, order, height, replaces !== null)
    const now = await pricingNow(node)
    const pricing = { ...now, price: now.price * PRICE_MARGIN }
    const terms = replaces
      ? await replacing(chain, node, order, replaces, pricing, height)
      : await beginning(chain, node, order, pricing, height)
    return formatTerms(terms)
  })
}

async function beginning(chain: FuelChain, node: Node, order: Order, pricing: Pricing, height: bigint): Promise<Terms> {
  if (order.kind === 'cancel') throw new Bug('a cancellation displaces something', { account: order.account })
  const coins = await coinsFor(chain, node, order, height)
  const isEmpty = order.kind === 'sweep' && coins.every(({ source }) => source === null)
  if (isEmpty) throw new RetryLater('there is nothing to sweep')
  const splits = order.kind === 'transfers' ? splitsFor(chain, order, coins) : []
  const terms = { pricing, tip: 0n, head: height, splits, coins }
  const chosen = chooseCoins(chain, order, coins, terms)
  if (!chosen && areTooMany(chain, order, coins)) {
    throw new RetryLater(
      'the coins cover this, but in more pieces than one transaction can spend: smaller payouts gather them',
    )
  }
  if (!chosen) throw new RetryLater('the coins do not cover this and its fee')
  refuseDear(chain, order, chosen, terms)
  return terms
}

async function coinsFor(
  chain: FuelChain,
  node: Node,
  order: Exclude<Order, { kind: 'cancel' }>,
  height: bigint,
): Promise<DraftCoin[]> {
  const needed = neededOf(chain, order, chain.settings.maxFee)
  const own = [...needed].map(([asset, wanted]) => ({ owner: chain.treasury, asset, wanted, source: null }))
  const swept =
    order.kind === 'sweep'
      ? order.sources.map((source) => {
          return { owner: source.address, asset: assetOf(chain, order.token), wanted: 0n, source: sourceKey(source) }
        })
      : []
  const found: DraftCoin[] = []
  for (const { source, ...purse } of [...own, ...swept]) {
    const coins = await largestCoins(chain, node, purse, height)
    const settled = height - BigInt(chain.network.finalDepth)
    found.push(...coins.map((coin) => draftCoin(coin, source, coin.madeAt <= settled)))
  }
  return found
}

function draftCoin(
  coin: Pick<FoundCoin, 'txId' | 'index' | 'asset' | 'units'>,
  source: string | null,
  isFinal: boolean,
): DraftCoin {
  return { part: partOf(coin), asset: coin.asset, units: coin.units, source, isFinal }
}

/** The terms of a replacement: the same coins and payments, with a higher tip for the block producer. */
async function replacing(
  chain: FuelChain,
  node: Node,
  order: Order,
  replaces: SignedTransfer,
  pricing: Pricing,
  height: bigint,
): Promise<Terms> {
  const old = parseTransaction(replaces.bytes)
  if (!old) throw new Bug('the transfer to replace spends nothing', { hash: replaces.hash })
  const { state } = await locate(chain, node, replaces.hash, height)
  if (state === 'included') throw new RetryLater('the transfer is in a block already')
  const sources = new Map(
    order.kind === 'sweep' ? order.sources.map((source) => [source.address, sourceKey(source)]) : [],
  )
  const coins = coinInputs(old).map((coin) => draftCoin(coin, sources.get(coin.owner) ?? null, true))
  if (order.kind === 'cancel') refuseForeignCoins(chain, old)
  const tip = raised(policyOf(old, POLICY.tip) ?? 0n)
  const terms = {
    pricing,
    tip,
    head: height,
    splits: order.kind === 'transfers' ? splitsOf(order, old) : [],
    coins,
  }
  if (!planFor(chain, order, coins, terms)) throw new RetryLater('the coins do not cover a better fee')
  refuseDear(chain, order, coins, terms)
  return terms
}

/** The tip of a replacement: a pool accepts one only with a higher tip per gas. */
function raised(tip: bigint): bigint {
  return tip + (tip + 3n) / 4n + (tip % 4n === 0n ? 1n : 0n)
}

/** The number of coins into which the previous attempt split the change. */
function splitsOf({ transfers }: Extract<Order, { kind: 'transfers' }>, { outputs }: Transaction): [string, number][] {
  const own = outputs.slice(transfers.length).flatMap((output) => (output.type === 'coin' ? [output] : []))
  const byAsset = Map.groupBy(own, ({ asset }) => asset)
  return [...byAsset].map(([asset, coins]) => [asset, Math.min(coins.length, KEPT_COINS)])
}

function refuseDear(chain: FuelChain, order: Order, coins: readonly DraftCoin[], terms: Terms): void {
  const plan = planFor(chain, order, coins, terms)
  const { maxFee } = chain.settings
  if (plan && plan.maxFee > maxFee)
    throw new FeeAboveLimit(`it could cost ${plan.maxFee} base units, and ${maxFee} is the bound`)
}

/** Throws if a sweep is to be cancelled: its coins are on deposit addresses, and the sweep only moves them to us. */
function refuseForeignCoins({ treasury }: FuelChain, old: Transaction): void {
  const isOwn = coinInputs(old).every(({ owner }) => owner === treasury)
  if (!isOwn) throw new RetryLater('it brings our own coins home: there is nothing to cancel')
}

/**
 * Throws `PayoutImpossible` if a recipient cannot be paid. It proves that nothing was sent, so it is not thrown while
 * an earlier attempt may be mined.
 */
async function refuseUnpayable(
  chain: FuelChain,
  node: Node,
  order: Order,
  height: bigint,
  sentBefore: boolean,
): Promise<void> {
  if (order.kind !== 'transfers') return
  const refuse = (reason: string): never => {
    throw sentBefore ? new RetryLater(reason) : new PayoutImpossible(reason)
  }
  const receivers = [...new Set(order.transfers.map(({ to }) => to))]
  for (const { to, amount } of order.transfers) {
    if (amount.units <= 0n) throw new Bug('a transfer of nothing', { to, units: amount.units })
    if (isGrave(chain, to)) refuse(`${to} loses what it is sent`)
  }
  // No key exists for assets and contracts: coins sent to such an id are lost forever.
  const things = (await Promise.all(thingsAt(receivers).map((query) => node.ask(query, height)))).flat()
  for (const [place, thing] of things.entries()) {
    if (thing !== null) refuse(`${receivers[place]} is a ${thing}, and loses what it is sent`)
  }
}

async function refuseUnderived({ signer }: FuelChain, { sources }: Extract<Order, { kind: 'sweep' }>): Promise<void> {
  for (const { address, index, branch } of sources) {
    const derived: Address = keyAddress(await signer.publicKey(depositKey({ index, branch })))
    if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
  }
}
