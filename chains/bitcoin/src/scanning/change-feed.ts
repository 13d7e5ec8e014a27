/** New blocks by long polling: bitcoind answers when the next block comes, or after a timeout. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinChain } from '../chain.ts'
import { nextBlock } from '../node/calls.ts'
import { Refusal } from '../node/node.ts'

/** Duration of a long poll: below the timeouts of proxies, and short enough for a quick shutdown. */
const WAIT_MS = 20_000
/** The pause after a failure. */
const AGAIN_MS = 5_000
/**
 * Minimum time between two requests: a node that answers at once, or blocks in quick succession, must not cause a busy
 * loop.
 */
const LEAST_MS = 1_000

/**
 * Calls the listener until the returned function is called. A node that does not support long polls is not asked again.
 */
export function listenForBlocks(chain: BitcoinChain, listener: () => void): () => void {
  const end = new AbortController()
  void listen(chain, listener, end.signal)
  return () => end.abort()
}

async function listen({ rpc, log, network }: BitcoinChain, listener: () => void, signal: AbortSignal): Promise<void> {
  let known: string | null = null
  while (!signal.aborted) {
    try {
      const [block] = await rpc.use((node) => node.settle([nextBlock(WAIT_MS)]))
      if (block instanceof Refusal) {
        log.warn(
          { network: network.name, reason: block.message },
          'no node waits for blocks: it is asked as often as ever',
        )
        return
      }
      // The first answer counts, too: a block may have arrived during the request.
      if (block !== known && !signal.aborted) listener()
      known = block
      await pause(LEAST_MS, signal)
    } catch {
      await pause(AGAIN_MS, signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
