/**
 * The conformance suite on an external node: if `<FAMILY>_RPC_URL` names one, a family uses only what such a node
 * offers. Money comes from the key in `<FAMILY>_FUNDING_KEY`, or from the node itself.
 */
import { randomUUID } from 'node:crypto'
import type { Address, Devnet, DevnetFamily, Network } from '@causeway/core'
import type { Subject } from './world.ts'

export interface ElsewhereOptions {
  url: string
  /** The funding key in the form that the family's wallets export; undefined if none is set. */
  fundingKey: string | undefined
  /** Different in each run: used to name new accounts and contracts. */
  seed: string
}

/** A devnet without the parts that need control over the node. Its test accounts have no money yet. */
type Hands = Omit<Devnet, 'engine' | 'simulated' | 'nodes' | 'reorg' | 'stop'>

export interface ElsewhereChain {
  network: Network
  /** Deploys the contracts that this treasury needs. */
  start(treasury: Address): Promise<Hands>
}

type Chain = Pick<Subject, 'devnet' | 'network' | 'noReorgs' | 'elsewhere'>

/** Whole tokens of each kind; the cases spend about one. */
const TREASURY_WHOLE = 20n
const PERSON_WHOLE = 5n
/** The amount that the funding key needs for these, deployments and fees. */
export const NEEDED_WHOLE = 32n

/** The chain of the environment variable, else the local one. */
export async function chainFor(
  family: string,
  local: Chain,
  open: (options: ElsewhereOptions) => Promise<ElsewhereChain>,
): Promise<Chain> {
  const url = process.env[`${family}_RPC_URL`]
  if (!url) return local
  const seed = `conformance ${randomUUID()}`
  const chain = await open({ url, fundingKey: process.env[`${family}_FUNDING_KEY`], seed })
  return {
    network: chain.network,
    devnet: devnetOver(chain, url),
    noReorgs: local.noReorgs ?? 'the node makes no reorg to order',
    elsewhere: { seed, treasuryWhole: TREASURY_WHOLE },
  }
}

function devnetOver({ network, start }: ElsewhereChain, url: string): DevnetFamily {
  return {
    type: network.type,
    async start({ treasuries }) {
      const hands = await start(treasuries[network.name] ?? '')
      for (const token of network.tokens) {
        const units = PERSON_WHOLE * 10n ** BigInt(token.decimals)
        for (const { address } of hands.accounts) await hands.fund(token, address, units)
      }
      return {
        ...hands,
        engine: new URL(url).host,
        simulated: false,
        nodes: { [network.name]: url },
        async reorg() {
          throw new Error('another node is not made to forget its blocks')
        },
        async stop() {},
      }
    },
  }
}
