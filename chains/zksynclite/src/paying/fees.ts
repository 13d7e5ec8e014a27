/** What a transfer costs now. The first one to somebody costs more, and most of those whom we pay are new. */
import type { Fees } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { feeFor } from '../node/calls.ts'
import { FEE, packable } from '../packing.ts'

/** Nobody's account: nobody can have been paid there. */
const NOBODY = '0x0000000000000000000000000000000000000000'

export async function fees({ rpc }: ZkSyncChain): Promise<Fees> {
  const each = packable(await rpc.use((node) => node.ask(feeFor('Transfer', NOBODY))), FEE, 'up')
  return { nativeTransfer: each, tokenTransfer: each, sweep: each }
}
