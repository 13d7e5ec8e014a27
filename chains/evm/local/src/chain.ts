/**
 * One local chain. The engine executes transactions; this file decides when a block is made, so that every block has a
 * snapshot and the newest blocks can be reverted. All other calls go straight to the engine.
 */

import { type Hex, keccak256, numberToHex, padHex } from 'viem'
import { LOCAL_BASE_FEE, type LocalChain, LocalChainError, openLocalChain } from './engine.ts'
import { type ChainPlan, genesisOf, setUp } from './genesis.ts'
import { openPools } from './pools.ts'

export interface DevnetChain {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

/** The number of snapshots to keep: more blocks than any test reverts. A snapshot takes some kilobytes. */
const MAX_SNAPSHOTS = 256
const MAX_MINED_AT_ONCE = 10_000
/** How far the `safe` and `finalized` tags are below the head of the local chain. */
const TAG_DEPTHS: Record<string, bigint> = { safe: 2n, finalized: 4n }

interface Funding {
  token: Hex | null
  address: Hex
  units: bigint
  /** The head when the account was funded. */
  at: bigint
}

export async function openDevnetChain(plan: ChainPlan): Promise<DevnetChain> {
  const engine = await openLocalChain({
    chainId: BigInt(plan.chainId),
    autoMine: false,
    genesis: genesisOf(plan),
    ownedKeys: [plan.deployerKey],
  })
  let snapshots: { at: bigint; id: unknown }[] = []
  let fundings: Funding[] = []
  let automine = true
  let reorgs = 0n
  let timer: NodeJS.Timeout | undefined
  const inTurn = queue()

  async function mine(blocks: number): Promise<void> {
    if (!(blocks >= 0 && blocks <= MAX_MINED_AT_ONCE)) throw new RangeError(`cannot mine ${blocks} blocks`)
    for (let i = 0; i < blocks; i++) {
      snapshots = [...snapshots, { at: await head(engine), id: await engine.request('evm_snapshot') }]
      snapshots = snapshots.slice(-MAX_SNAPSHOTS)
      await engine.request('hardhat_setNextBlockBaseFeePerGas', [numberToHex(LOCAL_BASE_FEE)])
      await engine.request('evm_mine')
    }
  }

  async function reorg(depth: number): Promise<void> {
    const fork = (await head(engine)) - BigInt(depth)
    const snapshot = snapshots.find(({ at }) => at === fork)
    if (!snapshot) throw new RangeError(`cannot take back ${depth} blocks`)
    await engine.request('evm_revert', [snapshot.id])
    // Reverting to a snapshot deletes the later ones in the engine, too.
    snapshots = snapshots.filter(({ at }) => at < fork)
    await dropPending(engine)
    reorgs += 1n
    await engine.request('hardhat_setCoinbase', [padHex(numberToHex(0xc0ffee0000n + reorgs), { size: 20 })])
    await mine(depth + 1)
    const lost = fundings.filter(({ at }) => at > fork)
    fundings = fundings.filter(({ at }) => at <= fork)
    for (const funding of lost) await fund(funding.token, funding.address, funding.units)
  }

  async function fund(token: Hex | null, address: Hex, units: bigint): Promise<void> {
    fundings.push({ token, address, units, at: await head(engine) })
    await give(engine, token, address, units)
  }

  function mineEvery(ms: number): void {
    clearTimeout(timer)
    if (ms === 0) return
    const again = () => {
      timer = setTimeout(() => inTurn(() => mine(1)).then(again, again), ms)
    }
    again()
  }

  const own: Record<string, (...params: never[]) => unknown> = {
    evm_mine: () => inTurn(() => mine(1)),
    hardhat_mine: (blocks: Hex = '0x1') => inTurn(() => mine(Number(blocks))),
    evm_setAutomine: (on: boolean) => {
      automine = on
      return true
    },
    evm_setIntervalMining: (ms: number) => {
      mineEvery(ms)
      return true
    },
    debug_traceBlockByHash: (hash: Hex, options: unknown) => traceBlock(engine, hash, options),
    devnet_reorg: (depth: number) => inTurn(() => reorg(depth)),
    devnet_fund: (token: Hex | null, address: Hex, units: Hex) => inTurn(() => fund(token, address, BigInt(units))),
    eth_sendTransaction: (...params) => send('eth_sendTransaction', params),
    eth_sendRawTransaction: (...params) => send('eth_sendRawTransaction', params),
  }

  function send(method: string, params: readonly unknown[]): Promise<unknown> {
    return inTurn(async () => {
      const hash = await engine.request(method, params)
      if (automine) await mine(1)
      return hash
    })
  }

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const handler = own[method]
    if (handler) return (await handler(...(params as never[]))) ?? null
    return engine.request(method, await withoutTags(engine, params))
  }

  await setUp(engine, plan, give)
  await mine(1)
  await openPools(request, plan.pools)
  // A reorg must not undo the set-up.
  snapshots = snapshots.slice(-1)
  mineEvery(plan.blockMs)
  return { request, close: () => clearTimeout(timer) }
}

/** Runs calls one after the other, whether or not the previous one failed. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result.catch(() => {})
    return result
  }
}

async function head(engine: LocalChain): Promise<bigint> {
  return BigInt((await engine.request('eth_blockNumber')) as Hex)
}

async function dropPending(engine: LocalChain): Promise<void> {
  const pending = (await engine.request('eth_pendingTransactions')) as { hash: string }[]
  for (const { hash } of pending) await engine.request('hardhat_dropTransaction', [hash])
}

/** Writes a balance directly into the state: no block, no transaction, no log. */
async function give(engine: LocalChain, token: Hex | null, address: Hex, units: bigint): Promise<void> {
  if (token === null) {
    const before = BigInt((await engine.request('eth_getBalance', [address, 'latest'])) as Hex)
    await engine.request('hardhat_setBalance', [address, numberToHex(before + units)])
    return
  }
  // The test token keeps its balances in slot 0.
  const slot = keccak256(`${padHex(address, { size: 32 })}${'0'.repeat(64)}`)
  const before = BigInt((await engine.request('eth_getStorageAt', [token, slot, 'latest'])) as Hex)
  await engine.request('hardhat_setStorageAt', [token, slot, numberToHex(before + units, { size: 32 })])
}

/** The engine traces single transactions only. */
async function traceBlock(engine: LocalChain, hash: Hex, options: unknown): Promise<unknown> {
  const block = (await engine.request('eth_getBlockByHash', [hash, false])) as { transactions: Hex[] } | null
  if (!block) throw new LocalChainError(-32000, `block ${hash} not found`)
  return Promise.all(
    block.transactions.map(async (txHash) => ({
      txHash,
      result: await engine.request('debug_traceTransaction', [txHash, options]),
    })),
  )
}

/** The engine treats every block as final at once. The local chain does not, which is the better test. */
async function withoutTags(engine: LocalChain, params: readonly unknown[]): Promise<readonly unknown[]> {
  if (!params.some((param) => typeof param === 'string' && param in TAG_DEPTHS)) return params
  const newest = await head(engine)
  return params.map((param) => {
    const depth = typeof param === 'string' ? TAG_DEPTHS[param] : undefined
    if (depth === undefined) return param
    return numberToHex(newest > depth ? newest - depth : 0n)
  })
}
