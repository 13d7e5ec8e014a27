/**
 * Surveys our contracts: whether they are deployed and do what deposits rely on. API requests are answered from these
 * results.
 */
import { type ContractCall, callTo, wordOf } from '../abi.ts'
import { hex20 } from '../address.ts'
import type { TronChain } from '../chain.ts'
import { asking } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { depositAddress } from './forwarder.ts'

export async function survey(chain: TronChain): Promise<void> {
  await chain.rpc.use(async (node) => {
    const [depositoryIsOpen, factoryIsReady] = [await isOpen(chain, node), await isReady(chain, node)]
    Object.assign(chain.facts, { depositoryIsOpen, factoryIsReady })
  })
}

async function isOpen(chain: TronChain, node: Node): Promise<boolean> {
  const { depository } = chain.settings
  if (depository === null) return false
  const isReceiver = await answerOf(chain, node, depository, callTo('isWhitelisted(address)', wordOf(chain.treasury)))
  return isReceiver === 1n && (await answerOf(chain, node, depository, callTo('paused()'))) === 0n
}

/**
 * Whether the factory is ours: a factory of another treasury, or one made for another chain's addresses, would keep the
 * coins.
 */
async function isReady(chain: TronChain, node: Node): Promise<boolean> {
  const { factory } = chain.settings
  if (factory === null) return false
  const receiver = await answerOf(chain, node, factory, callTo('receiver()'))
  const first = await answerOf(chain, node, factory, callTo('addressOf(bytes32)', wordOf(0n)))
  return isAddress(receiver, chain.treasury) && isAddress(first, depositAddress(factory, 0))
}

function isAddress(word: bigint | null, address: string): boolean {
  return word === BigInt(`0x${hex20(address)}`)
}

/** A contract's answer; null if there is no contract at the address. */
export async function answerOf(
  chain: TronChain,
  node: Node,
  contract: string,
  call: ContractCall,
): Promise<bigint | null> {
  try {
    return await node.ask(asking(chain.treasury, contract, call))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
