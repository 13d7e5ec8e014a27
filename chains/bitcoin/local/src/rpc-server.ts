/**
 * Bitcoin Core's calls answered by bcoin: those that the adapter and the devnet use, and no other. Replacement by fee,
 * which bcoin lacks, follows BIP 125 with full RBF as in Core 28 and later.
 */
import { RpcError } from '@causeway/devnet/kit'
import { type BcoinEntry, type BcoinNode, type BcoinTx, type ChainEntry, type loadBcoin, reverseHex } from './bcoin.ts'

type Methods = Record<string, (params: readonly unknown[]) => Promise<unknown>>

/** Fee rate that a replacement must add, and the minimum relay rate, in sat per virtual byte. */
const INCREMENTAL_RATE = 1
const SATS = 1e8
/** How often to check whether the mempool has followed; in practice a few milliseconds are enough. */
const MOST_WAITS = 1_000

export function coreMethods(bcoin: ReturnType<typeof loadBcoin>, node: BcoinNode): Methods {
  const { chain, mempool, miner } = node

  async function entryOf(hash: unknown): Promise<ChainEntry> {
    const entry = await chain.getEntry(reverseHex(String(hash)))
    if (!entry) throw new RpcError(-5, 'Block not found')
    return entry
  }

  async function confirmationsOf(entry: ChainEntry): Promise<number> {
    return (await chain.isMainChain(entry)) ? chain.height - entry.height + 1 : -1
  }

  async function transaction(txid: unknown, verbose: unknown): Promise<unknown> {
    const hash = reverseHex(String(txid))
    const waiting = mempool.getEntry(hash)
    const landed = waiting ? null : await chain.getMeta(hash)
    const tx = waiting?.tx ?? landed?.tx
    if (!tx) throw new RpcError(-5, 'No such mempool or blockchain transaction.')
    const hex = tx.toRaw().toString('hex')
    if (!verbose) return hex
    if (!landed) return { txid, hex }
    return { txid, hex, blockhash: reverseHex(landed.block), confirmations: chain.height - landed.height + 1 }
  }

  async function send(hex: unknown): Promise<string> {
    const tx = bcoin.TX.fromRaw(Buffer.from(String(hex), 'hex'))
    if (mempool.getEntry(tx.hash('hex'))) return tx.txid()
    if (await chain.getMeta(tx.hash('hex'))) throw new RpcError(-27, 'Transaction outputs already in utxo set')
    const displaced = await displacedBy(tx)
    for (const entry of displaced) if (mempool.map.has(entry.tx.hash('hex'))) mempool.evictEntry(entry)
    try {
      await accept(tx)
    } catch (error) {
      for (const entry of displaced) await accept(entry.tx)
      throw error
    }
    return tx.txid()
  }

  async function accept(tx: BcoinTx): Promise<void> {
    let missing: string[] | null
    try {
      missing = await mempool.addTX(tx)
    } catch (error) {
      const reason = (error as { reason?: string }).reason ?? String(error)
      throw new RpcError(/inputs-(spent|missing)/.test(reason) ? -25 : -26, reason)
    }
    if (missing) throw new RpcError(-25, 'bad-txns-inputs-missingorspent')
  }

  /**
   * The transactions that this one would evict from the mempool, parents first. Throws if it does not pay enough for
   * that.
   */
  async function displacedBy(tx: BcoinTx): Promise<BcoinEntry[]> {
    const rivals = new Set<BcoinEntry>()
    for (const { prevout } of tx.inputs) {
      const rival = mempool.getSpent(prevout.hash, prevout.index)
      if (rival) rivals.add(rival)
    }
    if (rivals.size === 0) return []
    const displaced = new Set([...rivals].flatMap((rival) => [rival, ...mempool.getDescendants(rival)]))
    const fee = tx.getFee(await mempool.getCoinView(tx))
    const lost = [...displaced].reduce((sum, entry) => sum + entry.fee, 0)
    const size = tx.getVirtualSize()
    const isDearer = [...rivals].every((rival) => fee / size > rival.fee / rival.tx.getVirtualSize())
    if (!isDearer || fee < lost + INCREMENTAL_RATE * size) throw new RpcError(-26, 'insufficient fee')
    return [...displaced]
  }

  async function mempoolEntry(txid: unknown): Promise<unknown> {
    const entry = mempool.getEntry(reverseHex(String(txid)))
    if (!entry) throw new RpcError(-5, 'Transaction not in mempool')
    const ancestors = [entry, ...mempool.getAncestors(entry)]
    const sum = (read: (one: BcoinEntry) => number) => ancestors.reduce((total, one) => total + read(one), 0)
    return {
      vsize: entry.tx.getVirtualSize(),
      ancestorsize: sum(({ tx }) => tx.getVirtualSize()),
      descendantcount: 1 + mempool.getDescendants(entry).length,
      fees: { base: entry.fee / SATS, ancestor: sum(({ fee }) => fee) / SATS },
    }
  }

  async function scanCoins(descriptors: unknown): Promise<unknown> {
    const addresses = (descriptors as string[]).map((text) => {
      const address = /^addr\((\w+)\)$/.exec(text)?.[1]
      if (!address) throw new RpcError(-5, `unknown descriptor ${text}`)
      return bcoin.Address.fromString(address, node.network)
    })
    const coins = await chain.getCoinsByAddress(addresses)
    const unspents = coins.map((coin) => ({
      txid: reverseHex(coin.hash),
      vout: coin.index,
      scriptPubKey: coin.script.toRaw().toString('hex'),
      amount: coin.value / SATS,
      coinbase: coin.coinbase,
      height: coin.height,
    }))
    return { success: true, height: chain.height, bestblock: chain.tip.rhash(), unspents }
  }

  async function generate(count: number, address: string, empty: boolean): Promise<string[]> {
    const hashes: string[] = []
    for (let made = 0; made < count; made++) {
      await mempoolFollows()
      const job = await miner.cpu.createJob(null, bcoin.Address.fromString(address, node.network))
      if (empty) {
        Object.assign(job.attempt, { items: [], fees: 0 })
        job.attempt.refresh()
        job.refresh()
      }
      const entry = await chain.add(await miner.cpu.mineAsync(job))
      if (!entry) throw new RpcError(-1, 'the block was not accepted')
      hashes.push(entry.rhash())
    }
    return hashes
  }

  /** Not a call of Core: replaces the newest `depth` blocks by `depth` + 1 empty ones and drops their transactions. */
  async function reorganise(depth: number, address: string): Promise<string[]> {
    const dropped: string[] = []
    for (let height = chain.height; height > chain.height - depth; height--) {
      const entry = await chain.getEntry(height)
      const block = entry && (await chain.getBlock(entry.hash))
      dropped.push(...(block?.txs.map((tx) => tx.hash('hex')) ?? []))
    }
    const others = [...mempool.map.values()].map(({ tx }) => tx)
    const lowest = await chain.getEntry(chain.height - depth + 1)
    if (lowest) await chain.invalidate(lowest.hash)
    await mempool.reset()
    const hashes = await generate(depth + 1, address, true)
    await mempoolFollows()
    // Other pending transactions stay pending, unless their inputs are spent.
    for (const tx of others) if (!dropped.includes(tx.hash('hex'))) await accept(tx).catch(() => undefined)
    return hashes
  }

  /** Waits for the mempool: bcoin informs it of a block shortly after the chain has the block. */
  async function mempoolFollows(): Promise<void> {
    for (let waits = 0; mempool.tip !== chain.tip.hash && waits < MOST_WAITS; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  return {
    getblockchaininfo: async () => ({
      chain: 'regtest',
      blocks: chain.height,
      bestblockhash: chain.tip.rhash(),
      initialblockdownload: false,
    }),
    getblockhash: async ([height]) => {
      const entry = await chain.getEntry(Number(height))
      if (!entry || !(await chain.isMainChain(entry))) throw new RpcError(-8, 'Block height out of range')
      return entry.rhash()
    },
    getblockheader: async ([hash]) => {
      const entry = await entryOf(hash)
      return { hash, height: entry.height, confirmations: await confirmationsOf(entry) }
    },
    getblock: async ([hash]) => {
      const block = await chain.getBlock((await entryOf(hash)).hash)
      return block?.toRaw().toString('hex')
    },
    getrawtransaction: async ([txid, verbose]) => transaction(txid, verbose),
    getrawmempool: async () => [...mempool.map.keys()].map(reverseHex),
    getmempoolentry: async ([txid]) => mempoolEntry(txid),
    getmempoolinfo: async () => ({ mempoolminfee: INCREMENTAL_RATE / 1e5 }),
    gettxspendingprevout: async ([outpoints]) =>
      (outpoints as { txid: string; vout: number }[]).map(({ txid, vout }) => {
        const spender = mempool.getSpent(reverseHex(txid), vout)
        return { txid, vout, ...(spender ? { spendingtxid: spender.tx.txid() } : {}) }
      }),
    gettxout: async ([txid, vout, withMempool]) => {
      const hash = reverseHex(String(txid))
      if (withMempool && mempool.getSpent(hash, Number(vout))) return null
      const waiting = withMempool ? mempool.getEntry(hash)?.tx.outputs[Number(vout)] : undefined
      if (waiting) return { value: waiting.value / SATS, confirmations: 0 }
      const coin = await chain.getCoin(hash, Number(vout))
      return coin && { value: coin.value / SATS, confirmations: chain.height - coin.height + 1 }
    },
    scantxoutset: async ([action, descriptors]) => (action === 'status' ? null : scanCoins(descriptors)),
    // Core has no estimate either while blocks are empty.
    estimatesmartfee: async () => ({ errors: ['Insufficient data or no feerate found'], blocks: 0 }),
    sendrawtransaction: async ([hex]) => send(hex),
    generatetoaddress: async ([count, address]) => generate(Number(count), String(address), false),
    reorganise: async ([depth, address]) => reorganise(Number(depth), String(address)),
  }
}
