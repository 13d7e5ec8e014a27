/**
 * Conformance: the capabilities of an adapter. A family declares those that it has on the network under test. The suite goes
 * through all that the port knows: a declared one must be there as a whole, and any other must be absent.
 */
import type { Capabilities } from '@causeway/core'
import { expect, it } from 'vitest'
import type { Subject, World } from './world.ts'

type Capability = keyof Capabilities

type Whole<Name extends Capability> = NonNullable<Capabilities[Name]>
type Kind = 'function' | 'number' | 'bigint' | 'string'
/** The expected `typeof` of each member; `optional` for one that a family may leave out. */
type Shape = { [Name in Capability]-?: { readonly [Member in keyof Whole<Name>]-?: Kind | 'optional' } }

const SHAPES: Shape = {
  headFeed: { announces: 'string', subscribe: 'function' },
  blockTimes: { timeOf: 'function' },
  references: { bits: 'optional', canNameSwap: 'optional' },
  depositAddresses: { derive: 'function', isReady: 'optional', maxSources: 'optional' },
  depository: { accepts: 'function', depositAction: 'function', report: 'function', change: 'function' },
  gasless: { supports: 'function', depositAction: 'function', authorize: 'function' },
  setup: { missing: 'function' },
  contractSurvey: { surveyContracts: 'function', restoreSurvey: 'function' },
  batch: { maxTransfers: 'number' },
  ordering: { slotOrdinal: 'function' },
  slotExpiry: { hasExpired: 'function' },
  recipientGas: { extraGas: 'function' },
  exchanges: {
    ...{ readPools: 'function', allowance: 'function', approvalCall: 'function', approvalIn: 'function' },
    ...{ objectionTo: 'function', depositActions: 'function', exactOut: 'function', received: 'function' },
  },
  audit: { movements: 'function' },
  lateTransactions: { maxForgottenTxAgeMs: 'number', mempoolTransactions: 'optional' },
  allowances: { rentUnitsPerDay: 'bigint', setupUnits: 'bigint', receiptUnits: 'bigint' },
  messages: { verify: 'function' },
  accounts: { isContract: 'function' },
  nfts: { isHeldBy: 'function' },
  tokenContracts: { describe: 'function' },
  walletContracts: { byName: 'function', native: 'optional' },
}

const ALL = Object.keys(SHAPES) as Capability[]

/** The node's address decides whether this capability exists: the suite accepts what the adapter has. */
const BY_NODE: readonly Capability[] = ['headFeed']

/** Checks of a capability on any chain, beyond its shape. */
const EXAMINED: { [Name in Capability]?: (capability: Whole<Name>, world: World) => Promise<void> | void } = {
  batch: ({ maxTransfers }) => expect(maxTransfers).toBeGreaterThan(1),
  lateTransactions: ({ maxForgottenTxAgeMs }) => expect(maxForgottenTxAgeMs).toBeGreaterThan(0),
  allowances: ({ rentUnitsPerDay, setupUnits, receiptUnits }) => {
    for (const units of [rentUnitsPerDay, setupUnits, receiptUnits]) expect(units).toBeGreaterThanOrEqual(0n)
    expect(rentUnitsPerDay + setupUnits + receiptUnits).toBeGreaterThan(0n)
  },
  messages: async ({ verify }, { sender }) => {
    for (const signature of ['', '00', 'no signature'])
      expect(await verify({ address: sender.address, text: 'a text', signature })).toBe(false)
  },
  contractSurvey: async ({ surveyContracts, restoreSurvey }) => restoreSurvey(await surveyContracts()),
  walletContracts: ({ byName }) => {
    for (const contract of Object.values(byName())) expect([null, expect.any(String)]).toContainEqual(contract)
  },
}

export function capabilityCases({ capabilities }: Subject, world: () => World): void {
  const isDeclared = (name: Capability) => capabilities.includes(name)

  it.each(ALL.filter(isDeclared))('%s is there as a whole', async (name) => {
    const capability = world().adapter[name]
    if (!capability) throw new Error(`the family declares ${name}, and the adapter has none`)
    for (const [member, kind] of Object.entries<Kind | 'optional'>(SHAPES[name])) {
      if (kind !== 'optional') expect(typeof Reflect.get(capability, member), member).toBe(kind)
    }
    expect(Object.keys(SHAPES[name])).toEqual(expect.arrayContaining(Object.keys(capability)))
    const examine = EXAMINED[name] as ((capability: unknown, world: World) => Promise<void> | void) | undefined
    await examine?.(capability, world())
  })

  it('no other capability is there', () => {
    const others = ALL.filter((name) => !isDeclared(name) && !BY_NODE.includes(name))
    expect(others.filter((name) => world().adapter[name] !== undefined)).toEqual([])
  })
}
