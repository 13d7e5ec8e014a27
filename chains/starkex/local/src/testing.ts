/** What the tests of this folder share: a double with a funded treasury, the adapter opened on it, and a proxy that lies. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, ChainAdapter, Network, Order, Slot, Token, TransferStatus } from '@causeway/core'
import { family } from '@causeway/starkex'
import { testLog, tokenOf } from '../../../../tests/support/samples.ts'
import { testSigner } from '../../../../tests/support/signer.ts'
import { ask, devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'

export const ETH = 10n ** 18n
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startLedger>>

export async function startLedger(network: Network = testNetwork()) {
  const signer = testSigner('starkex')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  for (const token of network.tokens) await local.fund(token, treasury, TREASURY_WHOLE * 10n ** BigInt(token.decimals))
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  return {
    network,
    native: network.nativeToken,
    usdc: tokenOf(network, 'USDC'),
    signer,
    treasury,
    local,
    url,
    log,
    open,
    user,
    other,
    adapter: await open(),
    mine: (batches = 1) => local.mine(network.name, batches),
    control: (what: string, given: Record<string, unknown>) => ask(url, `devnet/${what}`, given),
    nobody: (name: string) => family.treasury(network, testSigner(name)),
    async stranger(name: string) {
      const address = await family.treasury(network, testSigner(name))
      await local.introduce?.(network.name, address)
      return address
    },
    balance: (address: Address, token: Token = network.nativeToken) => local.balance(token, address),
  }
}

export function payment({ treasury, native }: Testbed, to: Address, units: bigint, token: Token = native): Order {
  return { kind: 'transfers', account: treasury, transfers: [{ to, amount: { token, units } }] }
}

/** The newest slot of each treasury, which whoever keeps the slots always knows. */
const newest = new Map<ChainAdapter, Slot>()

/** Prepares, takes the next slot and signs, as a worker does, and sends nothing. */
export async function draw(adapter: ChainAdapter, order: Order) {
  const draft = await adapter.prepare(order, null)
  const taken = newest.get(adapter)
  const slot = await adapter.nextSlot(order, draft, taken ? [taken] : [])
  newest.set(adapter, slot)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

export type Drawn = Awaited<ReturnType<typeof draw>>

export function statusOf(adapter: ChainAdapter, { signed, slot }: Drawn): Promise<TransferStatus> {
  return adapter.status({ hash: signed.hash, slot, account: adapter.treasury })
}

/** The same payment in the same slot, signed again. */
export async function again(adapter: ChainAdapter, { order, slot, signed }: Drawn): Promise<Drawn> {
  const draft = await adapter.prepare(order, signed)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** A way to the operator on which `alter` may say something else than the truth about a path. */
export async function startProxy(url: string, alter: (path: string, answer: unknown) => unknown) {
  const base = new URL(url)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked = await fetch(`${base.origin}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith('x-'))) as Record<
        string,
        string
      >,
      ...(body === '' ? {} : { body }),
    })
    const path = (request.url ?? '').slice(base.pathname.length + 1)
    const altered = alter(path, await asked.json())
    response.writeHead(asked.status, { 'content-type': 'application/json' }).end(JSON.stringify(altered))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}${base.pathname}`, stop }
}
