/** Assembles the adapter from its parts. */
import { type Address, ApiError, type ChainAdapter } from '@causeway/core'
import { canonical, isBurnAddress, naming } from './address.ts'
import type { EvmChain } from './chain.ts'
import { change, report } from './depositing/admin.ts'
import { depositAction } from './depositing/deposit.ts'
import { depositoryAction } from './depositing/depository.ts'
import { formatFacts, parseFacts } from './depositing/facts.ts'
import { depositAddress, factoryAddress } from './depositing/forwarder.ts'
import { authorize, signAction, supportsGasless } from './depositing/gasless.ts'
import { depositGas, survey } from './depositing/survey.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { allowance, approvalCall, approvalIn } from './exchanging/allowance.ts'
import { depositActions } from './exchanging/deposit-actions.ts'
import { exactOut } from './exchanging/exact-out.ts'
import { readPools } from './exchanging/read-pools.ts'
import { received } from './exchanging/received.ts'
import { objectionToExchange } from './exchanging/router-call.ts'
import { blockTime, code } from './node/calls.ts'
import { agreedHoldings, holdsNft, unitsOf } from './paying/balance.ts'
import { FEE_MODELS } from './paying/feemodels/index.ts'
import { fees } from './paying/fees.ts'
import { extraGas } from './paying/gas.ts'
import { broadcast, maxSigningCost, nextSlot, nonceOf, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { describeToken } from './paying/token-contract.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { isContract } from './scanning/transfers.ts'
import { scan } from './scanning/watch.ts'

export function adapterOf(chain: EvmChain): ChainAdapter {
  const { network, treasury } = chain
  const factory = factoryAddress(treasury)
  const { depositories, paymasters } = chain.contracts
  const ours = [...depositories, ...paymasters].map(canonical)
  const runsCode = (address: Address) => chain.rpc.use(async (node) => isContract((await node.ask([code(address)]))[0]))
  const contracts = new Set([factory, ...ours, ...network.tokens.map(({ contract }) => contract)])
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isBurnAddress(address) || contracts.has(address),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    ...(chain.rpc.onHead ? { headFeed: { announces: 'every-head' as const, subscribe: chain.rpc.onHead } } : {}),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: ({ hash }) => chain.rpc.use(async (node) => (await node.ask([blockTime(hash)]))[0]) },
    replacement: 'by-fee',
    prepare: (order, replaces, recipientGas) => prepare(chain, order, replaces, recipientGas ?? 0n),
    recipientGas: { extraGas: (transfer) => extraGas(chain, transfer) },
    exchanges: {
      readPools: (pools) => readPools(chain, pools),
      allowance: (router, token) => allowance(chain, router, token),
      approvalCall: (router, token, units) => approvalCall(chain, router, token, units),
      approvalIn,
      objectionTo: (exchange) => objectionToExchange(chain, exchange),
      depositActions: (exchange) => depositActions(chain, exchange),
      exactOut: (exchange) => exactOut(chain, exchange),
      received: (hash, exchange) => received(chain, hash, exchange),
    },
    nextSlot: async (_order, draft, taken) => nextSlot(draft, taken),
    ordering: { slotOrdinal: nonceOf },
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => maxSigningCost(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    sweptBy: (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await chain.rpc.use((node) => unitsOf(node, owner, token)) }),
    agreedBalance: async (owner, token) => ({
      token,
      units: await chain.rpc.agreedByTwo((node) => unitsOf(node, owner, token), String),
    }),
    balances: (wanted) => agreedHoldings(chain, wanted),
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: (claim) => verifyMessage(chain, claim) },
    // Any account may submit a contract's call, so its last bytes prove nothing about the payer.
    references: { canNameSwap: async (sender) => !(await runsCode(sender)) },
    accounts: { isContract: runsCode },
    nfts: { isHeldBy: (contract, owner) => chain.rpc.use((node) => holdsNft(node, contract, owner)) },
    tokenContracts: { describe: (contract) => chain.rpc.use((node) => describeToken(node, contract)) },
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
    nodeHealth: () => chain.rpc.health(),
    contractSurvey: {
      surveyContracts: async () => {
        await survey(chain)
        return formatFacts(chain.facts)
      },
      restoreSurvey: (seen) => void Object.assign(chain.facts, parseFacts(seen)),
    },
    walletContracts: {
      byName: () => ({
        evm_oracle_contract: FEE_MODELS[chain.settings.feeModel].oracle,
        evm_multicall_contract: chain.facts.multicallIsDeployed ? chain.settings.multicall : null,
      }),
    },
    ...(chain.settings.depositAddresses
      ? {
          depositAddresses: {
            derive: async (index: number, branch?: number) => depositAddress(factory, index, branch),
            isReady: () => chain.facts.factoryIsDeployed,
          },
        }
      : {}),
  }
}

function noDepository(network: string): ApiError {
  return new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository on ${network}.`)
}
