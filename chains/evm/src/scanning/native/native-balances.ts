/**
 * Native balances of our addresses at a block, and the blocks of a range in which they changed. Found by bisection and
 * always read by block hash, so that no backend of another age or branch answers.
 */
import { type Address, type BlockRef, RetryLater } from '@causeway/core'
import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import type { EvmChain, Standing } from '../../chain.ts'
import { contractCall, header, nativeBalance, transactionCount } from '../../node/calls.ts'
import { statesOf } from '../../node/historical-state.ts'
import { type Node, Refusal } from '../../node/node.ts'

const MULTICALL_ABI = parseAbi([
  'function aggregate((address target, bytes callData)[] calls) returns (uint256 blockNumber, bytes[] returnData)',
  'function getEthBalance(address addr) view returns (uint256 balance)',
])
/** Addresses per call of the contract: well within the gas that nodes allow a call. */
const IN_ONE_CALL = 400

/**
 * The balances at a block; null if the node lacks that state: it was pruned, or the node does not support reads by
 * hash.
 */
export async function standingAt(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  hash: string,
): Promise<Standing | null> {
  const hasTreasury = accounts.includes(chain.treasury)
  const [[nonce], units] = await Promise.all([
    hasTreasury ? node.settle([transactionCount(chain.treasury, { hash })]) : [0n],
    balancesAt(chain, node, accounts, hash),
  ])
  return nonce === undefined || nonce instanceof Refusal || units === null ? null : { hash, nonce, units }
}

/**
 * Balance changes since the last scanned block. Its balances are cached: while nothing happens only the new block is
 * read. Null if the node lacks the state.
 */
export async function coinsSince(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  last: { number: bigint; hash: string | null },
  end: BlockRef,
): Promise<CoinBlock[] | null> {
  if (last.hash === null) return null
  if (accounts.length === 0) return []
  const [{ byHash }, before, after] = await Promise.all([
    statesOf(node),
    standingBefore(chain, node, accounts, last.hash),
    standingAt(chain, node, accounts, end.hash),
  ])
  if (!byHash || !before || !after) return null
  chain.coins.standing = after
  return changedBetween(chain, node, last.number, end, before, after)
}

async function standingBefore(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  hash: string,
): Promise<Standing | null> {
  const known = chain.coins.standing
  if (known?.hash !== hash) return standingAt(chain, node, accounts, hash)
  const missing = accounts.filter((account) => !known.units.has(account))
  if (missing.length === 0) return known
  const more = await standingAt(chain, node, missing, hash)
  return more && { ...known, units: new Map([...known.units, ...more.units]) }
}

async function balancesAt(
  { facts, settings }: EvmChain,
  node: Node,
  accounts: readonly Address[],
  hash: string,
): Promise<Map<Address, bigint> | null> {
  if (!facts.multicallIsDeployed || accounts.length < 2) {
    const answers = await node.settle(accounts.map((account) => nativeBalance(account, { hash })))
    const units = answers.flatMap((answer) => (answer instanceof Refusal ? [] : [answer]))
    return units.length === accounts.length ? new Map(accounts.map((account, i) => [account, units[i] ?? 0n])) : null
  }
  const chunks = Array.from({ length: Math.ceil(accounts.length / IN_ONE_CALL) }, (_, i) =>
    accounts.slice(i * IN_ONE_CALL, (i + 1) * IN_ONE_CALL),
  )
  const { multicall } = settings
  const answers = await node.settle(
    chunks.map((chunk) => contractCall({ to: multicall, data: encodeBalances(multicall, chunk) }, { hash })),
  )
  const found = new Map<Address, bigint>()
  for (const [position, answer] of answers.entries()) {
    const chunk = chunks[position] ?? []
    const words = answer instanceof Refusal ? null : decodeBalances(answer, chunk.length)
    if (words === null) return null
    for (const [i, account] of chunk.entries()) found.set(account, words[i] ?? 0n)
  }
  return found
}

function encodeBalances(multicall: Address, accounts: readonly Address[]): Hex {
  const calls = accounts.map((account) => ({
    target: getAddress(multicall),
    callData: encodeFunctionData({
      abi: MULTICALL_ABI,
      functionName: 'getEthBalance',
      args: [getAddress(account)],
    }),
  }))
  return encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'aggregate', args: [calls] })
}

/** Decodes (uint256, bytes[]) of one word each by position, which is faster than by type. */
function decodeBalances(answer: string, count: number): bigint[] | null {
  const words = (answer.length - 2) / 64
  // The layout: block number, offset of the array, its length, the offsets of its items, and per item a length and a
  // word.
  const head = 3
  if (words < head + count * 3) return null
  const wordAt = (position: number) => BigInt(`0x${answer.slice(2 + position * 64, 66 + position * 64)}`)
  if (wordAt(2) !== BigInt(count)) return null
  return Array.from({ length: count }, (_, i) => wordAt(head + count + i * 2 + 1))
}

/** A block in which coins of our addresses moved, and what they held before and after it. */
export interface CoinBlock {
  block: BlockRef
  before: Standing
  after: Standing
}

interface Stretch {
  low: bigint
  high: BlockRef
  before: Standing
  after: Standing
}

/** The blocks above `low` up to `high` in which a balance changed; null if a state between is pruned. */
async function changedBetween(
  chain: EvmChain,
  node: Node,
  low: bigint,
  high: BlockRef,
  before: Standing,
  after: Standing,
): Promise<CoinBlock[] | null> {
  const accounts = [...after.units.keys()]
  const found: CoinBlock[] = []
  let open: Stretch[] = [{ low, high, before, after }]
  while (open.length > 0) {
    const moved = open.filter((stretch) => !isSame(stretch.before, stretch.after))
    for (const one of moved.filter((stretch) => stretch.high.number - stretch.low === 1n))
      found.push({ block: one.high, before: one.before, after: one.after })
    const halves = await Promise.all(
      moved
        .filter((stretch) => stretch.high.number - stretch.low > 1n)
        .map(async (stretch): Promise<Stretch[] | null> => {
          const [middle] = await node.ask([header((stretch.low + stretch.high.number) / 2n)])
          if (!middle) throw new RetryLater('the node does not have all blocks up to its head')
          const between = await standingAt(chain, node, accounts, middle.hash)
          if (!between) return null
          const at = { number: middle.number, hash: middle.hash }
          return [
            { low: stretch.low, high: at, before: stretch.before, after: between },
            { low: at.number, high: stretch.high, before: between, after: stretch.after },
          ]
        }),
    )
    if (halves.includes(null)) return null
    open = halves.flatMap((half) => half ?? [])
  }
  return found.toSorted((a, b) => (a.block.number < b.block.number ? -1 : 1))
}

function isSame(a: Standing, b: Standing): boolean {
  return a.nonce === b.nonce && [...b.units].every(([account, units]) => a.units.get(account) === units)
}
