/** The nodes of one network: the chain that they must be on, and the index that they must have. */
import { NodeFailure, type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { CHAINS, type ChainName } from '../settings.ts'
import { blockHash, chainInfo, hasTransactionIndex } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  chain: ChainName
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const [{ chain }, genesis] = await node.ask([chainInfo(), blockHash(0)])
      if (chain !== options.chain || genesis !== CHAINS[options.chain].genesis) {
        throw new WrongChain(`node ${node.name} is on chain ${chain} from ${genesis}, not ${options.chain}`)
      }
      await requireIndex(node)
    },
  })
}

/**
 * Throws if the node has no transaction index: it could not find confirmed transactions by id. A node that does not
 * report its indexes is trusted.
 */
async function requireIndex(node: Node): Promise<void> {
  const [hasIndex] = await node.settle([hasTransactionIndex()])
  if (hasIndex === false) throw new NodeFailure(`node ${node.name} has no transaction index: start it with txindex=1`)
}
