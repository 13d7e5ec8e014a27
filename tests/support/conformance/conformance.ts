/**
 * The suite that every family of `chains/` must pass. It uses the port alone and names no family. A family runs it from
 * `local/src/conformance.test.ts`, over its own local chain or an external node.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { addressCases } from './addresses.ts'
import { bookCases } from './balances.ts'
import { capabilityCases } from './capabilities.ts'
import { depositCases } from './deposits.ts'
import { payoutCases } from './payouts.ts'
import { replayCases } from './replay.ts'
import { sweepCases } from './sweeps.ts'
import { openWorld, type Subject, type World } from './world.ts'

/** Starting a real local chain and deploying to it may take a while on two busy cores. */
const START_MS = 120_000
/** An external chain makes blocks at its own pace: a case may have to wait for a final depth twice. */
const ELSEWHERE_CASE_MS = 600_000

export function conformanceSuite(name: string, subject: Subject): void {
  const timeout = subject.elsewhere ? { timeout: ELSEWHERE_CASE_MS } : {}
  describe(`${name} keeps the port's promises${subject.elsewhere ? ', elsewhere' : ''}`, timeout, () => {
    let opened: World | undefined
    const world = (): World => {
      if (!opened) throw new Error('the local chain did not start')
      return opened
    }
    beforeAll(
      async () => {
        opened = await openWorld(subject)
      },
      subject.elsewhere ? ELSEWHERE_CASE_MS : START_MS,
    )
    afterAll(async () => {
      await opened?.devnet.stop()
    })
    describe('addresses and names', () => addressCases(subject, world))
    describe('capabilities', () => capabilityCases(subject, world))
    describe('deposits', () => depositCases(subject, world))
    describe('payouts', () => payoutCases(subject, world))
    describe('replay', () => replayCases(subject, world))
    describe('balances and movements', () => bookCases(subject, world))
    describe('deposit addresses and sweeps', () => sweepCases(subject, world))
  })
}
