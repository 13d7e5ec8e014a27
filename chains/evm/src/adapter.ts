/** The port, put together from its parts. */
import { ApiError, type ChainAdapter } from '@causeway/core'
import { canonical, isBurnAddress, naming } from './address.ts'
import { change, report } from './admin.ts'
import { holdsNft, unitsOf } from './balance.ts'
import type { EvmChain } from './chain.ts'
import { depositAction } from './deposit.ts'
import { depositoryAction } from './depository.ts'
import { fees, L1_FEE_ORACLE } from './fees.ts'
import { depositAddress, factoryAddress } from './forwarder.ts'
import { authorize, signAction, supportsGasless } from './gasless.ts'
import { inspect } from './inspect.ts'
import { broadcast, nextSlot, sign } from './pay.ts'
import { prepare } from './prepare.ts'
import { status } from './status.ts'
import { depositGas, MULTICALL, survey } from './survey.ts'
import { scan } from './watch.ts'

export function adapterOf(chain: EvmChain): ChainAdapter {
  const { network, treasury } = chain
  const factory = factoryAddress(treasury)
  const { depositories, paymasters } = chain.contracts
  const ours = [...depositories, ...paymasters].map(canonical)
  const contracts = new Set([factory, ...ours, ...network.tokens.map(({ contract }) => contract)])
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
    holdsNft: (contract, owner) => chain.rpc.use((node) => holdsNft(node, contract, owner)),
    depository: {
      accepts: () => chain.facts.depositoryIsOpen,
      depositAction: async (request) => {
        if (!chain.facts.depositoryIsOpen) throw noDepository(network.name)
        return depositoryAction(chain.contracts.depository, request, depositGas(chain, request.token.contract))
      },
      report: () => report(chain),
      change: (wanted) => change(chain, wanted),
    },
    gasless: {
      supports: ({ contract }) => supportsGasless(chain, contract),
      depositAction: (request) => signAction(chain, request),
      authorize: (request, signature) => authorize(chain, request, signature),
    },
    survey: () => survey(chain),
    publicContracts: () => ({
      evm_oracle_contract: chain.settings.l1FeeOracle ? L1_FEE_ORACLE : null,
      evm_multicall_contract: chain.facts.multicallIsDeployed ? MULTICALL : null,
    }),
    ...(chain.settings.depositAddresses
      ? { depositAddresses: { derive: async (index: number) => depositAddress(factory, index) } }
      : {}),
  }
}

function noDepository(network: string): ApiError {
  return new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository on ${network}.`)
}
