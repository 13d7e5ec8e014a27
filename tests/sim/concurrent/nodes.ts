/** The chains live in one process; services in other processes reach them by messages, call by call, like a node. */
import { RetryLater } from '@causeway/core'
import type { Node } from '../../../chains/simulated/src/node/node.ts'
import type { SwapRequest } from '../../../server/src/swaps/request.ts'

/** All methods: if one were missing, every service would fail at it. */
const CALLS: Record<keyof Node, true> = {
  blocks: true,
  transaction: true,
  slotUse: true,
  pending: true,
  send: true,
  balance: true,
  holdings: true,
  nonce: true,
  fee: true,
  blocked: true,
}

/** From a service to the chains. */
export type Question = { id: number; network: string; call: keyof Node; args: unknown[] }
/** A swap that a user requests from a service. */
export type Wish = { id: number; request: SwapRequest }
export interface Granted {
  reference: bigint
  swapId: string
  receiver: string
}
export type FromService = { question: Question } | { ready: true } | { wish: number; granted: Granted | null }
export type ToService = { answer: number; value: unknown; refused: string | null } | { wish: Wish }

/** The node of a network as a service sees it. */
export function distantNode(network: string, ask: (question: Omit<Question, 'id'>) => Promise<unknown>): Node {
  const calls = (Object.keys(CALLS) as (keyof Node)[]).map((call) => [
    call,
    (...args: unknown[]) => ask({ network, call, args }),
  ])
  return Object.fromEntries(calls) as unknown as Node
}

/** The chains' answers. */
export async function answerOf(
  nodes: ReadonlyMap<string, Node>,
  { id, network, call, args }: Question,
): Promise<ToService> {
  try {
    const node = nodes.get(network)
    if (!node) throw new RetryLater(`there is no node for ${network}`)
    const ask = node[call] as (...args: unknown[]) => Promise<unknown>
    return { answer: id, value: await ask(...args), refused: null }
  } catch (error) {
    return { answer: id, value: null, refused: String(error) }
  }
}
