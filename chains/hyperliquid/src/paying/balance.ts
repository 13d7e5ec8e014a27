/** Reading what an address holds. */
import { type Address, type Holdings, parseDecimal, RetryLater, type Token } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime, perpUnits, type SpotState, spotState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { TokenBook } from '../node/rpc.ts'
import { closedBefore, endOf } from '../scanning/clock.ts'
import { readLedger } from '../scanning/ledger.ts'
import { PERP_UNIT, type Settings, wireOf } from '../settings.ts'

/** Of an account: what can be sent from its spot balance, and what lies in the one for perpetuals, in spot units. */
export interface Pockets {
  spot(token: Token): bigint
  perp: bigint
  /** The same as long as nothing moved. */
  signature: string
}

/** The treasury's money is what lies in its spot balance, and nothing else; deposits may have come to either. */
export async function pocketsOf(chain: HyperliquidChain, node: Node, owner: Address): Promise<Pockets> {
  const isTreasury = owner === chain.treasury
  const [book, spot, perp] = await Promise.all([
    chain.tokens(node),
    node.ask(spotState(owner)),
    isTreasury ? 0n : node.ask(perpUnits(owner)),
  ])
  const signature = JSON.stringify([[...spot].toSorted(([a], [b]) => a - b), perp.toString()])
  return { spot: (token) => sendable(chain.settings, book, spot, token), perp: perp * PERP_UNIT, signature }
}

function sendable(settings: Settings, book: TokenBook, state: SpotState, token: Token): bigint {
  const index = book.indexOf(wireOf(settings, token).id)
  const held = index === null ? undefined : state.get(index)
  if (!held) return 0n
  const total = parseDecimal(held.total, token.decimals)
  const hold = parseDecimal(held.hold, token.decimals)
  if (total === null || hold === null)
    throw new RetryLater(`a balance of ${held.total} is no amount of ${token.symbol}`)
  return total > hold ? total - hold : 0n
}

export async function unitsOf(chain: HyperliquidChain, node: Node, owner: Address, token: Token): Promise<bigint> {
  const { spot, perp } = await pocketsOf(chain, node, owner)
  return spot(token) + (token.contract === null ? perp : 0n)
}

/** An account may be in motion; one that never rests for so many looks is asked about again later. */
const TRIES = 4

/**
 * All of one second that is over. A gateway does not say of which moment a balance is: it is that of the second where nothing
 * stands in the ledgers that came after it, read behind the balances.
 */
export async function holdings(
  chain: HyperliquidChain,
  node: Node,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Holdings> {
  const owners = [...new Set(wanted.map(({ owner }) => owner))]
  for (let tries = 0; tries < TRIES; tries++) {
    const block = closedBefore(await node.ask(networkTime()))
    const pockets = new Map(
      await Promise.all(owners.map(async (owner) => [owner, await pocketsOf(chain, node, owner)] as const)),
    )
    const after = await Promise.all(owners.map((owner) => readLedger(node, owner, endOf(block.number) + 1, null)))
    if (after.some(({ rows }) => rows.length > 0)) {
      await new Promise((resolve) => setTimeout(resolve, STILL_MS))
      continue
    }
    const units = wanted.map(({ owner, token }) => {
      const { spot, perp } = pockets.get(owner) ?? { spot: () => 0n, perp: 0n }
      return spot(token) + (token.contract === null ? perp : 0n)
    })
    return { block, units }
  }
  throw new RetryLater('the accounts moved while they were read')
}

/** A moment later the second may be over in which something moved. */
const STILL_MS = 400
