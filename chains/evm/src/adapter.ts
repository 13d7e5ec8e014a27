/** The port, put together from its parts. */
import type { ChainAdapter } from '@causeway/core'
import { isBurnAddress, naming } from './address.ts'
import { unitsOf } from './balance.ts'
import type { EvmChain } from './chain.ts'
import { depositAction } from './deposit.ts'
import { fees } from './fees.ts'
import { depositAddress, factoryAddress } from './forwarder.ts'
import { inspect } from './inspect.ts'
import { broadcast, nextSlot, sign } from './pay.ts'
import { prepare } from './prepare.ts'
import { status } from './status.ts'
import { scan } from './watch.ts'

export function adapterOf(chain: EvmChain): ChainAdapter {
  const { network, treasury } = chain
  const factory = factoryAddress(treasury)
  const contracts = new Set([factory, ...network.tokens.map(({ contract }) => contract)])
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isBurnAddress(address) || contracts.has(address),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (_order, draft, taken) => nextSlot(draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await chain.rpc.use((node) => unitsOf(node, owner, token)) }),
    ...(chain.settings.depositAddresses
      ? { depositAddresses: { derive: async (index: number) => depositAddress(factory, index) } }
      : {}),
  }
}
