/**
 * Removes the last blocks of a local chain: a given number, or those with a swap's deposit. The latter waits until the
 * service has seen the deposit, since otherwise there is nothing to observe. It fails if the deposit is already
 * credited, because then it is paid out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@causeway/core'
import { Failure, SwapDetails } from '@causeway/sdk'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { byChain, placeOf, type World, wrong } from './world.ts'

/** The deepest reorg: deeper than any network's final depth. */
const MAX_DEPTH = 64
/** A deposit is seen within a second; a busy machine may take longer. */
const SEEN_TIMEOUT_MS = 20_000
const SEEN_POLL_MS = 50

const Blocks = z.strictObject({ network: z.string().min(1).max(128), depth: z.int().min(1).max(MAX_DEPTH) })
export const ReorgBody = z.union([Blocks, z.strictObject({ swap_id: z.uuid() })])
export type ReorgBody = z.infer<typeof ReorgBody>

const Told = z.union([z.object({ data: SwapDetails }), Failure])

export async function reorganise(api: FastifyInstance, world: World, body: ReorgBody): Promise<z.infer<typeof Blocks>> {
  const blocks = 'swap_id' in body ? await blocksOf(api, body.swap_id) : body
  const { devnet, network } = await placeOf(world, blocks.network)
  await byChain(devnet.reorg(network.name, blocks.depth))
  return { network: network.name, depth: blocks.depth }
}

/** The blocks to remove: from the newest down to the deposit's, plus one, since a block may be mined meanwhile. */
async function blocksOf(api: FastifyInstance, swapId: string): Promise<z.infer<typeof Blocks>> {
  const { network, status, confirmations } = await depositOf(api, swapId)
  if (status === 'completed')
    throw wrong('swap_id', 'the deposit counts already and is paid for: ask for more, so that it takes more blocks')
  return { network: network.name, depth: Math.min(confirmations + 1, MAX_DEPTH) }
}

async function depositOf(api: FastifyInstance, swapId: string) {
  const deadline = performance.now() + SEEN_TIMEOUT_MS
  const query = { exclude_deposit_actions: 'true' }
  for (;;) {
    const told = Told.parse((await api.inject({ url: `/api/v2/swaps/${swapId}`, query })).json())
    if (!('data' in told)) throw new ApiError('NOT_FOUND', told.error.message)
    const deposit = told.data.swap.transactions.findLast(({ type }) => type === 'input')
    if (deposit && deposit.status !== 'failed') return deposit
    if (performance.now() > deadline)
      throw wrong('swap_id', 'no deposit of this swap has been seen: make one first, with POST /sandbox/deposit')
    await sleep(SEEN_POLL_MS)
  }
}
