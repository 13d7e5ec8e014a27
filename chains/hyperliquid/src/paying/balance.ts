/** Reads balances of addresses. */
import {
  type Address,
  type Amount,
  type Balances,
  type BlockRef,
  isSameToken,
  parseNoisyDecimal,
  RetryLater,
  type Token,
} from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { noiseOf } from '../node/amounts.ts'
import { networkTime, perpUnits, type SpotState, spotState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { TokenBook } from '../node/rpc.ts'
import { changeOf, changesOnAddress } from '../scanning/balance-changes.ts'
import { closedBefore, endOf } from '../scanning/block-time.ts'
import { readLedger } from '../scanning/ledger.ts'
import type { Row } from '../scanning/ledger-row.ts'
import { PERP_UNIT, type Settings, wireOf } from '../settings.ts'

/** An account's transferable spot balance, and its perpetuals balance in spot units. */
export interface Pockets {
  spot(token: Token): bigint
  perp: bigint
  /** A text that stays the same while nothing moves. */
  signature: string
}

/** Reads both balances. The treasury's money is its spot balance only; deposits may be in either balance. */
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
  const total = parseNoisyDecimal(held.total, token.decimals)
  const hold = parseNoisyDecimal(held.hold, token.decimals)
  if (total === null || hold === null)
    throw new RetryLater(`a balance of ${held.total} is no amount of ${token.symbol}`)
  return total > hold ? total - hold : 0n
}

export async function unitsOf(chain: HyperliquidChain, node: Node, owner: Address, token: Token): Promise<bigint> {
  return totalOf(await pocketsOf(chain, node, owner), token)
}

function totalOf({ spot, perp }: Pockets, token: Token): bigint {
  return spot(token) + (token.contract === null ? perp : 0n)
}

/** An account may be changing; after this many unstable reads it is retried later. */
const TRIES = 5

/** Owners that are read in parallel. */
const SIDE_BY_SIDE = 4

/**
 * All balances at one past second, if the treasury is among them or none is asked for. A gateway does not say to which
 * moment a balance belongs. If it is the same before and after reading the ledger, rows after that second are
 * subtracted. For other accounts alone only the balance is read: anyone may ask, and ledgers are expensive.
 */
export async function holdings(
  chain: HyperliquidChain,
  node: Node,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Balances> {
  const owners = [...new Set(wanted.map(({ owner }) => owner))]
  const isOfBooks = owners.length === 0 || owners.includes(chain.treasury)
  const block = isOfBooks ? closedBefore(await node.ask(networkTime())) : null
  const held = new Map<Address, (token: Token) => bigint>()
  const waiting = [...owners]
  const take = async () => {
    for (let owner = waiting.shift(); owner !== undefined; owner = waiting.shift()) {
      held.set(owner, block ? await heldAt(chain, node, owner, block) : await heldNow(chain, node, owner))
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, take))
  return { block, units: wanted.map(({ owner, token }) => held.get(owner)?.(token) ?? 0n) }
}

async function heldNow(chain: HyperliquidChain, node: Node, owner: Address): Promise<(token: Token) => bigint> {
  const pockets = await pocketsOf(chain, node, owner)
  return (token) => totalOf(pockets, token)
}

async function heldAt(
  chain: HyperliquidChain,
  node: Node,
  owner: Address,
  block: BlockRef,
): Promise<(token: Token) => bigint> {
  const isTreasury = owner === chain.treasury
  const { anchor } = chain
  const from = isTreasury && anchor.at ? earlier(anchor.at.block, block.number) : block.number
  let unexplained: ((token: Token) => bigint) | null = null
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await pocketsOf(chain, node, owner)
    const { rows } = await readLedger(node, owner, endOf(from) + 1, null)
    const after = await pocketsOf(chain, node, owner)
    if (before.signature !== after.signature) continue
    const since = sumOf(chain, owner, rows, block.number, null)
    const held = (token: Token) => totalOf(after, token) - since(token)
    if (!isTreasury) return held
    if (isExplained(chain, rows, block, held)) return anchored(chain, block, held)
    unexplained = held
  }
  if (!unexplained) throw new RetryLater(`${owner} moved while it was read`)
  anchor.doubtedSince ??= chain.now()
  if (chain.now() - anchor.doubtedSince < DOUBTED_MS)
    throw new RetryLater(`the ledger of ${owner} does not explain its balance: one of them may be older`)
  return anchored(chain, block, unexplained)
}

/** A lagging ledger has caught up by then; a remaining difference must be reported, whatever caused it. */
const DOUBTED_MS = 120_000

/** Whether an earlier known balance of the treasury plus the rows in between equals its balance now. */
function isExplained(
  chain: HyperliquidChain,
  rows: readonly Row[],
  block: BlockRef,
  held: (token: Token) => bigint,
): boolean {
  const { at } = chain.anchor
  if (!at) return true
  const isLater = block.number >= at.block
  const [low, high] = isLater ? [at.block, block.number] : [block.number, at.block]
  const moved = sumOf(chain, chain.treasury, rows, low, high)
  return chain.network.tokens.every((token) => {
    const known = at.units.get(token.contract) ?? 0n
    const [before, after] = isLater ? [known, held(token)] : [held(token), known]
    const difference = before + moved(token) - after
    return (difference < 0n ? -difference : difference) <= noiseOf(after)
  })
}

function anchored(
  { anchor, network }: HyperliquidChain,
  { number }: BlockRef,
  held: (token: Token) => bigint,
): (token: Token) => bigint {
  const units = new Map(network.tokens.map((token) => [token.contract, held(token)]))
  Object.assign(anchor, { at: { block: number, units }, doubtedSince: null })
  return held
}

/** The sum of these rows for an account after one second, up to and including another one if given. */
function sumOf(chain: HyperliquidChain, owner: Address, rows: readonly Row[], after: bigint, to: bigint | null) {
  const isWithin = ({ time }: Row) => time > endOf(after) && (to === null || time <= endOf(to))
  const changes = rows
    .filter(isWithin)
    .flatMap((row): Amount[] =>
      owner === chain.treasury
        ? changeOf(chain, row, owner, chain.log).changes
        : changesOnAddress(chain, row, owner, chain.log),
    )
  return (token: Token) =>
    changes.reduce((sum, change) => (isSameToken(change.token, token) ? sum + change.units : sum), 0n)
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
