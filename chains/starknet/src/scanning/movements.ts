/**
 * All movements of an account in a range of blocks: its transfers, including the fees of its own transactions, which
 * are native transfers too. They must explain the account's balance, or the node has withheld something.
 */
import { balanceChanges } from '@causeway/chain-kit'
import {
  type Address,
  type Amount,
  type BlockRef,
  isSameToken,
  type Movement,
  RetryLater,
  type Token,
} from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { padded } from '../felt.ts'
import {
  balanceOf,
  CODES,
  header,
  type Receipt,
  receipt,
  type Transaction,
  transaction,
  unless,
} from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { contractOf } from '../paying/order.ts'
import { TooManyEvents, transfersBetween } from './events.ts'
import { readTransfer } from './transfers.ts'

/** Blocks per event query, if they hold few enough events; and transactions per round of requests. */
const STRETCH = 500n
const BATCH = 50

export function movements(chain: StarknetChain, account: Address, first: bigint, to: bigint): Promise<Movement[]> {
  const from = first < 1n ? 1n : first
  return chain.rpc.use(async (node) => {
    if (to < from) return []
    const top = await blockAt(node, to)
    const found: Movement[] = []
    for (let start = from, stretch = STRETCH; start <= to; ) {
      const end = start + stretch - 1n < to ? start + stretch - 1n : to
      const last = end === to ? top : await blockAt(node, end)
      try {
        found.push(...(await movementsIn(chain, node, account, start, last)))
        start = end + 1n
      } catch (error) {
        if (!(error instanceof TooManyEvents) || end === start) throw error
        stretch = (end - start + 1n) / 2n
      }
    }
    await assertComplete(chain, node, account, { from, top, found })
    if ((await blockAt(node, to)).hash !== top.hash) throw new RetryLater('the chain changed while it was read')
    return found
  })
}

async function blockAt(node: Node, number: bigint): Promise<BlockRef> {
  const [found] = await node.settle([header(number)])
  const block = unless(found, CODES.blockNotFound)
  if (!block) throw new RetryLater(`the node does not know the blocks up to ${number} yet`)
  return { number: block.number, hash: block.hash }
}

async function movementsIn(
  chain: StarknetChain,
  node: Node,
  account: Address,
  from: bigint,
  last: BlockRef,
): Promise<Movement[]> {
  const own = BigInt(account)
  const events = await transfersBetween(chain, node, [{ number: from, hash: '' }, last])
  const concerned = events.filter((event) => {
    const transfer = readTransfer(event)
    return transfer !== null && (transfer.from === own || transfer.to === own)
  })
  const places = new Map(concerned.map(({ txHash, block }) => [txHash, block]))
  const hashes = [...places.keys()]
  const read: { proof: Receipt; signed: Transaction }[] = []
  for (let start = 0; start < hashes.length; start += BATCH) {
    const batch = hashes.slice(start, start + BATCH)
    const [receipts, transactions] = await Promise.all([
      node.ask(batch.map((hash) => receipt(hash))),
      node.ask(batch.map((hash) => transaction(hash))),
    ])
    for (const [i, proof] of receipts.entries()) {
      const signed = transactions[i]
      if (signed) read.push({ proof, signed })
    }
  }
  const found = read.flatMap(({ proof, signed }): Movement[] => {
    const { block, hash } = proof
    if (!block || block.hash !== places.get(hash)?.hash) throw new RetryLater('the chain changed while it was read')
    const changes = changesOf(chain, own, proof)
    const isOwn = signed.type === 'INVOKE' && signed.sender === own && signed.nonce !== null
    if (changes.length === 0 && !isOwn) return []
    return [{ txHash: hash, block, changes, slot: isOwn ? [`${signed.nonce}`] : null }]
  })
  return found.toSorted((a, b) => Number(a.block.number - b.block.number))
}

/** Incoming and outgoing amounts of each token, separately. A transfer to itself changes nothing. */
function changesOf({ tokens }: StarknetChain, own: bigint, { events }: Receipt): Amount[] {
  const sides = new Map<Token, { came: bigint; left: bigint }>()
  for (const event of events) {
    const transfer = readTransfer(event)
    const token = transfer && tokens.get(transfer.contract)
    if (!token || transfer.from === transfer.to) continue
    const side = sides.get(token) ?? { came: 0n, left: 0n }
    if (transfer.to === own) side.came += transfer.units
    if (transfer.from === own) side.left += transfer.units
    sides.set(token, side)
  }
  return [...sides].flatMap(([token, side]) => balanceChanges(token, side))
}

interface Stretch {
  from: bigint
  top: BlockRef
  found: readonly Movement[]
}

async function assertComplete(
  chain: StarknetChain,
  node: Node,
  account: Address,
  { from, top, found }: Stretch,
): Promise<void> {
  const { tokens, name } = chain.network
  const at = (block: bigint) => tokens.map((token) => balanceOf(contractOf(chain, token), account, block))
  const [before, after] = [await node.settle(at(from - 1n)), await node.settle(at(top.number))]
  for (const [i, token] of tokens.entries()) {
    const [was, is] = [before[i], after[i]]
    if (was instanceof Refusal || is instanceof Refusal || was === undefined || is === undefined) {
      chain.log.warn(
        { network: name, from, to: top.number },
        'node has no state of these blocks: its events are believed',
      )
      return
    }
    const explained = found
      .flatMap(({ changes }) => changes)
      .reduce((units, change) => (isSameToken(change.token, token) ? units + change.units : units), 0n)
    if (is - was !== explained) {
      const missing = `${token.symbol} of ${padded(BigInt(account))}`
      throw new RetryLater(`the node does not tell all that moved: ${missing} changed by ${is - was}, not ${explained}`)
    }
  }
}
