/**
 * The treasury's coins in confirmed blocks. Read from the node's set of unspent coins once, which is slow on a real
 * network, and then followed block by block; read anew after a reorganisation. Kept in memory, as a view and no record:
 * what may be spent is settled by slots in the database and by the chain.
 */
import type { Address, ChainLog } from '@causeway/core'
import { block, blockHash, type ChainInfo, chainInfo, type ScannedCoin, scanCoins } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { partOf, type Transaction } from '../transaction.ts'

export interface Purse {
  /** The coins as of the newest block of this node, and that block. */
  coins(node: Node): Promise<{ height: number; hash: string; coins: ScannedCoin[] }>
}

interface View {
  height: number
  hash: string
  /** Hashes below and up to `height`, oldest first, to tell a node that lags from a chain that changed. */
  trail: string[]
  coins: Map<string, ScannedCoin>
}

/** A purse that was not looked at for a day is read anew: that is quicker than so many blocks. */
const MOST_FOLLOWED = 144
const TRAIL = 144
const COINBASE_MATURITY = 100

export function openPurse(options: { network: string; address: Address; script: Uint8Array; log: ChainLog }): Purse {
  const { network, address, log } = options
  const script = Buffer.from(options.script).toString('hex')
  let view: View | null = null
  let turn: Promise<unknown> = Promise.resolve()

  async function update(node: Node): Promise<View> {
    const [head] = await node.ask([chainInfo()])
    const followed = view && (await follow(node, view, head, script))
    if (followed) return followed
    const { height, hash, coins } = (await node.ask([scanCoins([address])]))[0]
    log.info({ network, height, coins: coins.length }, 'treasury coins read from the set of unspent coins')
    return { height, hash, trail: [hash], coins: new Map(coins.map((coin) => [partOf(coin), coin])) }
  }

  return {
    coins(node) {
      const mine = turn.then(async () => {
        const current = await update(node)
        view = current
        const { height, hash } = current
        return { height, hash, coins: [...current.coins.values()].filter((coin) => isMature(coin, height)) }
      })
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}

export function isMature({ isCoinbase, height }: ScannedCoin, head: number): boolean {
  return !isCoinbase || head - height + 1 >= COINBASE_MATURITY
}

/** The view at the node's head; null where it cannot be reached from here block by block. */
async function follow(node: Node, view: View, head: ChainInfo, script: string): Promise<View | null> {
  if (head.hash === view.hash) return view
  // A node that lags on our own branch: the view already knows more.
  if (head.height < view.height) return view.trail.includes(head.hash) ? view : null
  if (head.height - view.height > MOST_FOLLOWED) return null
  const heights = Array.from({ length: head.height - view.height }, (_, ahead) => view.height + 1 + ahead)
  const next = { ...view, trail: [...view.trail], coins: new Map(view.coins) }
  for (const hash of await node.ask(heights.map((height) => blockHash(height)))) {
    const [found] = await node.ask([block(hash)])
    if (found.parent !== next.hash) return null
    next.height += 1
    next.hash = hash
    next.trail.push(hash)
    for (const transaction of found.transactions) apply(next, transaction, script)
  }
  next.trail = next.trail.slice(-TRAIL)
  return next
}

function apply(view: View, { txid, inputs, outputs }: Transaction, script: string): void {
  for (const input of inputs ?? []) view.coins.delete(partOf(input))
  for (const [vout, output] of outputs.entries()) {
    if (Buffer.from(output.script).toString('hex') !== script) continue
    const coin = { txid, vout, script, units: output.units, height: view.height, isCoinbase: inputs === null }
    view.coins.set(partOf(coin), coin)
  }
}
