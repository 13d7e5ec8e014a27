/**
 * The software behind the local chain: `bitcoind` if the machine has one, else bcoin in a separate process. Both answer
 * Bitcoin Core's JSON-RPC, and both end with this process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { forkChains, freePort } from '@causeway/devnet/kit'
import { block, blockHash, chainInfo, mempool, send, transaction } from '../../src/node/calls.ts'
import { type Call, type Node, openNode } from '../../src/node/node.ts'

export interface Engine {
  name: string
  url: string
  node: Node
  mine(blocks: number, address: string): Promise<void>
  /** Replaces the newest `depth` blocks by `depth` + 1 empty ones and drops their transactions. */
  reorg(depth: number, address: string): Promise<void>
  stop(): Promise<void>
}

/** A local node answers within milliseconds; mining hundreds of blocks takes a few seconds on a busy machine. */
export const RPC = { timeoutMs: 60_000, batchSize: 1_000 }
const START_MS = 30_000

export function startEngine(environment: Record<string, string | undefined>): Promise<Engine> {
  const bitcoind = environment.BITCOIND ?? inPath('bitcoind', environment.PATH ?? '')
  return bitcoind ? startBitcoind(bitcoind) : startBcoin()
}

async function startBcoin(): Promise<Engine> {
  const child = await forkChains(new URL('./process.ts', import.meta.url), { regtest: null })
  const url = `${child.url}/regtest`
  const node = openNode(url, RPC)
  return {
    name: 'bcoin 1.0.2, in memory',
    url,
    node,
    mine: async (blocks, address) => {
      await node.ask([command('generatetoaddress', blocks, address)])
    },
    reorg: async (depth, address) => {
      await node.ask([command('reorganise', depth, address)])
    },
    stop: child.stop,
  }
}

async function startBitcoind(program: string): Promise<Engine> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bitcoind-'))
  const port = await freePort('127.0.0.1')
  const url = `http://causeway:causeway@127.0.0.1:${port}`
  const node = openNode(url, RPC)
  const start = async (): Promise<ChildProcess> => {
    const flags = ['-regtest', `-datadir=${folder}`, `-rpcport=${port}`, '-rpcuser=causeway', '-rpcpassword=causeway']
    // The fee estimator is off: one test's transactions would change the rates of the next test.
    const more = [
      '-blocksonly',
      '-txindex=1',
      '-listen=0',
      '-disablewallet',
      '-persistmempool=0',
      '-printtoconsole=0',
      '-server',
    ]
    // bitcoind does not watch a pipe; the shell in front of it does.
    const script = '"$0" "$@" >/dev/null 2>&1 & pid=$!; cat >/dev/null; kill $pid; wait $pid'
    const started = spawn('sh', ['-c', script, program, ...flags, ...more], { stdio: ['pipe', 'ignore', 'inherit'] })
    await until(async () => (await node.ask([chainInfo()]))[0])
    return started
  }
  let child = await start()
  return {
    name: 'Bitcoin Core, regtest',
    url,
    node,
    mine: async (blocks, address) => {
      await node.ask([command('generatetoaddress', blocks, address)])
    },
    async reorg(depth) {
      const [head] = await node.ask([chainInfo()])
      const heights = Array.from({ length: depth }, (_, down) => head.height - down)
      const hashes = await node.ask(heights.map((height) => blockHash(height)))
      const blocks = await node.ask(hashes.map((hash) => block(hash)))
      const dropped = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ txid }) => txid)))
      await node.ask([command('invalidateblock', hashes.at(-1))])
      // Each block pays another address: a block identical to the invalidated one, made in the same second, would have
      // its hash.
      for (let made = 0; made <= depth; made++) {
        await node.ask([command('generateblock', `raw(6a08${randomBytes(8).toString('hex')})`, [])])
      }
      const [waiting] = await node.ask([mempool()])
      const others = waiting.filter((txid) => !dropped.has(txid))
      const raw = await node.ask(others.map((txid) => ({ ...transaction(txid), params: [txid, false], read: String })))
      // Core returns the transactions of a replaced block to its mempool; only a restart drops them.
      await end(child)
      child = await start()
      await node.settle(raw.map((hex) => send(hex)))
    },
    async stop() {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function command(method: string, ...params: unknown[]): Call<unknown> {
  return { method, params, read: (answer) => answer }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin?.end()
  await ended
}

async function until(ask: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + START_MS
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function inPath(program: string, folders: string): string | null {
  for (const folder of folders.split(path.delimiter)) {
    const file = path.join(folder, program)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // No bitcoind in this folder; try the next one.
    }
  }
  return null
}
