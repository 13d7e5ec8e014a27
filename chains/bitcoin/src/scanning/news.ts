/** New blocks as soon as a bitcoind has them: it is asked for the next one, and answers when that comes or after a while. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinChain } from '../chain.ts'
import { nextBlock } from '../node/calls.ts'
import { Refusal } from '../node/node.ts'

/** Below what proxies cut off, and soon enough for whoever stops the service. */
const WAIT_MS = 20_000
/** After a failure. */
const AGAIN_MS = 5_000

/** Until it is called off. A node that does not know the question is not asked it again. */
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
      // The first answer too: a block may have come while it was asked.
      if (block !== known && !signal.aborted) listener()
      known = block
    } catch {
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
