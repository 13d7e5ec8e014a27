/** What the tests of this folder share: a local chain with a funded treasury and the adapter opened on it. */
import type { Address, ChainAdapter, Network, Order, Scan, Slot, Token, TransferStatus } from '@causeway/core'
import { family } from '@causeway/ton'
import { beginCell, Cell, internal, type Message, storeMessage } from '@ton/core'
import { eventually } from '../../../../tests/support/eventually.ts'
import { forward, type Reply, startServer, testLog } from '../../../../tests/support/samples.ts'
import { testSigner } from '../../../../tests/support/signer.ts'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { tonAddress } from '../../src/address.ts'
import { openJettons } from '../../src/jetton.ts'
import { openNode } from '../../src/node/node.ts'
import { control, devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'

export { testLog } from '../../../../tests/support/samples.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner('ton')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const node = openNode(url, { timeoutMs: 10_000, requestsPerSecond: 0 })
  for (const token of network.tokens) await local.fund(token, treasury, TREASURY_WHOLE * 10n ** BigInt(token.decimals))
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const adapter = await open()
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  const jettonWallet = (owner: Address, master: Address) => openJettons().walletOf(node, master, owner)
  const send = (message: Message) => node.ask(control('devnet_send', { boc: bocOf(message) }))
  const advance = (seconds: number) => node.ask(control('devnet_advance', { seconds }))
  const stranger = (name: string) => family.treasury(network, testSigner(name))
  const native = network.nativeToken
  return {
    network,
    native,
    treasury,
    local,
    url,
    node,
    log,
    open,
    adapter,
    user,
    other,
    jettonWallet,
    send,
    advance,
    stranger,
  }
}

export interface Words {
  from: Address
  to: Address
  value: bigint
  body?: Cell
  bounce?: boolean
  bounced?: boolean
}

/** An internal message in anybody's name. */
export function messageOf({ from, to, value, body = Cell.EMPTY, bounce = false, bounced = false }: Words): Message {
  const { info } = internal({ to: tonAddress(to), value, bounce, body })
  if (info.type !== 'internal') throw new Error('an internal message was made')
  return { info: { ...info, bounced, src: tonAddress(from) }, init: null, body }
}

function bocOf(message: Message): string {
  return beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
}

/** Scans on until the head is reached. */
export async function drain(adapter: ChainAdapter, cursor: string | null): Promise<Scan> {
  const sightings: Scan['sightings'] = []
  for (let next = cursor; ; ) {
    const scan = await adapter.scan(next, staticWatchlist(adapter.treasury))
    sightings.push(...scan.sightings)
    if (scan.scannedTo >= scan.head.number) return { ...scan, sightings }
    next = scan.next
  }
}

export function payment(account: Address, ...transfers: [to: Address, token: Token, units: bigint][]): Order {
  return {
    kind: 'transfers',
    account,
    transfers: transfers.map(([to, token, units]) => ({ to, amount: { token, units } })),
  }
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

/** Waits for the payout to come to an end, whichever. */
export function ended(adapter: ChainAdapter, drawn: Drawn) {
  return eventually(async () => {
    const status = await statusOf(adapter, drawn)
    return (status.state === 'included' || status.state === 'reverted') && status
  }, 'the end of a payout')
}

export interface Wire {
  id: string
  method: string
  params: Record<string, unknown>
}

/** A node in front of a node: `answer` may say something else than the truth, or nothing to pass the request on. */
export async function startProxy(
  url: string,
  answer: (request: Wire) => Reply | undefined | Promise<Reply | undefined>,
) {
  const counts: Record<string, number> = {}
  const server = await startServer(async (text) => {
    const wire: Wire = JSON.parse(text)
    counts[wire.method] = (counts[wire.method] ?? 0) + 1
    return (await answer(wire)) ?? forward(url, wire)
  })
  return { ...server, counts }
}
