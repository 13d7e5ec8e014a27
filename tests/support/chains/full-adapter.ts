/** An adapter with every call and every capability of the port. It returns nothing real and records the calls. */
import type { Capabilities, ChainAdapter, Network } from '@causeway/core'

type FullAdapter = ChainAdapter & {
  [Name in keyof Capabilities]-?: Required<NonNullable<Capabilities[Name]>>
}

/** `asked` gets the path of each asynchronous call that reaches the adapter. */
export function fullAdapter(network: Partial<Network>, asked: string[] = []): FullAdapter {
  const ask = (path: string) => async (): Promise<never> => {
    asked.push(path)
    return undefined as never
  }
  return {
    network: network as Network,
    treasury: 'treasury',
    nativeAddress: 'native',
    parseAddress: (text) => text,
    isUnpayable: () => false,
    depositAction: ask('depositAction'),
    scan: ask('scan'),
    inspect: ask('inspect'),
    replacement: 'by-fee',
    prepare: ask('prepare'),
    nextSlot: ask('nextSlot'),
    sign: ask('sign'),
    maxSigningCost: () => ({ feeUnits: 0n }),
    broadcast: ask('broadcast'),
    status: ask('status'),
    fees: ask('fees'),
    balance: ask('balance'),
    agreedBalance: ask('agreedBalance'),
    balances: ask('balances'),
    nodeHealth: () => [],
    headFeed: { announces: 'hints', subscribe: () => () => undefined },
    blockTimes: { timeOf: ask('blockTimes.timeOf') },
    references: { bits: 53, canNameSwap: ask('references.canNameSwap') },
    depositAddresses: { derive: ask('depositAddresses.derive'), isReady: () => true, maxSources: 1 },
    depository: {
      accepts: () => true,
      depositAction: ask('depository.depositAction'),
      report: ask('depository.report'),
      change: ask('depository.change'),
    },
    gasless: {
      supports: () => true,
      depositAction: ask('gasless.depositAction'),
      authorize: ask('gasless.authorize'),
    },
    setup: { missing: ask('setup.missing') },
    contractSurvey: { surveyContracts: ask('contractSurvey.surveyContracts'), restoreSurvey: () => undefined },
    batch: { maxTransfers: 2 },
    ordering: { slotOrdinal: () => 0n },
    slotExpiry: { hasExpired: ask('slotExpiry.hasExpired') },
    recipientGas: { extraGas: ask('recipientGas.extraGas') },
    exchanges: {
      readPools: ask('exchanges.readPools'),
      allowance: ask('exchanges.allowance'),
      approvalCall: () => '',
      approvalIn: () => null,
      objectionTo: () => null,
      depositActions: () => [],
      exactOut: ask('exchanges.exactOut'),
      received: ask('exchanges.received'),
    },
    audit: { movements: ask('audit.movements') },
    lateTransactions: {
      maxForgottenTxAgeMs: 1,
      mempoolTransactions: ask('lateTransactions.mempoolTransactions'),
    },
    allowances: { rentUnitsPerDay: 1n, setupUnits: 1n, receiptUnits: 1n },
    messages: { verify: ask('messages.verify') },
    accounts: { isContract: ask('accounts.isContract') },
    nfts: { isHeldBy: ask('nfts.isHeldBy') },
    tokenContracts: { describe: ask('tokenContracts.describe') },
    walletContracts: { byName: () => ({}), native: 'native' },
  }
}

/** Every member of an adapter by its path, including capabilities. */
export function membersOf(adapter: ChainAdapter): Map<string, unknown> {
  return new Map(
    Object.entries(adapter).flatMap(([name, member]): [string, unknown][] =>
      name !== 'network' && typeof member === 'object'
        ? Object.entries(member).map(([inner, part]) => [`${name}.${inner}`, part])
        : [[name, member]],
    ),
  )
}
