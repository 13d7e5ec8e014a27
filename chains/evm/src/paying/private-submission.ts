/**
 * Sends exchanges to a private endpoint, so that no other trader sees them before they are mined. Whether a transaction is an
 * exchange follows from its bytes, so it is never sent elsewhere, not even after a restore. If the endpoint fails, the
 * caller fails: public nodes are no fallback.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { RetryLater, type SignedTransfer } from '@causeway/core'
import { type Hex, parseTransaction } from 'viem'
import type { EvmChain } from '../chain.ts'
import { isRouter, isRouterFunction } from '../exchanging/router-call.ts'
import { header, hex, sendPrivately, send as sendRaw, transaction as transactionCall } from '../node/calls.ts'
import { classOf, traitsOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import type { PrivateEndpoint } from '../node/private-endpoint.ts'

/**
 * How many blocks an endpoint tries to include a transaction; then it gets the same bytes again. Until then it holds them,
 * although public nodes do not know them.
 */
const PRIVATE_BLOCKS = 25n

/**
 * Whether these signed bytes call a listed router, or any other with a router's function: a router may have left the list
 * since. A cancellation does neither, and may be seen by anyone.
 */
export function isExchangeCall(chain: EvmChain, { bytes }: SignedTransfer): boolean {
  const { to, data = '0x' } = parseTransaction(bytes as Hex)
  return !!to && (isRouter(chain, to) || isRouterFunction(data))
}

export async function submitPrivately(chain: EvmChain, endpoint: PrivateEndpoint, signed: SignedTransfer) {
  const { takenAt, method } = endpoint
  const [head] = await chain.rpc.use((node) => node.ask([header('latest')]))
  if (!head) throw new RetryLater('the node has no head')
  const before = takenAt.get(signed.hash)
  if (before !== undefined && head.number < before + PRIVATE_BLOCKS) return
  const last = hex(head.number + PRIVATE_BLOCKS)
  const call = method === 'eth_sendRawTransaction' ? sendRaw(signed.bytes) : sendPrivately(signed.bytes, last)
  const [answer] = await endpoint.node.settle([call]).catch((error: unknown) => {
    if (!(error instanceof NodeFailure)) throw error
    throw new RetryLater(`${chain.network.name}: the private endpoint does not answer: ${error.message}`)
  })
  if (answer instanceof Refusal && classOf(answer, traitsOf(chain)) !== 'known') {
    // It may have been mined meanwhile. Whatever the endpoint says, it does not prove that these bytes are dead.
    const [known] = await chain.rpc.use((node) => node.settle([transactionCall(signed.hash)]))
    if (!known || known instanceof Refusal)
      throw new RetryLater(`${chain.network.name}: the private endpoint refused it: ${answer.message}`)
  }
  takenAt.set(signed.hash, head.number)
}
