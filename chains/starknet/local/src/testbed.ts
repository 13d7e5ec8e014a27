/**
 * Shared setup of this folder's tests: a local chain with a funded treasury, the adapter opened on it, and control over
 * its node.
 */
import type { Network } from '@causeway/core'
import { family } from '@causeway/starknet'
import { forward, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { openNode } from '../../src/node/node.ts'
import type { ContractCall } from '../../src/transaction.ts'
import { devnet } from './index.ts'
import { control } from './start-chains.ts'
import { testNetwork } from './test-network.ts'
import { openWallets } from './wallet.ts'

export {
  again as replacement,
  type Drawn,
  drain,
  draw,
  payment,
  statusOf,
} from '../../../../tests/support/chains/draft-orders.ts'

export { tokenOf } from '../../../../tests/support/chains/samples.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 1_000n

export type TestChain = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('starknet'),
    treasuryWhole: TREASURY_WHOLE,
  })
  const { local, url, user } = base
  const node = openNode(url, { timeoutMs: 10_000, batchSize: 100 })
  const relayer = local.accounts[2]
  if (!relayer) throw new Error('a devnet has accounts')
  const chainId = BigInt(network.chainId ?? 0)
  const feeToken = BigInt(family.nativeAddress)
  const wallets = openWallets({ chainOf: () => ({ node, chainId, feeToken, l2Gas: 10_000_000n }) })
  return {
    ...{ ...base, node, relayer },
    command: async (method: string, params: object = {}) => (await node.ask([control(method, params)]))[0],
    send: (account: typeof user, calls: readonly ContractCall[]) => wallets.send(account, network.name, calls),
  }
}

export interface Wire {
  id: number
  method: string
  params: Record<string, unknown>
}

export interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string }
}

/** A proxy in front of a node: `change` may return another answer for each call of a batch. */
export async function startProxy(url: string, change: (wire: Wire, answer: Answer) => unknown) {
  const counts: Record<string, number> = {}
  const server = await startServer(async (text) => {
    const body: Wire | Wire[] = JSON.parse(text)
    const answers = await Promise.all(
      [body].flat().map(async (wire) => {
        counts[wire.method] = (counts[wire.method] ?? 0) + 1
        const { body: answer } = await forward(url, wire)
        return ((await change(wire, structuredClone(answer) as Answer)) ?? answer) as unknown
      }),
    )
    return { body: Array.isArray(body) ? answers : answers[0] }
  })
  return { ...server, counts }
}
