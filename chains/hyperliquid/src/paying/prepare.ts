/**
 * Checks before signing: whether this order can be paid, and which values signing needs. There is no fee to offer here.
 */
import { NodeFailure, UnreadableAnswer } from '@causeway/chain-kit'
import {
  type Address,
  Bug,
  FeeAboveLimit,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
  TreasuryShort,
} from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { unitsAfterPrinting } from '../node/amounts.ts'
import { networkTime, transferCheck } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { PERP, SPOT } from '../scanning/ledger-row.ts'
import { PERP_UNIT, type Settings } from '../settings.ts'
import { checkStanding } from './account-checks.ts'
import { CANCEL_UNITS } from './action.ts'
import { pocketsOf } from './balance.ts'
import { actionsOf, MAX_SOURCES, refusal, transferOf } from './order.ts'
import { envelopesIn, writingAfter } from './signed-bytes.ts'
import { formatTerms, type Move } from './terms.ts'

export function prepare(
  chain: HyperliquidChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  return chain.rpc.use(async (node) => {
    if (order.kind === 'sweep') return prepareSweep(chain, node, order, replaces)
    if (replaces && envelopesIn(replaces.bytes).some(({ owner }) => owner !== chain.treasury)) {
      throw new RetryLater('a sweep is not cancelled: nothing waits behind it')
    }
    const held =
      order.kind === 'transfers'
        ? await checkPayment(chain, node, order, replaces !== null)
        : await checkCover(chain, node, CANCEL_UNITS)
    const terms = { time: await node.ask(networkTime()), variant: 0, held, moves: [] }
    if (!replaces) return formatTerms(terms)
    const anew = (slot: Slot) => actionsOf(chain, order, slot, formatTerms(terms))[0]?.action ?? null
    return formatTerms({ ...terms, variant: writingAfter(replaces, anew) })
  })
}

async function checkPayment(
  chain: HyperliquidChain,
  node: Node,
  order: Extract<Order, { kind: 'transfers' }>,
  wasSent: boolean,
): Promise<bigint> {
  const { to, amount } = transferOf(chain, order, wasSent)
  const { decimals } = amount.token
  if (unitsAfterPrinting(amount.units, decimals) !== amount.units) {
    // Its ledger row would read as another payment, and nothing could prove that this one was made.
    throw refusal(`a ledger cannot show ${amount.units} units of ${amount.token.symbol} exactly`, wasSent)
  }
  await checkStanding(chain, node)
  const feeUnits = await feeOf(chain, node, to, chain.treasury, wasSent)
  const isNative = amount.token.contract === null
  if (!isNative) {
    const held = (await pocketsOf(chain, node, chain.treasury)).spot(amount.token)
    if (held < amount.units)
      throw new TreasuryShort(`the treasury holds ${held} of ${amount.units} units of ${amount.token.symbol}`)
  }
  return checkCover(chain, node, feeUnits + (isNative ? amount.units : 0n))
}

/**
 * Throws unless the treasury can pay and keep its minimum balance: the network deletes an emptied account, and then its
 * old signatures could be used again.
 */
async function checkCover(chain: HyperliquidChain, node: Node, units: bigint): Promise<bigint> {
  const { nativeToken } = chain.network
  const held = (await pocketsOf(chain, node, chain.treasury)).spot(nativeToken)
  const needed = units + chain.settings.floor
  if (held < needed) throw new TreasuryShort(`the treasury holds ${held} of ${needed} units of USDC needed`)
  return held
}

/** The network's fee for this transfer: charged if the recipient or the sender is new to it. */
async function feeOf(
  { settings }: HyperliquidChain,
  node: Node,
  to: Address,
  from: Address,
  wasSent: boolean,
): Promise<bigint> {
  const { feeUnits, isSanctioned } = await checkOf(settings, node, to, from)
  if (isSanctioned) throw refusal(`the network does not let ${to} be paid`, wasSent)
  if (feeUnits > settings.maxFee)
    throw new FeeAboveLimit(`the network asks ${feeUnits} units for a transfer, more than max_fee`)
  return feeUnits
}

/** How a gateway rejects an unknown request: bad request, unprocessable content. */
const NOT_UNDERSTOOD = new Set([400, 422])

/**
 * Whether the recipient is new. The request is undocumented: if a gateway does not support it, every account counts as
 * new.
 */
async function checkOf({ activationFee }: Settings, node: Node, to: Address, from: Address) {
  try {
    return await node.ask(transferCheck(to, from))
  } catch (error) {
    const isUnknown = error instanceof NodeFailure && NOT_UNDERSTOOD.has(error.status ?? 0)
    if (!isUnknown && !(error instanceof UnreadableAnswer)) throw error
    return { feeUnits: activationFee, isSanctioned: false }
  }
}

async function prepareSweep(
  chain: HyperliquidChain,
  node: Node,
  order: Extract<Order, { kind: 'sweep' }>,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  const { sources } = order
  if (sources.length === 0 || sources.length > MAX_SOURCES) {
    throw new Bug(`a sweep has 1 to ${MAX_SOURCES} sources here`, { sources: sources.length })
  }
  for (const { address, index, branch } of sources) {
    if ((await chain.derive(index, branch)) !== address)
      throw new Bug('not a deposit address of ours', { address, index })
  }
  const time = await node.ask(networkTime())
  // Part of the sweep may have been executed: the retry is the same sweep, not the current balances.
  if (replaces) {
    forgetAll(chain, order)
    return formatTerms({
      time,
      variant: writingAfter(replaces, () => null),
      held: 0n,
      moves: movesIn(order, replaces),
    })
  }
  const moves = (await Promise.all(sources.map((_, place) => movesFrom(chain, node, order, place)))).flat()
  if (moves.length === 0) throw refusal('nothing lies there that could be swept', false)
  forgetAll(chain, order)
  return formatTerms({ time, variant: 0, held: 0n, moves })
}

/**
 * Drops the cached balances. The same amount may arrive again before the next scan: an equal balance is then a new
 * deposit.
 */
function forgetAll({ addressCache }: HyperliquidChain, { sources }: Extract<Order, { kind: 'sweep' }>): void {
  for (const { address } of sources) addressCache.forget(address)
}

async function movesFrom(
  chain: HyperliquidChain,
  node: Node,
  { token, sources }: Extract<Order, { kind: 'sweep' }>,
  place: number,
): Promise<Move[]> {
  const address = sources[place]?.address ?? ''
  const { spot, perp, signature } = await pocketsOf(chain, node, address)
  const feeUnits = await feeOf(chain, node, chain.treasury, address, false)
  const isNative = token.contract === null
  // The network deletes an emptied account with its ledger. If a deposit there may not be reported yet, a small rest
  // keeps the account.
  const kept = chain.addressCache.isTold(address, signature) ? 0n : 1n
  // Fees of other tokens are paid in USDC, which must be on the address.
  if (!isNative && spot(chain.network.nativeToken) < feeUnits) return []
  const held = spot(token) - (isNative ? feeUnits : 0n) - kept
  const left = isNative ? perp - feeUnits - kept * PERP_UNIT : 0n
  const aside = left - (left % PERP_UNIT)
  // One action per address: of two, the second might never be executed. The larger balance goes first, so that dust in
  // one does not block the other.
  const move: Move =
    held >= aside
      ? { source: place, dex: SPOT, units: mostPrintable(held, token.decimals, 1n) }
      : { source: place, dex: PERP, units: mostPrintable(aside, token.decimals, PERP_UNIT) }
  return move.units > 0n ? [move] : []
}

/** The largest amount up to this one that a ledger shows exactly; the rest stays for the next sweep. */
function mostPrintable(units: bigint, decimals: number, step: bigint): bigint {
  while (units > 0n && unitsAfterPrinting(units, decimals) !== units) units -= step
  return units
}

/** The transfers that were signed. */
function movesIn({ sources, token }: Extract<Order, { kind: 'sweep' }>, { bytes }: SignedTransfer): Move[] {
  return envelopesIn(bytes).map(({ action, owner }) => {
    const source = sources.findIndex(({ address }) => address === owner)
    if (source < 0) throw new Bug('what was signed is another sweep', { owner })
    return { source, dex: action.sourceDex === SPOT ? SPOT : PERP, units: unitsOfAction(action.amount, token.decimals) }
  })
}

function unitsOfAction(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
