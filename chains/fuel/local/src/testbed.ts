/** A local chain without automatic blocks and adapters on it, for tests of pending, false and late data. */

import {
  type ChainAdapter,
  type Devnet,
  type Inspection,
  type Network,
  type Order,
  RetryLater,
  type Sighting,
  type TestAccount,
  type Token,
  type TxHash,
} from '@causeway/core'
import { family } from '@causeway/fuel'
import { type Drawn, payment as paymentOf, statusOf } from '../../../../tests/support/chains/draft-orders.ts'
import { forward, type LogLine, startServer, testLog, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { bytesOf } from '../../src/bytes.ts'
import { type FoundCoin, submit } from '../../src/node/calls.ts'
import { control, type LocalPlace, placeOf, startDevnet } from './index.ts'
import { testNetwork } from './test-network.ts'
import { coinsAt, type Letter, send } from './wallet.ts'
import { WATCHDOG_ID } from './watchdog.ts'

export {
  again as replace,
  type Drawn as Attempt,
  draw,
  statusOf,
} from '../../../../tests/support/chains/draft-orders.ts'

export interface Lab {
  devnet: Devnet
  network: Network
  place: LocalPlace
  url: string
  native: Token
  usdc: Token
  sender: TestAccount
  other: TestAccount
  mine(blocks?: number): Promise<void>
  command(name: string, variables?: Record<string, unknown>): Promise<void>
  /** Opens an adapter with its own funded treasury, optionally with other settings or nodes. */
  open(
    seed: string,
    options?: { settings?: Record<string, unknown>; nodes?: string[]; quorum?: number },
  ): Promise<Opened>
  coins(owner: string, token?: Token): Promise<FoundCoin[]>
  units(owner: string, token?: Token): Promise<bigint>
  stranger(seed: string): Promise<string>
  /** Sends a user's transaction and makes a block. */
  post(letter: Letter, account?: TestAccount): Promise<TxHash>
}

export interface Opened {
  adapter: ChainAdapter
  lines: LogLine[]
}

export async function openLab(settings: Record<string, unknown> = {}): Promise<Lab> {
  const plain = testNetwork(settings)
  const devnet = await startDevnet([plain], null)
  const url = devnet.nodes[plain.name] ?? ''
  const network = { ...plain, nodes: [url] }
  const place = placeOf(network, url)
  const [sender, other] = devnet.accounts
  if (!sender || !other) throw new Error('a devnet has accounts')
  const [native, usdc] = [network.nativeToken, tokenOf(network, 'USDC')]
  const coins = (owner: string, token = native) => coinsAt(place, owner, token.contract ?? place.baseAsset)
  return {
    ...{ devnet, network, place, url, native, usdc, sender, other, coins },
    mine: (blocks = 1) => devnet.mine(network.name, blocks),
    command: async (name, variables = {}) => {
      await place.node.ask(control(name, variables))
    },
    async open(seed, { settings: more = {}, nodes = [url], quorum } = {}) {
      const log = testLog()
      const own = { ...network, nodes, settings: { ...network.settings, ...more }, ...(quorum && { quorum }) }
      return { adapter: await family.open({ network: own, signer: testSigner(seed), log }), lines: log.lines }
    },
    units: async (owner, token = native) => (await coins(owner, token)).reduce((sum, { units }) => sum + units, 0n),
    stranger: (seed) => family.treasury(network, testSigner(`stranger ${seed}`)),
    post: async (letter, account = sender) => {
      const id = await send(place, account, letter)
      await devnet.mine(network.name, 1)
      return id
    },
  }
}

/** Gives a treasury money, in several coins. */
export async function endow({ devnet, network }: Lab, { treasury }: ChainAdapter, whole = 100n): Promise<void> {
  for (const token of network.tokens) await devnet.fund(token, treasury, whole * 10n ** BigInt(token.decimals))
}

export function payment({ treasury }: ChainAdapter, ...transfers: [to: string, token: Token, units: bigint][]): Order {
  return paymentOf(treasury, ...transfers)
}

/** The transaction's state; `later` if it cannot be determined now. */
export async function stateOf(adapter: ChainAdapter, attempt: Drawn): Promise<string> {
  try {
    return (await statusOf(adapter, attempt)).state
  } catch (error) {
    if (error instanceof RetryLater) return 'later'
    throw error
  }
}

/** The deposits that one scan from the newest block before an action sees. */
export async function seen(
  adapter: ChainAdapter,
  deed: () => Promise<unknown>,
  ...alsoOurs: string[]
): Promise<Sighting[]> {
  const ours = staticWatchlist(adapter.treasury, ...alsoOurs)
  const { next } = await adapter.scan(null, ours)
  await deed()
  return (await adapter.scan(next, ours)).sightings
}

export function inspected(adapter: ChainAdapter, txHash: TxHash, ...alsoOurs: string[]): Promise<Inspection> {
  return adapter.inspect(txHash, staticWatchlist(adapter.treasury, ...alsoOurs))
}

export function resend({ place }: Lab, bytes: string): Promise<string> {
  return place.node.ask(submit(bytes))
}

interface Question {
  operationName: string
  variables: Record<string, unknown>
  extensions?: Record<string, unknown>
}

/** A proxy in front of the node: it may change the request or the answer. */
export async function startProxy(
  url: string,
  lies: { ask?(question: Question): unknown; answer?(question: Question, body: Body): unknown },
) {
  return startServer(async (text) => {
    const question = JSON.parse(text) as Question
    const { status, body } = await forward(url, lies.ask?.(question) ?? question)
    return { status: status ?? 200, body: lies.answer?.(question, body as Body) ?? body }
  })
}

export interface Body {
  data: Record<string, never>
  errors?: unknown
  extensions?: unknown
}

/** A backend that lags by this many blocks, and reports it. */
export function lagging(url: string, blocks: number) {
  return startProxy(url, {
    ask: (question) => ({ ...question, extensions: { ...question.extensions, devnet_lag: blocks } }),
  })
}

export interface WatchCall {
  number: bigint
  contract?: string
}

const instruction = (code: number, a = 0, b = 0, c = 0, d = 0) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(code * 2 ** 24 + a * 2 ** 18 + b * 2 ** 12 + c * 2 ** 6 + d)
  return bytes
}
const numbered = (code: number, a: number, b: number, value: number) => instruction(code, a, b, value >> 6, value & 63)
const SELECTOR = Buffer.from('0000000000000005776174636800000000'.slice(0, 32), 'hex')
const BLOCK_BYTES = 88

/** A script that makes these calls, optionally pays a variable output, and then returns or reverts. */
export function scriptOf(
  calls: readonly WatchCall[],
  end: 'return' | 'revert' = 'return',
  pays?: { output: number; to: string; units: number; asset: string },
): Pick<Letter, 'script' | 'data' | 'inputs'> {
  const count = calls.length * 11 + (pays ? 5 : 0) + 1
  const dataAt = Math.ceil((count * 4) / 8) * 8
  const made = calls.flatMap((_, place) => [
    instruction(0x1a, 0x10, 0x05),
    instruction(0x91, 0, 0, 0, 48),
    numbered(0x50, 0x11, 0x0c, dataAt + place * BLOCK_BYTES),
    numbered(0x72, 0x12, 0, 32),
    instruction(0x28, 0x10, 0x11, 0x12),
    numbered(0x50, 0x12, 0x11, 32),
    numbered(0x5f, 0x10, 0x12, 4),
    numbered(0x50, 0x12, 0x11, 48),
    numbered(0x5f, 0x10, 0x12, 5),
    numbered(0x50, 0x12, 0x11, 56),
    instruction(0x2d, 0x10, 0, 0x12, 0x0a),
  ])
  const paysAt = dataAt + calls.length * BLOCK_BYTES
  const paying = pays
    ? [
        numbered(0x50, 0x10, 0x0c, paysAt),
        numbered(0x72, 0x11, pays.output >> 12, pays.output & 0xfff),
        numbered(0x72, 0x12, pays.units >> 12, pays.units & 0xfff),
        numbered(0x50, 0x13, 0x0c, paysAt + 32),
        instruction(0x3d, 0x10, 0x11, 0x12, 0x13),
      ]
    : []
  const blocks = calls.map(({ number, contract = WATCHDOG_ID }) => {
    const argument = Buffer.alloc(8)
    argument.writeBigUInt64BE(number)
    return Buffer.concat([bytesOf(contract), SELECTOR, argument, Buffer.alloc(32)])
  })
  const contracts = [...new Set(calls.map(({ contract = WATCHDOG_ID }) => contract))]
  return {
    script: Buffer.concat([...made, ...paying, end === 'return' ? instruction(0x24, 1) : instruction(0x36, 1)]),
    data: Buffer.concat([...blocks, ...(pays ? [bytesOf(pays.to), bytesOf(pays.asset)] : [])]),
    inputs: contracts.map((contract) => ({ type: 'contract', contract })),
  }
}

/** Outputs for the called contracts, one each, as the chain requires. */
export function contractOutputs({ inputs = [] }: Pick<Letter, 'inputs'>): Letter['outputs'] {
  return inputs.map((_, inputIndex) => ({ type: 'contract', inputIndex }))
}
