/** Assembles the adapter from its parts. */
import type { Address, Balances, ChainAdapter, Token } from '@causeway/core'
import { isUnpayable, naming } from './address.ts'
import type { StarkExChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { balancesOf, holdingKey } from './node/calls.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { extraGas, prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

const HOUR_MS = 3_600_000

export function adapterOf(chain: StarkExChain): ChainAdapter {
  const { network, rpc, keys, settings } = chain
  return {
    ...naming,
    network,
    treasury: keys.address,
    isUnpayable: (address) => isUnpayable(network, address),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    scansPresentTreasuryOnly: true,
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    recipientGas: { extraGas: (transfer) => extraGas(chain, transfer) },
    nextSlot: async (_order, draft, taken) => nextSlot(draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: async (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    // The operator charges no fee.
    fees: async () => ({ nativeTransfer: 0n, tokenTransfer: 0n, sweep: 0n }),
    balance: async (owner, token) => ({ token, units: (await holdings(chain, [{ owner, token }])).units[0] ?? 0n }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedUnits(chain, owner, token) }),
    balances: (wanted) => holdings(chain, wanted),
    references: { bits: 28 },
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    // Anyone who has the signed message may post it until its expiry hour has passed.
    lateTransactions: { maxForgottenTxAgeMs: (settings.validHours + 1) * HOUR_MS },
    messages: { verify: verifyMessage },
    nodeHealth: () => rpc.health(),
  }
}

function agreedUnits({ rpc }: StarkExChain, owner: Address, token: Token): Promise<bigint> {
  return rpc.agreedByTwo(async (node) => {
    const { held } = await node.ask(balancesOf([owner]))
    return held.get(holdingKey(owner, token.contract)) ?? 0n
  }, String)
}

async function holdings({ rpc }: StarkExChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Balances> {
  const owners = [...new Set(wanted.map(({ owner }) => owner))]
  const { head, held } = await rpc.use((node) => node.ask(balancesOf(owners)))
  return { block: head, units: wanted.map(({ owner, token }) => held.get(holdingKey(owner, token.contract)) ?? 0n) }
}
