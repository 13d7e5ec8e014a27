/** What accounts hold, of one moment: read between two looks at the newest block that show the same one. */
import { type Address, type Holdings, RetryLater, type Token } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { account } from '../node/calls.ts'
import { headOf } from '../scanning/head.ts'

/** A block takes seconds: one look more is nearly always enough. */
const LOOKS = 5

export function balanceOf({ rpc }: ZkSyncChain, owner: Address): Promise<bigint> {
  return rpc.use(async (node) => (await node.ask(account(owner, 'committed'))).units)
}

export function holdings({ rpc }: ZkSyncChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Holdings> {
  return rpc.use(async (node) => {
    let before = await headOf(node)
    for (let looks = 0; looks < LOOKS; looks++) {
      const units: bigint[] = []
      for (const { owner } of wanted) units.push((await node.ask(account(owner, 'committed'))).units)
      const after = await headOf(node)
      if (after.hash === before.hash) return { block: { number: after.number, hash: after.hash }, units }
      before = after
    }
    throw new RetryLater('blocks come faster than balances can be read')
  })
}
