/** The gateways of one network. Their list of tokens shows which network they serve. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import type { Network } from '@causeway/core'
import { type Settings, wireOf } from '../settings.ts'
import { type TokenFact, tokenFacts } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends Omit<PoolOptions, 'network' | 'spent'>, NodeOptions {
  network: Network
  settings: Settings
}

export function openRpc({ network, settings, ...options }: RpcOptions): Rpc {
  return openPool(
    { ...options, network: network.name },
    {
      open: (url) => openNode(url, options),
      async verify(node) {
        const facts = await node.ask(tokenFacts())
        for (const token of network.tokens) {
          const { wire, id, name } = wireOf(settings, token)
          const fact = facts.find((known) => known.id === id)
          if (fact?.name !== name) throw new WrongChain(`node ${node.name} does not know ${wire}`)
          if (fact.decimals !== token.decimals)
            throw new WrongChain(`node ${node.name} says that ${wire} has ${fact.decimals} decimals`)
        }
      },
    },
  )
}

/** The gateway's view of the listed tokens. Names are not unique on this network: anyone may take one a second time. */
export interface TokenBook {
  indexOf(id: string): number | null
  isNameUnique(name: string): boolean
}

/** How long a token list is used: tokens are created every day, and a name may stop being unique. */
const FRESH_MS = 600_000

export function openTokens(now: () => number): (node: Node) => Promise<TokenBook> {
  let kept: { at: number; facts: TokenFact[] } | null = null
  return async (node) => {
    if (!kept || now() - kept.at > FRESH_MS) kept = { at: now(), facts: await node.ask(tokenFacts()) }
    const { facts } = kept
    return {
      indexOf: (wanted) => facts.find(({ id }) => id === wanted)?.index ?? null,
      isNameUnique: (wanted) => facts.filter(({ name }) => name === wanted).length === 1,
    }
  }
}
