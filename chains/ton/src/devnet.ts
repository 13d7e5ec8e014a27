/**
 * Local TON chains for the sandbox, the demo and the tests: TON's real virtual machine and transaction executor in one
 * child process, behind the API of toncenter. Blocks and their clock are ours.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Bug, type Devnet, type DevnetFamily, type Network, type TestAccount, type Token } from '@causeway/core'
import { canonical, tonAddress } from './address.ts'
import { unitsOf } from './balance.ts'
import { type CallData, commentCell } from './deposit.ts'
import { type LocalAccount, localAccounts } from './devnet-accounts.ts'
import type { ChainPlan } from './devnet-chain.ts'
import { type Payment, pay } from './devnet-wallet.ts'
import { type Jettons, openJettons } from './jetton.ts'
import { type Call, type Node, openNode } from './node.ts'
import { parseSettings } from './settings.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 3_000
/** Mining a few hundred blocks is the slowest thing asked here. */
const REQUEST_TIMEOUT_MS = 30_000
/** Whole tokens of every kind for each test account. */
const RICHES = 100_000n

interface Local {
  node: Node
  jettons: Jettons
}

export const devnet: DevnetFamily = {
  type: 'ton',
  async start({ networks }) {
    const [{ child, port }, accounts] = await Promise.all([startNode(networks.map(planOf)), localAccounts()])
    const urls = networks.map(({ name }) => [name, `http://127.0.0.1:${port}/${name}/api/v2/jsonRPC`] as const)
    const opened = openDevnet(child, Object.fromEntries(urls), accounts)
    try {
      for (const { tokens } of networks) await enrich(opened, tokens)
    } catch (error) {
      await opened.stop()
      throw error
    }
    return opened
  },
}

function openDevnet(child: ChildProcess, urls: Record<string, string>, accounts: readonly LocalAccount[]): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, requestsPerSecond: 0 }
  const locals = new Map<string, Local>(
    Object.entries(urls).map(([name, url]) => [name, { node: openNode(url, options), jettons: openJettons() }]),
  )
  const localOf = (network: string): Local => {
    const local = locals.get(network)
    if (!local) throw new Bug('no local chain for the network', { network })
    return local
  }
  const turns = new Map<string, Promise<unknown>>()

  /** One account's payments on one chain go out one after the other, so that each gets its own seqno. */
  function payFrom({ address }: TestAccount, payment: Payment): Promise<string> {
    const account = accounts.find((known) => known.address === address)
    if (!account) throw new Bug('not a test account of this chain', { address })
    const { node, jettons } = localOf(payment.token.network)
    const key = `${payment.token.network} ${address}`
    const work = () => pay(node, jettons, account, payment)
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  return {
    engine: '@ton/sandbox (real TVM)',
    simulated: true,
    nodes: urls,
    accounts: accounts.map(({ address, secret }) => ({ address, secret })),
    async fund({ network, contract }, address, units) {
      const call =
        contract === null
          ? control('devnet_fund', { address, units: units.toString() })
          : control('devnet_mint', { master: contract, address, units: units.toString() })
      await localOf(network).node.ask(call)
    },
    async mine(network, blocks) {
      await localOf(network).node.ask(control('devnet_mine', { blocks }))
    },
    async reorg() {
      throw new Bug('TON does not reorganise: a masterchain block is final')
    },
    deposit(account, token, { toAddress, units, callData }) {
      const { comment }: CallData = JSON.parse(callData ?? '{}')
      return payFrom(account, { token, to: canonical(tonAddress(toAddress)), units, payload: commentCell(comment) })
    },
    transfer: (account, token, to, units) => payFrom(account, { token, to, units, payload: null }),
    async balance(token, address) {
      const { node, jettons } = localOf(token.network)
      return unitsOf(jettons, node, address, token)
    },
    stop: () => stopNode(child),
  }
}

async function enrich({ fund, accounts }: Devnet, tokens: readonly Token[]): Promise<void> {
  for (const token of tokens) {
    for (const { address } of accounts) await fund(token, address, RICHES * 10n ** BigInt(token.decimals))
  }
}

export function control(method: string, params: Record<string, unknown>): Call<unknown> {
  return { method, params, read: (answer) => answer }
}

function planOf(network: Network): ChainPlan {
  const masters = network.tokens.flatMap(({ contract }) => contract ?? [])
  return { name: network.name, zeroState: parseSettings(network).zeroState, masters }
}

async function startNode(plans: ChainPlan[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(new URL('./devnet-node.ts', import.meta.url), { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] })
  const port = await portOf(child, plans).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  // A program that forgets to stop its chains may still end; the chains then end with it.
  child.unref()
  child.channel?.unref()
  return { child, port }
}

function portOf(child: ChildProcess, plans: ChainPlan[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const timer = setTimeout(() => reject(new Error('local chains did not start in time')), START_TIMEOUT_MS)
  child.once('message', (message: { port: number }) => resolve(message.port))
  child.once('exit', (code) => reject(new Error(`local chains ended with ${code}`)))
  child.once('error', reject)
  child.send(plans)
  return promise.finally(() => clearTimeout(timer))
}

async function stopNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.ref()
  child.disconnect()
  await ended
  clearTimeout(timer)
}
