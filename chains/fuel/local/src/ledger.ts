/**
 * The local chain itself: coins, a mempool with its tip rule, blocks that end with a mint, and an undo record per
 * block, so that blocks can be replaced and an older state can be shown.
 */
import {
  type Decoded,
  decodeScript,
  digest,
  EMPTY_TREE,
  grown,
  hex,
  type MoneyOut,
  RECEIPTS_ROOT_AT,
  rootOf,
  type Tree,
  transactionId,
  treeRoot,
  unhex,
  words,
} from './codec.ts'
import { type Receipt, type Run, receiptBytes, run } from './machine.ts'
import { type Coin, check, coinsIn, feeOf, leastGas, maxGas, programOf, type World } from './rules.ts'

export interface Landed {
  id: string
  raw: Buffer
  transaction: Decoded | null
  outputs: Decoded['outputs']
  receipts: Receipt[]
  result: Run['result']
  fee: bigint
  gas: bigint
}

export interface Block {
  id: string
  height: number
  time: bigint
  transactionsRoot: string
  prevRoot: string
  applicationHash: string
  transactions: Landed[]
  /** The Merkle tree over all blocks below. */
  tree: Tree
  /** Spent and created coins, to undo the block. */
  spent: Coin[]
  made: string[]
}

interface Pooled {
  id: string
  transaction: Decoded
  since: number
}

export interface Plan {
  chainId: string
  baseAsset: string
  /** Contracts deployed from the start: their code in hex by id. */
  contracts: Record<string, string>
  coins: { owner: string; asset: string; units: string }[]
  /** Milliseconds between blocks; null makes none automatically. */
  blockEveryMs: number | null
}

const POOL_MS = 300_000
const FIRST_PRICE = 20_000n

export function openLedger({ chainId, baseAsset, contracts, coins: first }: Plan) {
  const coins = new Map<string, Coin>()
  const codes = new Map(Object.entries(contracts).map(([id, code]) => [id, unhex(code)]))
  const blocks: Block[] = []
  const pool = new Map<string, Pooled>()
  const squeezed = new Map<string, { raw: Buffer; reason: string }>()
  const placed = new Map<string, number>()
  let gasPrice = FIRST_PRICE
  let branch = 0n
  let gifts = 0

  const world = (): World => ({ baseAsset, gasPrice, next: BigInt(blocks.length), coins, contracts: codes })

  function submit(raw: Buffer): string {
    const transaction = decodeScript(raw)
    const id = transactionId(transaction, BigInt(chainId))
    if (pool.has(id) || placed.has(id)) throw new Error('Transaction is not inserted. Hash is already known')
    check(transaction, id, world())
    const wanted = new Set(coinsIn(transaction).map(({ utxo }) => utxo))
    const rivals = [...pool.values()].filter((other) => coinsIn(other.transaction).some(({ utxo }) => wanted.has(utxo)))
    // Tips per gas are compared by cross-multiplication, without a division.
    const isBetter = rivals.every((other) => {
      return transaction.tip * maxGas(other.transaction) > other.transaction.tip * maxGas(transaction)
    })
    if (!isBetter)
      throw new Error('Transaction is not inserted. Collided(Utxo): a transaction with a better tip spends it')
    for (const other of rivals) squeeze(other, 'Transaction removed because of a collision')
    squeezed.delete(id)
    pool.set(id, { id, transaction, since: Date.now() })
    return id
  }

  function squeeze({ id, transaction }: Pooled, reason: string): void {
    pool.delete(id)
    squeezed.set(id, { raw: transaction.raw, reason })
  }

  function mine(): Block {
    const height = blocks.length
    const spent: Coin[] = []
    const made: string[] = []
    const landed: Landed[] = []
    const take = (utxo: string) => {
      const coin = coins.get(utxo)
      if (!coin) throw new Error(`UTXO input does not exist: ${utxo}`)
      coins.delete(utxo)
      spent.push(coin)
    }
    const make = (coin: Coin) => {
      coins.set(coin.utxo, coin)
      made.push(coin.utxo)
    }
    for (const waiting of [...pool.values()]) {
      if (Date.now() - waiting.since > POOL_MS) {
        squeeze(waiting, 'Transaction expired because it exceeded the configured time to live')
        continue
      }
      try {
        check(waiting.transaction, waiting.id, world())
      } catch (error) {
        squeeze(waiting, String(error))
        continue
      }
      pool.delete(waiting.id)
      const one = execute(waiting.id, waiting.transaction)
      for (const { utxo } of coinsIn(waiting.transaction)) take(utxo)
      for (const [place, output] of one.outputs.entries()) {
        if (!('to' in output) || output.amount === 0n) continue
        const utxo = waiting.id + place.toString(16).padStart(4, '0')
        make({ utxo, owner: output.to, amount: output.amount, asset: output.asset, height, index: landed.length })
      }
      landed.push(one)
    }
    landed.push(minting(height, landed.length))
    return seal({ height, landed, spent, made })
  }

  /**
   * Executes a transaction. If its script fails, the coin outputs are still paid; only the script's effects are undone.
   */
  function execute(id: string, transaction: Decoded): Landed {
    const ran = run(programOf(transaction, world()))
    const isSuccess = ran.result === 'success'
    const gas = leastGas(transaction) + ran.gasUsed
    const fee = feeOf(gas, gasPrice) + transaction.tip
    const left = isSuccess ? ran.balances : programOf(transaction, world()).balances
    const outputs = transaction.outputs.map((output, place) => {
      if (output.kind === 'change') {
        const back = output.asset === baseAsset ? (transaction.maxFee ?? 0n) - fee : 0n
        return { ...output, amount: (left.get(output.asset) ?? 0n) + back }
      }
      if (output.kind === 'variable') return { ...output, ...(isSuccess && ran.paid.get(place)) }
      return output
    })
    const raw = Buffer.from(transaction.raw)
    treeRoot(ran.receipts.map(receiptBytes)).copy(raw, RECEIPTS_ROOT_AT)
    for (const output of outputs) if ('to' in output) writeMoney(raw, output)
    return { id, raw, transaction, outputs, receipts: ran.receipts, result: ran.result, fee, gas }
  }

  function minting(height: number, index: number): Landed {
    const nothing = Buffer.alloc(32)
    const raw = Buffer.concat([
      ...[words(2, height, index), nothing, words(0), nothing, nothing, words(0, 0), nothing],
      ...[words(0), nothing, nothing, words(0), unhex(baseAsset), words(gasPrice)],
    ])
    return {
      ...{ id: hex(digest(words(BigInt(chainId)), raw)), raw, transaction: null, outputs: [], receipts: [] },
      ...{ result: 'success', fee: 0n, gas: 0n },
    }
  }

  function seal(content: { height: number; landed: Landed[]; spent: Coin[]; made: string[] }): Block {
    const { height, landed, spent, made } = content
    const below = blocks.at(-1)
    const tree = below ? grown(below.tree, unhex(below.id)) : EMPTY_TREE
    const prevRoot = rootOf(tree)
    const transactionsRoot = treeRoot(landed.map(({ raw }) => raw))
    const time = BigInt(Math.floor(Date.now() / 1_000)) + 2n ** 62n + 37n
    // The branch number is in the field that holds the L1 height in a real block: a replaced block has another id.
    const applicationHash = digest(words(branch, landed.length), transactionsRoot)
    const number = Buffer.alloc(4)
    number.writeUInt32BE(height)
    const id = hex(digest(prevRoot, number, words(time), applicationHash))
    for (const one of landed) placed.set(one.id, height)
    const block: Block = {
      ...{ id, height, time, transactions: landed, tree, spent, made },
      ...{ transactionsRoot: hex(transactionsRoot), prevRoot: hex(prevRoot), applicationHash: hex(applicationHash) },
    }
    blocks.push(block)
    return block
  }

  function reorg(depth: number): void {
    const removed = blocks.splice(Math.max(1, blocks.length - depth))
    for (const block of removed.toReversed()) {
      for (const utxo of block.made) coins.delete(utxo)
      for (const coin of block.spent) coins.set(coin.utxo, coin)
      for (const { id } of block.transactions) placed.delete(id)
    }
    branch += 1n
    pool.clear()
    for (let count = 0; count <= removed.length; count++) mine()
  }

  /** Mints money in a separate block, as if it had always been there. */
  function fund(gifted: Plan['coins']): void {
    const made: string[] = []
    const height = blocks.length
    for (const { owner, asset, units } of gifted) {
      const utxo = `${hex(digest(words(BigInt(chainId), 7, gifts++)))}0000`
      coins.set(utxo, { utxo, owner, amount: BigInt(units), asset, height, index: 0 })
      made.push(utxo)
    }
    seal({ height, landed: [minting(height, 0)], spent: [], made })
  }

  fund(first)
  return {
    ...{ baseAsset, chainId, blocks, coins, pool, squeezed, codes, submit, mine, reorg, fund },
    world,
    gasPrice: () => gasPrice,
    setGasPrice: (price: bigint) => {
      gasPrice = price
    },
    /** Empties the mempool, like a node after a restart. */
    forget: () => {
      for (const waiting of [...pool.values()]) squeeze(waiting, 'Transaction removed by a restart')
    },
    find: (id: string): { block: Block; landed: Landed } | null => {
      const block = blocks[placed.get(id) ?? -1]
      const landed = block?.transactions.find((one) => one.id === id)
      return block && landed ? { block, landed } : null
    },
    /** The coins as of the time when this block was the newest. */
    coinsAt: (height: number): ReadonlyMap<string, Coin> => {
      if (height >= blocks.length - 1) return coins
      const then = new Map(coins)
      for (const block of blocks.slice(height + 1).toReversed()) {
        for (const utxo of block.made) then.delete(utxo)
        for (const coin of block.spent) then.set(coin.utxo, coin)
      }
      return then
    },
  }
}

export type Ledger = ReturnType<typeof openLedger>

function writeMoney(raw: Buffer, { at, to, amount, asset }: MoneyOut): void {
  unhex(to).copy(raw, at)
  raw.writeBigUInt64BE(amount, at + 32)
  unhex(asset).copy(raw, at + 40)
}
