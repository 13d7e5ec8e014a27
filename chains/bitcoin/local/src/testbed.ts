/** A local chain without automatic blocks and an adapter on it, for tests of pending transactions. */

import { family } from '@causeway/bitcoin'
import type { ChainAdapter, Devnet, KeyRef, Network, Order, Signer, TestAccount, Token, TxHash } from '@causeway/core'
import { type Drawn, payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { scriptOf } from '../../src/address.ts'
import { send } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { signTransaction } from '../../src/paying/sign.ts'
import { restingCoins } from '../../src/paying/utxos.ts'
import { sumOf } from '../../src/scanning/locate-tx.ts'
import { CHAINS } from '../../src/settings.ts'
import type { Output } from '../../src/transaction.ts'
import { startDevnet } from './index.ts'
import { testNetwork } from './test-network.ts'
import { BOOKLESS, walletSigner } from './wallet.ts'

export { again as replace, draw } from '../../../../tests/support/chains/draft-orders.ts'

const log = { info() {}, warn() {}, error() {} }

export interface Lab {
  devnet: Devnet
  network: Network
  node: Node
  sender: TestAccount
  other: TestAccount
  mine(blocks?: number): Promise<void>
  /** Opens an adapter with the treasury of this seed, optionally with other settings. */
  open(seed: string, settings?: Record<string, unknown>): Promise<ChainAdapter>
  stranger(seed: string): Promise<string>
}

export type Attempt = Pick<Drawn, 'order' | 'slot' | 'signed'>

export async function openLab(): Promise<Lab> {
  const plain = testNetwork()
  const devnet = await startDevnet([plain], null)
  const url = devnet.nodes[plain.name] ?? ''
  const network = { ...plain, nodes: [url] }
  const [sender, other] = devnet.accounts
  if (!sender || !other) throw new Error('a devnet has accounts')
  return {
    devnet,
    network,
    node: openNode(url, { timeoutMs: 10_000, batchSize: 100 }),
    sender,
    other,
    mine: (blocks = 1) => devnet.mine(network.name, blocks),
    open: (seed, settings = {}) =>
      family.open({
        network: { ...network, settings: { ...network.settings, ...settings } },
        signer: testSigner(seed),
        log,
      }),
    stranger: (seed) => family.treasury(network, testSigner(`stranger ${seed}`)),
  }
}

export function output(address: string, units: bigint): Output {
  const script = scriptOf(address, CHAINS.regtest.prefixes)
  if (!script) throw new Error(`${address} is no address`)
  return { script, units }
}

export function memo(payload: Uint8Array | string): Output {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  const push = bytes.length < 0x4c ? [bytes.length] : [0x4c, bytes.length]
  return { script: Uint8Array.from([0x6a, ...push, ...bytes]), units: 0n }
}

export function payment(adapter: ChainAdapter, ...transfers: [to: string, units: bigint][]): Order {
  const { network, treasury } = adapter
  return paymentOf(
    treasury,
    ...transfers.map(([to, units]): [string, Token, bigint] => [to, network.nativeToken, units]),
  )
}

/** A payment with UTXOs of two people in one transaction, as a shared wallet makes it. */
export async function jointDeposit({ node, sender, other }: Lab, to: string): Promise<TxHash> {
  const people = new Map([
    ['sender', sender],
    ['other', other],
  ])
  const signerOf = ({ path }: KeyRef): Signer => walletSigner(people.get(path) ?? sender)
  const inputs = []
  for (const [path, { address }] of people) {
    const [coin] = await restingCoins(BOOKLESS, node, [address])
    if (!coin) throw new Error(`${address} has no coin`)
    inputs.push({ ...coin, key: { curve: 'secp256k1' as const, path } })
  }
  const rest = sumOf(inputs) - 20_000n
  const signed = await signTransaction({
    inputs,
    outputs: [output(to, 10_000n), output(sender.address, rest / 2n), output(other.address, rest / 2n)],
    signer: {
      publicKey: (key) => signerOf(key).publicKey(key),
      sign: (key, digest, intent) => signerOf(key).sign(key, digest, intent),
    },
    intent: { network: 'local', order: { kind: 'transfers', account: sender.address, transfers: [] }, slot: [] },
  })
  return (await node.ask([send(signed.bytes)]))[0]
}
