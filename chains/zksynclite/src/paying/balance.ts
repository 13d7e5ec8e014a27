/**
 * Balances of accounts and their block. A server reports its newest state without naming it, and backends with
 * different lags may share one address: the account's own history shows how recent a balance is.
 */
import { type Address, type Balances, type BlockRef, RetryLater, type Token } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { account, block } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { headOf } from '../scanning/head.ts'
import { ownNonce, walk } from '../scanning/history.ts'

/** How often a balance is read: a block takes seconds, so one more read is nearly always enough. */
const LOOKS = 5
/** A server that lags by more than this many final depths is not trusted. */
const LAG = 4n

export function balanceOf({ rpc }: ZkSyncChain, owner: Address): Promise<bigint> {
  return rpc.use(async (node) => (await node.ask(account(owner, 'committed'))).units)
}

export function agreedBalanceOf({ rpc }: ZkSyncChain, owner: Address): Promise<bigint> {
  return rpc.agreedByTwo(async (node) => (await node.ask(account(owner, 'committed'))).units, String)
}

/** Reads balances. Reconciliation covers one account, which is read alone. */
export function holdings(
  { rpc, network }: ZkSyncChain,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Balances> {
  const [owner, ...others] = new Set(wanted.map((one) => one.owner))
  return rpc.use(async (node) => {
    if (owner === undefined || others.length > 0) return betweenHeads(node, wanted)
    const { number } = await headOf(node)
    const { units, last } = await stateOf(node, owner)
    const rested = number - LAG * BigInt(network.finalDepth)
    return { block: await refOf(node, last > rested ? last : rested), units: wanted.map(() => units) }
  })
}

/** Reads balances between two reads of the newest block that return the same one. */
async function betweenHeads(node: Node, wanted: readonly { owner: Address }[]): Promise<Balances> {
  let before = await headOf(node)
  // Only the head was wanted: no balance has to belong to it.
  if (wanted.length === 0) return { block: { number: before.number, hash: before.hash }, units: [] }
  for (let looks = 0; looks < LOOKS; looks++) {
    const units: bigint[] = []
    for (const { owner } of wanted) units.push((await node.ask(account(owner, 'committed'))).units)
    const after = await headOf(node)
    if (after.hash === before.hash) return { block: { number: after.number, hash: after.hash }, units }
    before = after
  }
  throw new RetryLater('blocks come faster than balances can be read')
}

interface State {
  units: bigint
  /**
   * The block of the newest entry in its history: the balance is of that block, and of later ones without a movement.
   */
  last: bigint
}

/**
 * An account's state, read before and after its history. Its nonce must be that of its newest own entry, or one of the
 * two is older.
 */
async function stateOf(node: Node, owner: Address): Promise<State> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const before = await node.ask(account(owner, 'committed'))
    const { last, nonce } = await newestOf(node, owner, before.nonce > 0)
    const after = await node.ask(account(owner, 'committed'))
    const isSame = before.units === after.units && before.nonce === after.nonce
    if (isSame && nonce === after.nonce) return { units: after.units, last }
  }
  throw new RetryLater(`${owner} moved while it was read`)
}

async function newestOf(node: Node, owner: Address, hasSent: boolean): Promise<{ last: bigint; nonce: number }> {
  let last: bigint | null = null
  for await (const entry of walk(node, owner)) {
    if (entry.state === 'strange') throw new RetryLater(`the server lists ${entry.hash} in an unknown state`)
    if (entry.blockNumber === null) continue
    last ??= entry.blockNumber
    const own = ownNonce(entry, owner)
    if (own !== null) return { last, nonce: own + 1 }
    if (!hasSent) break
  }
  return { last: last ?? 0n, nonce: 0 }
}

async function refOf(node: Node, wanted: bigint): Promise<BlockRef> {
  const found = await node.ask(block(wanted > 0n ? wanted : 0n))
  if (!found) throw new RetryLater(`block ${wanted} is not known yet`)
  return { number: found.number, hash: found.hash }
}
