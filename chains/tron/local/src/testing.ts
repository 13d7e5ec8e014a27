/** What the tests of this folder share: a local chain with a funded treasury, the adapter opened on it, and a node in front of it that may lie. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  Address,
  ChainAdapter,
  Network,
  Order,
  Scan,
  Slot,
  TestAccount,
  Token,
  TransferStatus,
} from '@causeway/core'
import { family } from '@causeway/tron'
import { testLog } from '../../../../tests/support/samples.ts'
import { testSigner } from '../../../../tests/support/signer.ts'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { askAt, devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'
import { openWallets } from './wallet.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 10_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

/** Blocks come only when asked for, or with a transaction. */
export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner('tron')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const control = (path: string, body: Record<string, unknown> = {}) => askAt(url, `devnet/${path}`, body)
  await control('timer', { ms: 0 })
  for (const token of network.tokens) await local.fund(token, treasury, TREASURY_WHOLE * 10n ** BigInt(token.decimals))
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const [native, usdt] = network.tokens as [Token, Token]
  const [user, other] = local.accounts as [TestAccount, TestAccount]
  return {
    ...{ network, signer, treasury, local, url, control, log, open, native, usdt, user, other },
    adapter: await open(),
    wallets: openWallets((_, path, body) => askAt(url, path, body)),
    ask: (path: string, body: Record<string, unknown> = {}) => askAt(url, path, body),
    mine: (blocks: number) => local.mine(network.name, blocks),
    stranger: (name: string) => family.treasury(network, testSigner(name)),
    balance: async (owner: Address, token: Token) => local.balance(token, owner),
  }
}

export function payment(account: Address, to: Address, token: Token, units: bigint): Order {
  return { kind: 'transfers', account, transfers: [{ to, amount: { token, units } }] }
}

/** Prepares, takes a slot and signs, as a worker does, and sends nothing. */
export async function draw(adapter: ChainAdapter, order: Order, taken: readonly Slot[] = []) {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, taken)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

export type Drawn = Awaited<ReturnType<typeof draw>>

export function statusOf(adapter: ChainAdapter, { signed, slot }: Drawn): Promise<TransferStatus> {
  return adapter.status({ hash: signed.hash, slot, account: adapter.treasury })
}

/** Scans on until the head is reached. */
export async function drain(adapter: ChainAdapter, cursor: string | null, ...ours: Address[]): Promise<Scan> {
  const sightings: Scan['sightings'] = []
  for (let next = cursor; ; ) {
    const scan = await adapter.scan(next, staticWatchlist(adapter.treasury, ...ours))
    sightings.push(...scan.sightings)
    if (scan.scannedTo >= scan.head.number) return { ...scan, sightings }
    next = scan.next
  }
}

export type Body = Record<string, unknown>

/** A node in front of a node: `answer` may make something else of the truth, which it is handed to be called for. */
export async function startProxy(
  url: string,
  answer: (path: string, body: Body, truth: () => Promise<unknown>) => unknown,
) {
  const counts: Record<string, number> = {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = (request.url ?? '').slice(1)
    const body: Body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    counts[path] = (counts[path] ?? 0) + 1
    const truth = async () => (await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
    const told = await Promise.resolve(answer(path, body, truth)).catch(() => undefined)
    if (told === undefined) response.writeHead(503).end('away')
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, stop }
}
