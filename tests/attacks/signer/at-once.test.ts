/**
 * A compromised service asks for many transactions at once, while the keys (a KMS, an HSM) take their time. Limits and approvals must hold
 * for them as they do for requests in sequence.
 */
import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import type { Approval, Order, Signer, Transfer } from '@causeway/core'
import { expect, it, onTestFinished } from 'vitest'
import { loadFamily } from '../../../server/src/catalogue/chains.ts'
import { approvalText, publicKeyOf, signApproval } from '../../../server/src/keys/approvals/approval.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import {
  ACCOUNT,
  ALICE,
  BOB,
  draftAt,
  ETHER,
  makeFolder,
  NETWORK,
  openTestSigner,
  PHRASE,
  payment,
  policyFile,
  testCatalogue,
} from '../../../server/src/keys/testing.ts'

/** A signer whose keys answer only when the test says so. */
async function openSlowSigner(rules: Record<string, unknown>, approvers: Record<string, string> = {}) {
  const { folder, networks } = makeFolder()
  const { catalogue, eth, usdc } = await testCatalogue(networks)
  const ready = Promise.withResolvers<void>()
  const keys = mnemonicSigner(PHRASE)
  const slow: Signer = {
    ...keys,
    async sign(...asked) {
      await ready.promise
      return keys.sign(...asked)
    },
  }
  const policy = { approvers, ...policyFile(rules) }
  const opened = await openTestSigner({ catalogue, policy, folder: path.join(folder, 'journal'), keys: slow })
  onTestFinished(opened.stop)
  /** Asks for all of them before the keys answer the first; returns the reasons of those that were refused. */
  const refusedOf = async (orders: readonly Order[]): Promise<string[]> => {
    const judged = Promise.withResolvers<void>()
    const { judge } = opened.journal
    let left = orders.length
    opened.journal.judge = (proposal) => {
      if (--left === 0) judged.resolve()
      return judge(proposal)
    }
    const asked = orders.map((order, nonce) =>
      opened.sign(NETWORK, order, [`${nonce}`], draftAt(1, 65_000)).then(
        () => null,
        (error: Error) => error.message,
      ),
    )
    await judged.promise
    ready.resolve()
    return (await Promise.all(asked)).filter((reason) => reason !== null)
  }
  return { ...opened, eth, usdc, refusedOf }
}

it('the ceilings of an hour hold for requests that are signed at once', async () => {
  const { refusedOf, eth, journal } = await openSlowSigner({})
  const refused = await refusedOf(Array.from({ length: 5 }, () => payment(eth, 2n * ETHER)))
  // Five coins may leave in an hour.
  expect(refused).toHaveLength(3)
  expect(journal.outflow(new Date()).units(NETWORK, 'native', 'hour')).toBe(4n * ETHER)
})

it('the number of orders of an hour holds for requests that are signed at once', async () => {
  const { refusedOf, eth } = await openSlowSigner({ max_orders_per_hour: 2 })
  expect(await refusedOf(Array.from({ length: 5 }, () => payment(eth, 1n)))).toHaveLength(3)
})

it('one approval is for one of two slots that are signed at once', async () => {
  const person = generateKeyPairSync('ed25519').privateKey
  const tokens = { USDC: { max: '1000', max_per_hour: '5000', approval_above: '100' } }
  const { refusedOf, usdc } = await openSlowSigner({ tokens }, { ann: publicKeyOf(person) })
  const units = 200_000_000n
  const subject = { network: NETWORK, token: usdc.contract ?? '', units, to: ALICE, payout: 'the-payout' }
  const text = approvalText({ ...subject, attempt: 1 }) ?? ''
  const approval: Approval = { payout: subject.payout, attempt: 1, signatures: [signApproval(text, person)] }
  const transfer: Transfer = { to: ALICE, amount: { token: usdc, units }, approval }
  const order: Order = { kind: 'transfers', account: ACCOUNT, transfers: [transfer] }
  expect(await refusedOf([order, order, order])).toHaveLength(2)
})

it('what could not be signed does not count', async () => {
  const { journal, eth, sign, refusedOf } = await openSlowSigner({})
  expect(await refusedOf([payment(eth, 2n * ETHER)])).toHaveLength(0)
  await expect(sign(NETWORK, payment(eth, 2n * ETHER), ['1'], '{}')).rejects.toThrow('cannot be signed')
  expect(journal.outflow(new Date()).units(NETWORK, 'native', 'hour')).toBe(2n * ETHER)
})

it('a transaction that is signed while the nodes are asked about its slot keeps the slot bound', async () => {
  const { folder, networks } = makeFolder()
  const { catalogue, eth } = await testCatalogue(networks)
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const block = { number: 9n, hash: '0x9' }
  const { sign, orders, stop } = await openTestSigner({
    ...{ catalogue, policy: policyFile(), folder: path.join(folder, 'journal') },
    async families(type) {
      const family = await loadFamily(type)
      const open: typeof family.open = async (parts) => ({
        ...(await family.open(parts)),
        async status() {
          asked.resolve()
          await answered.promise
          return { state: 'dead', evidence: { usedBy: null, block, reason: 'a test' } }
        },
      })
      return { ...family, open }
    },
  })
  onTestFinished(stop)
  const place = { network: NETWORK, account: ACCOUNT, slot: ['7'] }
  await sign(NETWORK, payment(eth, 1n), ['7'], draftAt(1))
  const lines = (await orders.recorded(place)).map(({ line }) => line.n)
  const closing = orders.close({ ...place, outcome: 'paid', evidence: null, freed: ['7'], lines })
  await asked.promise
  await sign(NETWORK, payment(eth, 1n), ['7'], draftAt(2))
  answered.resolve()
  await closing
  const rival = sign(NETWORK, payment(eth, 1n, BOB), ['7'], draftAt(1), { attempt: 2 })
  await expect(rival).rejects.toThrow('was signed for another order')
})
