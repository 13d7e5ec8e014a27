/**
 * The conformance suite's chain on an external node: any that answers Bitcoin Core's calls on regtest.
 * `generatetoaddress` mines blocks, and their rewards fund the tests unless a funding key does.
 */
import type { TestAccount } from '@causeway/core'
import {
  type ElsewhereChain,
  type ElsewhereOptions,
  NEEDED_WHOLE,
} from '../../../../tests/support/conformance/external-node.ts'
import { chainInfo } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { sumOf } from '../../src/scanning/locate-tx.ts'
import { command, type Engine, RPC } from './engine.ts'
import { bank, devnetOver, FIRST_BLOCKS, openChain } from './index.ts'
import { testNetwork } from './test-network.ts'
import { accountFrom, accountOf, matureCoins } from './wallet.ts'

const SATS = 10n ** 8n
const NEEDED = NEEDED_WHOLE * SATS

export async function openElsewhere({ url, fundingKey, seed }: ElsewhereOptions): Promise<ElsewhereChain> {
  const network = testNetwork()
  const engine = engineAt(url)
  const [{ chain }] = await engine.node.ask([chainInfo()])
  if (chain !== 'regtest') throw new Error(`the node is on ${chain}: only a regtest makes blocks when asked`)
  const funder = fundingKey === undefined ? bank : accountOf(fundingKey)
  const accounts = ['sender', 'other'].map((name) => accountFrom(`${seed} ${name}`))
  return {
    network,
    start: async () => {
      await enrich(engine, funder)
      return devnetOver(new Map([[network.name, openChain(engine, funder, null)]]), accounts)
    },
  }
}

function engineAt(url: string): Engine {
  const node = openNode(url, RPC)
  return {
    name: node.name,
    url,
    node,
    mine: async (blocks, address) => {
      await node.ask([command('generatetoaddress', blocks, address)])
    },
    reorg: async () => {
      throw new Error('another node is not made to forget its blocks')
    },
    stop: async () => {},
  }
}

/** Gives the funder coins. The regtest reward halves every 150 blocks: an old chain has none left. */
async function enrich({ node, mine }: Engine, funder: TestAccount): Promise<void> {
  const held = async () => sumOf(await matureCoins(node, funder))
  if ((await held()) < NEEDED) await mine(FIRST_BLOCKS, funder.address)
  if ((await held()) < NEEDED) {
    throw new Error(
      `${funder.address} needs ${NEEDED_WHOLE} coins: name another key in BITCOIN_FUNDING_KEY, or begin a fresh regtest`,
    )
  }
}
