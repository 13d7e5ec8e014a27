/** Assembles the adapter from its parts. */
import { type Address, ApiError, type ChainAdapter } from '@causeway/core'
import { naming } from './address.ts'
import type { TronChain } from './chain.ts'
import { change, report } from './depositing/admin.ts'
import { depositAction } from './depositing/deposit.ts'
import { depositEnergy, depositoryAction } from './depositing/depository.ts'
import { formatFacts, parseFacts } from './depositing/facts.ts'
import { depositAddress } from './depositing/forwarder.ts'
import { survey } from './depositing/survey.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { account } from './node/calls.ts'
import { holdings, unitsOf } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { isUnpayable, MAX_SOURCES } from './paying/order.ts'
import { broadcast, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { nextSlot } from './paying/slot.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

export function adapterOf(chain: TronChain): ChainAdapter {
  const { network, treasury, settings, rpc, facts } = chain
  const { factory, depository } = settings
  const isContract = (address: Address) => rpc.use(async (node) => (await node.ask(account(address))).isContract)
  const isOwnMaster = (address: Address) =>
    rpc.agreed(async (node) => (await node.ask(account(address))).isOwnMaster, String)
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isUnpayable(chain, address),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'none',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (order, draft, taken) => nextSlot(chain, order, draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    sweptBy: (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await rpc.use((node) => unitsOf(node, owner, token)) }),
    agreedBalance: async (owner, token) => ({
      token,
      units: await rpc.agreedByTwo((node) => unitsOf(node, owner, token), String),
    }),
    balances: (wanted) => holdings(chain, wanted),
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: async (claim) => verifyMessage(claim) && (await isOwnMaster(claim.address)) },
    accounts: { isContract: isContract },
    // A contract signs nothing, so a memo in its transaction is not its own.
    references: { canNameSwap: async (sender) => !(await isContract(sender)) },
    // How long a transaction may still be mined: until it expires, by the chain's clock.
    lateTransactions: { maxForgottenTxAgeMs: 2 * settings.expirationMs },
    nodeHealth: () => rpc.health(),
    contractSurvey: {
      surveyContracts: async () => {
        await survey(chain)
        return formatFacts(facts)
      },
      restoreSurvey: (seen) => void Object.assign(facts, parseFacts(seen)),
    },
    ...(factory === null
      ? {}
      : {
          depositAddresses: {
            derive: async (index: number, branch?: number) => depositAddress(factory, index, branch),
            isReady: () => facts.factoryIsReady,
            maxSources: MAX_SOURCES,
          },
        }),
    depository: {
      // The Depository does not accept coins on this chain, as the specification says.
      accepts: ({ contract }) => contract !== null && facts.depositoryIsOpen,
      depositAction: async (request) => {
        const { contract, symbol } = request.token
        if (contract === null || depository === null || !facts.depositoryIsOpen) {
          throw new ApiError('UNSUPPORTED_DEPOSITORY', `No Depository takes ${symbol} on ${network.name}.`)
        }
        return depositoryAction(depository, request, contract, depositEnergy(settings))
      },
      report: () => report(chain),
      change: (wanted) => change(chain, wanted),
    },
  }
}
