/** Translates an order into actions to sign: one for a payment, one for each balance that a sweep empties. */
import { sourceKey } from '@causeway/chain-kit'
import {
  type Address,
  Bug,
  formatDecimal,
  type KeyRef,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type Slot,
  type Transfer,
} from '@causeway/core'
import { isLosing } from '../address.ts'
import type { HyperliquidChain } from '../chain.ts'
import { PERP, SPOT } from '../scanning/ledger-row.ts'
import { PERP_UNIT, wireOf } from '../settings.ts'
import { CANCEL_UNITS, type SendAsset, sendAsset } from './action.ts'
import { partsOf } from './slot.ts'
import { type Move, parseTerms } from './terms.ts'
import { depositKey, TREASURY_KEY } from './treasury.ts'

/** Addresses per sweep: each needs its own action, and one that never executes would delay the others. */
export const SOURCES = 1
/** The limit of sweeps ordered by earlier versions, so that they can still be signed again. */
export const MAX_SOURCES = 5

export interface Signing {
  key: KeyRef
  owner: Address
  action: SendAsset
}

type Chain = Pick<HyperliquidChain, 'network' | 'settings' | 'treasury'>

/** The actions of an order. They depend on nothing but the order, the slot, the draft and the network's file. */
export function actionsOf(chain: Chain, order: Order, slot: Slot, draft: PreparedTransfer): Signing[] {
  checkOrder(chain, order)
  const { variant, moves } = parseTerms(draft)
  const parts = partsOf(slot)
  if (order.kind === 'sweep') return sweeping(chain, order, parts, moves, variant)
  const [part, ...more] = parts
  if (!part || part.source !== null || more.length > 0) throw new Bug('not a slot of the treasury', { slot })
  const native = chain.network.nativeToken
  const [transfer] = order.kind === 'transfers' ? order.transfers : []
  const amount = transfer?.amount ?? { token: native, units: CANCEL_UNITS }
  const action = sendAsset({
    chain: chain.settings.chain,
    to: transfer?.to ?? chain.treasury,
    sourceDex: SPOT,
    // A cancellation goes to our own other balance: the row shows that the nonce is used.
    destinationDex: transfer ? SPOT : PERP,
    token: wireOf(chain.settings, amount.token).wire,
    amount: formatDecimal(amount.units, amount.token.decimals),
    nonce: part.nonce,
    variant,
  })
  return [{ key: TREASURY_KEY, owner: chain.treasury, action }]
}

function sweeping(
  chain: Chain,
  { token, sources }: Extract<Order, { kind: 'sweep' }>,
  parts: ReturnType<typeof partsOf>,
  moves: readonly Move[],
  variant: number,
): Signing[] {
  if (moves.length === 0 || moves.length !== parts.length) throw new Bug('a sweep has one nonce for each move')
  const places = moves.map(({ source, dex }) => `${source}/${dex}`)
  if (new Set(places).size !== places.length) throw new Bug('a sweep takes from each balance once')
  return moves.map(({ source: place, dex, units }, position) => {
    const source = sources[place]
    const part = parts[position]
    if (!source || part?.source?.address !== source.address || sourceKey(part.source) !== sourceKey(source)) {
      throw new Bug('a slot of another sweep', { place })
    }
    if (dex === PERP && (token.contract !== null || units % PERP_UNIT !== 0n)) {
      throw new Bug('the balance for perpetuals holds whole units of USDC only', { units })
    }
    const action = sendAsset({
      chain: chain.settings.chain,
      to: chain.treasury,
      sourceDex: dex,
      destinationDex: SPOT,
      token: wireOf(chain.settings, token).wire,
      amount: formatDecimal(units, token.decimals),
      nonce: part.nonce,
      variant,
    })
    return { key: depositKey(source.index, source.branch), owner: source.address, action }
  })
}

function checkOrder({ network, treasury }: Chain, order: Order): void {
  if (order.account !== treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'sweep') {
    if (order.token.network !== network.name) throw new Bug('a token of another network', { ...order.token })
    const isCount = order.sources.length > 0 && order.sources.length <= MAX_SOURCES
    if (!isCount) throw new Bug(`a sweep has 1 to ${MAX_SOURCES} sources here`, { sources: order.sources.length })
  }
  if (order.kind !== 'transfers') return
  if (order.call !== undefined) throw new Bug('this family supports no calls', { network: network.name })
  const [transfer, ...more] = order.transfers
  if (!transfer || more.length > 0)
    throw new Bug('an order has one transfer here', { transfers: order.transfers.length })
  const { to, amount } = transfer
  if (amount.units <= 0n) throw new Bug('a transfer needs an amount', { to, units: amount.units })
  if (amount.token.network !== network.name) throw new Bug('a token of another network', { ...amount.token })
}

/**
 * The error for an order that cannot be paid. `PayoutImpossible` proves that nothing was sent, so it is not used while
 * an earlier attempt may be mined.
 */
export function refusal(reason: string, wasSent: boolean): Error {
  return wasSent ? new RetryLater(reason) : new PayoutImpossible(reason)
}

export function transferOf(chain: Chain, order: Extract<Order, { kind: 'transfers' }>, wasSent: boolean): Transfer {
  if (order.transfers.length > 1) throw refusal('one action pays one account', wasSent)
  checkOrder(chain, order)
  const [transfer] = order.transfers
  if (!transfer) throw new Bug('an order has one transfer here')
  if (isUnpayable(chain, transfer.to)) throw refusal(`${transfer.to} cannot be paid`, wasSent)
  return transfer
}

export function isUnpayable({ network, treasury }: Chain, address: Address): boolean {
  // A payment to ourselves would only move money between our two balances.
  if (address === treasury) return true
  return isLosing(address) || network.tokens.some(({ contract }) => contract === address)
}
