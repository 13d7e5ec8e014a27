/** What the tests of this folder share: a double with a funded treasury, the adapter opened on it, and a proxy that lies. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, ChainAdapter, Network, Order, Slot, TransferStatus } from '@causeway/core'
import { family } from '@causeway/zksynclite'
import { testLog } from '../../../../tests/support/samples.ts'
import { testSigner } from '../../../../tests/support/signer.ts'
import { ask, devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'

export const ETH = 10n ** 18n
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner('zksynclite')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const native = network.nativeToken
  await local.fund(native, treasury, TREASURY_WHOLE * ETH)
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  return {
    network,
    native,
    signer,
    treasury,
    local,
    url,
    log,
    open,
    user,
    other,
    adapter: await open(),
    mine: (blocks = 1) => local.mine(network.name, blocks),
    control: (what: string, given: Record<string, unknown>) => ask(url, `devnet/${what}`, given),
    stranger: (name: string) => family.treasury(network, testSigner(name)),
    balance: (address: Address) => local.balance(native, address),
  }
}

export function payment({ treasury, native }: Testbed, to: Address, units: bigint): Order {
  return { kind: 'transfers', account: treasury, transfers: [{ to, amount: { token: native, units } }] }
}

/** Prepares, takes the next slot and signs, as a worker does, and sends nothing. */
export async function draw(adapter: ChainAdapter, order: Order, taken: readonly Slot[] = []) {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, taken)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

type Drawn = Awaited<ReturnType<typeof draw>>

export function statusOf(adapter: ChainAdapter, { signed, slot }: Drawn): Promise<TransferStatus> {
  return adapter.status({ hash: signed.hash, slot, account: adapter.treasury })
}

/** Another order signed in the slot of one that was never sent. */
export async function rivalOf(adapter: ChainAdapter, { slot }: Drawn, order: Order): Promise<Drawn> {
  const draft = await adapter.prepare(order, null)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** A server in front of the double: `alter` may say something else than the truth about a path. */
export async function startProxy(url: string, alter: (path: string, result: unknown) => unknown) {
  const base = new URL(url)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked = await fetch(`${base.origin}${request.url}`, {
      method: request.method ?? 'GET',
      ...(body === '' ? {} : { body }),
    })
    const answer = (await asked.json()) as { result: unknown }
    const path = (request.url ?? '').slice(base.pathname.length + 1)
    const altered = { ...answer, result: alter(path, answer.result) }
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
