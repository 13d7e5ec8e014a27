/** Before anything is signed: can this order be paid, and what does signing need to know. There is no fee to offer here. */
import { type Address, Bug, type Draft, type Order, RetryLater, type SignedTransfer, TooDear } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime, transferCheck } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { PERP, SPOT } from '../scanning/rows.ts'
import { CANCEL_UNITS } from './action.ts'
import { pocketsOf } from './balance.ts'
import { formatTerms, type Move } from './draft.ts'
import { envelopesIn, writingAfter } from './envelope.ts'
import { MAX_SOURCES, refusal, transferOf } from './order.ts'
import { checkStanding } from './standing.ts'

export function prepare(chain: HyperliquidChain, order: Order, replaces: SignedTransfer | null): Promise<Draft> {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  return chain.rpc.use(async (node) => {
    if (order.kind === 'sweep') return prepareSweep(chain, node, order, replaces)
    if (order.kind === 'transfers') await checkPayment(chain, node, order, replaces !== null)
    else await checkCover(chain, node, { units: CANCEL_UNITS, feeUnits: 0n })
    const variant = replaces ? writingAfter(chain, order, replaces) : 0
    return formatTerms({ time: await node.ask(networkTime()), variant, moves: [] })
  })
}

async function checkPayment(
  chain: HyperliquidChain,
  node: Node,
  order: Extract<Order, { kind: 'transfers' }>,
  wasSent: boolean,
): Promise<void> {
  const { to, amount } = transferOf(chain, order, wasSent)
  await checkStanding(chain, node)
  const feeUnits = await feeOf(chain, node, to, chain.treasury, wasSent)
  const isNative = amount.token.contract === null
  if (!isNative) {
    const held = (await pocketsOf(chain, node, chain.treasury)).spot(amount.token)
    if (held < amount.units)
      throw new RetryLater(`the treasury holds ${held} of ${amount.units} units of ${amount.token.symbol}`)
  }
  await checkCover(chain, node, { units: isNative ? amount.units : 0n, feeUnits })
}

/** The floor stays: an account that is emptied is forgotten, and what it signed before could be used again. */
async function checkCover(
  chain: HyperliquidChain,
  node: Node,
  { units, feeUnits }: { units: bigint; feeUnits: bigint },
): Promise<void> {
  const { nativeToken } = chain.network
  const held = (await pocketsOf(chain, node, chain.treasury)).spot(nativeToken)
  const needed = units + feeUnits + chain.settings.floor
  if (held < needed) throw new RetryLater(`the treasury holds ${held} of ${needed} units of USDC needed`)
}

/** What the network takes for this transfer: something where the recipient, or the sender, is new to it. */
async function feeOf(
  { settings }: HyperliquidChain,
  node: Node,
  to: Address,
  from: Address,
  wasSent: boolean,
): Promise<bigint> {
  const { feeUnits, isSanctioned } = await node.ask(transferCheck(to, from))
  if (isSanctioned) throw refusal(`the network does not let ${to} be paid`, wasSent)
  if (feeUnits > settings.maxFee)
    throw new TooDear(`the network asks ${feeUnits} units for a transfer, more than max_fee`)
  return feeUnits
}

async function prepareSweep(
  chain: HyperliquidChain,
  node: Node,
  order: Extract<Order, { kind: 'sweep' }>,
  replaces: SignedTransfer | null,
): Promise<Draft> {
  const { sources } = order
  if (sources.length === 0 || sources.length > MAX_SOURCES) {
    throw new Bug(`a sweep has 1 to ${MAX_SOURCES} sources here`, { sources: sources.length })
  }
  for (const { address, index } of sources) {
    if ((await chain.derive(index)) !== address) throw new Bug('not a deposit address of ours', { address, index })
  }
  const time = await node.ask(networkTime())
  // Some of it may have landed: what is written anew is the same sweep, not what lies there now.
  if (replaces) {
    return formatTerms({ time, variant: writingAfter(chain, order, replaces), moves: movesIn(order, replaces) })
  }
  const moves = (await Promise.all(sources.map((_, place) => movesFrom(chain, node, order, place)))).flat()
  if (moves.length === 0) throw refusal('nothing lies there that could be swept', false)
  return formatTerms({ time, variant: 0, moves })
}

async function movesFrom(
  chain: HyperliquidChain,
  node: Node,
  { token, sources }: Extract<Order, { kind: 'sweep' }>,
  place: number,
): Promise<Move[]> {
  const address = sources[place]?.address ?? ''
  const { spot, perp } = await pocketsOf(chain, node, address)
  const feeUnits = await feeOf(chain, node, chain.treasury, address, false)
  const isNative = token.contract === null
  // What another token's transfer costs is paid in USDC, which must lie there.
  if (!isNative && spot(chain.network.nativeToken) < feeUnits) return []
  const held = spot(token) - (isNative ? feeUnits : 0n)
  const moves: Move[] = []
  if (held > 0n) moves.push({ source: place, dex: SPOT, units: held })
  if (isNative) moves.push({ source: place, dex: PERP, units: held > 0n ? perp : perp - feeUnits })
  return moves.filter(({ units }) => units > 0n)
}

/** As they stand in what was signed. */
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
