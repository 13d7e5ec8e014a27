/**
 * All movements of an account in a range of blocks. The account's state locates the blocks that changed, and those are
 * read. Changes that no transaction explains (internal calls, a token's own fee) are reported under the block's hash,
 * so the sum is exact. If the node has no state of these blocks, all of them are read.
 */
import { balanceChanges, retryRead } from '@causeway/chain-kit'
import { type Address, type Amount, isSameToken, type Movement, RetryLater, type Token } from '@causeway/core'
import { pad } from 'viem'
import { canonical } from '../address.ts'
import type { EvmChain } from '../chain.ts'
import { type Block, fullBlock, type Header, header, type Log, logs, type Receipt, receipt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Changed, changedBlocks } from './native/changed-blocks.ts'
import { TRANSFER_TOPIC, tokenMovement } from './transfers.ts'

/** Blocks per request. */
const BATCH = 20

export function movements(chain: EvmChain, account: Address, first: bigint, to: bigint): Promise<Movement[]> {
  // The genesis block has no movements.
  const from = first < 1n ? 1n : first
  return chain.rpc.use(async (node) => {
    if (to < from) return []
    const top = await headerAt(node, to)
    const isTreasury = account === chain.treasury
    const changed = isTreasury ? await changedBlocks(chain, node, account, from, to) : null
    if (changed === null && isTreasury)
      chain.log.warn({ network: chain.network.name, from, to }, 'node has no state of these blocks: all are read')
    const numbers =
      changed?.map(({ number }) => number) ?? Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
    const found: Movement[] = []
    for (let start = 0; start < numbers.length; start += BATCH) {
      const stretch = numbers.slice(start, start + BATCH)
      const read = await Promise.all(stretch.map((number) => readAnew(chain, node, account, number)))
      found.push(...read.flatMap((block, i) => movementsIn(chain, account, block, changed?.[start + i] ?? null)))
    }
    const standing = await headerAt(node, to)
    if (standing.hash !== top.hash) throw new RetryLater('the chain changed while it was read')
    return found
  })
}

/**
 * Reads a header with retries. Each call is retried separately: in one long read, some call would always reach a
 * lagging backend.
 */
function headerAt(node: Node, number: bigint): Promise<Header> {
  return retryRead(async () => {
    const [found] = await node.ask([header(number)])
    if (!found) throw new RetryLater(`the node does not know the blocks up to ${number} yet`)
    return found
  })
}

interface ReadBlock {
  block: Block
  /** Transfers of listed tokens from or to the account. */
  logs: Log[]
  /** Receipts of the account's own transactions, and of those that carry coins to it. */
  receipts: ReadonlyMap<string, Receipt>
}

/** Reads a block with retries. A different block at the same height is another branch: a retry must not hide it. */
function readAnew(chain: EvmChain, node: Node, account: Address, number: bigint): Promise<ReadBlock> {
  let first: string | null = null
  return retryRead(async () => {
    const [block] = await node.ask([fullBlock(number)])
    if (!block) throw new RetryLater('the node does not have all blocks up to its head')
    first ??= block.hash
    if (block.hash !== first) throw new RetryLater('the chain changed while it was read')
    return readBlock(chain, node, account, block)
  })
}

async function readBlock(chain: EvmChain, node: Node, account: Address, block: Block): Promise<ReadBlock> {
  const own = account.toLowerCase()
  const concerned = block.transactions.filter(({ from, to, value }) => from === own || (to === own && value > 0n))
  const topic = pad(account as `0x${string}`).toLowerCase()
  const address = [...chain.tokens.keys()]
  const filter = { blockHash: block.hash, address }
  const [receipts, [sent, received]] = await Promise.all([
    node.ask(concerned.map(({ hash }) => receipt(hash))),
    address.length === 0 || block.transactions.length === 0
      ? [[], []]
      : node.ask([
          logs({ ...filter, topics: [TRANSFER_TOPIC, topic] }),
          logs({ ...filter, topics: [TRANSFER_TOPIC, null, topic] }),
        ]),
  ])
  const byHash = new Map(receipts.map((found) => [found?.hash ?? '', found]))
  for (const { hash } of concerned) {
    if (byHash.get(hash)?.block.hash !== block.hash) throw new RetryLater('a receipt of the block is not there')
  }
  // A transfer to itself is returned twice; the second copy counts only as incoming.
  return { block, logs: [...(sent ?? []), ...(received ?? [])], receipts: byHash as ReadonlyMap<string, Receipt> }
}

function movementsIn(chain: EvmChain, account: Address, read: ReadBlock, changed: Changed | null): Movement[] {
  const { block, receipts } = read
  const ref = { number: block.number, hash: block.hash }
  const own = account.toLowerCase()
  const found = block.transactions.flatMap(({ hash, from, to, value, nonce }): Movement[] => {
    const proof = receipts.get(hash)
    const moved = proof?.success === true && value > 0n
    const native = {
      came: moved && to === own ? value : 0n,
      left: from === own && proof ? proof.feeUnits + (moved ? value : 0n) : 0n,
    }
    const changes = [
      ...balanceChanges(chain.network.nativeToken, native),
      ...[...chain.tokens.values()].flatMap((token) =>
        balanceChanges(token, tokenUnits(chain, account, read, hash, token)),
      ),
    ]
    if (from !== own && changes.length === 0) return []
    return [{ txHash: hash, block: ref, changes, slot: from === own ? [nonce.toString()] : null }]
  })
  const rest = changed ? restOf(chain, found, changed) : []
  return rest.length > 0 ? [...found, { txHash: block.hash, block: ref, changes: rest, slot: null }] : found
}

interface Sides {
  came: bigint
  left: bigint
}

function tokenUnits(chain: EvmChain, account: Address, read: ReadBlock, hash: string, token: Token): Sides {
  const sides = { came: 0n, left: 0n }
  const ofToken = read.logs.filter(({ txHash, address }) => txHash === hash && chain.tokens.get(address) === token)
  for (const log of ofToken) {
    const moved = tokenMovement(chain, log, 0)
    // A transfer to itself changes nothing.
    if (!moved || moved.from === moved.to) continue
    if (moved.to === canonical(account)) sides.came += moved.units
    else sides.left += moved.units
  }
  return sides
}

/** The difference between the account's balance change over the block and its transactions. */
function restOf({ network }: EvmChain, found: readonly Movement[], { before, after }: Changed): Amount[] {
  const all = found.flatMap(({ changes }) => changes)
  return network.tokens.flatMap((token, position) => {
    const explained = all.reduce(
      (units, change) => (isSameToken(change.token, token) ? units + change.units : units),
      0n,
    )
    const units = (after.units[position] ?? 0n) - (before.units[position] ?? 0n) - explained
    return units === 0n ? [] : [{ token, units }]
  })
}
