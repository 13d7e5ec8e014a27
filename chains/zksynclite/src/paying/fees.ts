/** The current cost of a transfer. The first one to an account costs more, and most recipients are new. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { feeFor } from '../node/calls.ts'
import { FEE, packable } from '../packing.ts'

/** An account that can never have been paid before. */
const NOBODY = '0x0000000000000000000000000000000000000000'

export async function fees({ rpc, settings }: ZkSyncChain): Promise<Fees> {
  const asked = packable(await rpc.use((node) => node.ask(feeFor('Transfer', NOBODY))), FEE, 'up')
  const each = atMost(asked, settings.maxFee)
  return { nativeTransfer: each, tokenTransfer: each, sweep: each }
}
