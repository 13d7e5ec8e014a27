/** Approvals that the signer's policy demands: whose signature counts, for which payment, and only once. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Approval, Order, Transfer } from '@causeway/core'
import { expect, it, onTestFinished } from 'vitest'
import { loadFamily } from '../../catalogue/chains.ts'
import { readPolicy } from '../signer-process/policy.ts'
import { ACCOUNT, ALICE, BOB, draftAt, makeFolder, NETWORK, openTestSigner, testCatalogue } from '../testing.ts'
import { approvalText, publicKeyOf, signApproval, signerOf } from './approval.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const PAYOUT = '7d1f3c52-2f57-4b0e-9a35-0a4f5d1c9e10'
const keyOf = () => generateKeyPairSync('ed25519').privateKey
const [ann, ben, eve] = [keyOf(), keyOf(), keyOf()]
const USDC = 1_000_000n

/** A signer that demands one approval above 100 USDC and two above 500. */
async function openWorld() {
  const { folder, networks } = makeFolder()
  const { catalogue, usdc } = await testCatalogue(networks)
  const ceilings = { max: '1000', max_per_hour: '5000', max_per_day: '2500' }
  const tokens = { USDC: { ...ceilings, approval_above: '100', two_approvals_above: '500' } }
  const approvers = { ann: publicKeyOf(ann), ben: publicKeyOf(ben) }
  const policy = { approvers, networks: { [NETWORK]: { tokens } } }
  const clock = { now: new Date('2026-11-15T12:00:00Z') }
  const opened = await openTestSigner({ catalogue, policy, folder: path.join(folder, 'journal'), now: () => clock.now })
  onTestFinished(opened.stop)
  const { signer } = opened
  const order = (units: bigint, approval?: Approval, to = ALICE): Order => {
    const transfer: Transfer = { to, amount: { token: usdc, units }, ...(approval ? { approval } : {}) }
    return { kind: 'transfers', account: ACCOUNT, transfers: [transfer] }
  }
  const approved = (units: bigint, by: KeyObject[], changes: Record<string, unknown> = {}): Approval => {
    const subject = { network: NETWORK, token: usdc.contract ?? '', units, to: ALICE, payout: PAYOUT, attempt: 1 }
    const text = approvalText({ ...subject, ...changes }) ?? ''
    return { payout: PAYOUT, attempt: 1, signatures: by.map((key) => signApproval(text, key)) }
  }
  const sign = (wanted: Order, nonce: number, price = 1) =>
    opened.sign(NETWORK, wanted, [`${nonce}`], draftAt(price, 65_000))
  return { signer, order, approved, sign, clock, catalogue }
}

it('above the threshold nothing is signed without a listed approver, and the refusal comes before a slot', async () => {
  const { signer, order, approved, sign } = await openWorld()
  await sign(order(100n * USDC), 0)
  const needs = 'it needs an approval that an operator signed'
  await expect(sign(order(100n * USDC + 1n), 1)).rejects.toThrow(needs)
  await expect(signer.review?.(NETWORK, order(200n * USDC))).rejects.toThrow(needs)
  await expect(sign(order(200n * USDC, approved(200n * USDC, [eve])), 1)).rejects.toThrow(needs)
  const good = order(200n * USDC, approved(200n * USDC, [eve, ann]))
  await signer.review?.(NETWORK, good)
  const first = await sign(good, 1)
  // A fee bump in the same slot is signed as often as needed.
  expect((await sign(good, 1, 2)).hash).not.toBe(first.hash)
})

it('an approval is for one network, token, amount, recipient, payout and attempt', async () => {
  const { order, approved, sign } = await openWorld()
  const others = {
    network: 'ETHEREUM_SEPOLIA',
    token: 'native',
    units: 201n * USDC,
    to: BOB,
    payout: `${PAYOUT}0`,
    attempt: 2,
  }
  for (const [name, value] of Object.entries(others)) {
    const approval = approved(200n * USDC, [ann], { [name]: value })
    await expect(sign(order(200n * USDC, approval), 0), name).rejects.toThrow('needs an approval')
  }
  const approval = approved(200n * USDC, [ann])
  await expect(sign(order(200n * USDC, { ...approval, payout: `${PAYOUT}0` }), 0)).rejects.toThrow('needs an approval')
  await expect(sign(order(200n * USDC, approval, BOB), 0)).rejects.toThrow('needs an approval')
  await expect(sign(order(201n * USDC, approval), 0)).rejects.toThrow('needs an approval')
})

it('an approval pays once: in another slot it is refused until the payout is approved again', async () => {
  const { order, approved, sign } = await openWorld()
  const approval = approved(200n * USDC, [ann])
  await sign(order(200n * USDC, approval), 0)
  await expect(sign(order(200n * USDC, approval), 1)).rejects.toThrow(
    `the approval ${PAYOUT}#1 was used for another slot`,
  )
  const again = { ...approved(200n * USDC, [ann], { attempt: 2 }), attempt: 2 }
  await sign(order(200n * USDC, again), 1)
})

it('above the second threshold two different people must have signed', async () => {
  const { order, approved, sign } = await openWorld()
  const units = 500n * USDC + 1n
  const one = approved(units, [ann])
  await expect(sign(order(units, one), 0)).rejects.toThrow('it needs the approvals of two operators')
  const twice = { ...one, signatures: [...one.signatures, ...one.signatures] }
  await expect(sign(order(units, twice), 0)).rejects.toThrow('two operators')
  await sign(order(units, approved(units, [ann, ben])), 0)
})

it('a daily limit per token applies, approved or not', async () => {
  const { order, approved, sign, clock } = await openWorld()
  const big = (attempt: number) => {
    const approval = approved(1_000n * USDC, [ann, ben], { attempt })
    return order(1_000n * USDC, { ...approval, attempt })
  }
  await sign(big(1), 0)
  await sign(big(2), 1)
  await expect(sign(big(3), 2)).rejects.toThrow('the ceiling of a day')
  clock.now = new Date(clock.now.getTime() + DAY_MS - 1)
  await expect(sign(big(3), 2)).rejects.toThrow('the ceiling of a day')
  // The journal counts per minute: the day is over when its first minute is.
  clock.now = new Date(clock.now.getTime() + MINUTE_MS)
  await sign(big(3), 2)
})

it('a policy that demands approvals must list approvers', async () => {
  const { catalogue } = await testCatalogue(makeFolder().networks)
  const policy = (approvers: Record<string, string>, more: Record<string, string>) => {
    const tokens = { USDC: { max: '1', max_per_hour: '1', ...more } }
    return readPolicy({ approvers, networks: { [NETWORK]: { tokens } } }, catalogue, loadFamily)
  }
  await expect(policy({}, { approval_above: '1' })).rejects.toThrow('needs somebody among the approvers')
  const ones = { ann: publicKeyOf(ann) }
  await expect(policy(ones, { approval_above: '1', two_approvals_above: '2' })).rejects.toThrow('needs two approvers')
  await expect(policy({ ...ones, ben: publicKeyOf(ann) }, {})).rejects.toThrow('one key has two names')
  await expect(policy({ ann: 'abc' }, {})).rejects.toThrow('not an ed25519 public key')
})

it('the text is unambiguous: a value with a line break is rejected', () => {
  const subject = { network: 'N', token: 'native', units: 1n, to: 'a', payout: 'p', attempt: 1 }
  expect(approvalText(subject)?.split('\n')).toHaveLength(8)
  expect(approvalText({ ...subject, to: 'a\npayout q' })).toBeNull()
  expect(approvalText({ ...subject, to: '' })).toBeNull()
})

it('an approver creates a key and signs the printed text on an offline machine', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-approver-'))
  const [file, password, text] = ['key.pem', 'password.txt', 'text.txt'].map((name) => path.join(folder, name))
  writeFileSync(password ?? '', 'correct horse battery\n')
  const subject = { network: NETWORK, token: 'native', units: 5n, to: ALICE, payout: PAYOUT, attempt: 1 }
  const words = approvalText(subject) ?? ''
  writeFileSync(text ?? '', words.trimEnd())
  const run = (...more: string[]) => {
    const program = path.join(import.meta.dirname, 'approver.ts')
    const files = ['--file', file ?? '', '--password-file', password ?? '']
    return execFileSync(process.execPath, [program, ...more, ...files], { encoding: 'utf8', stdio: 'pipe' }).trim()
  }
  const publicKey = run('create').split(/\s+/).at(-1)
  const signature =
    run('sign', '--text', text ?? '')
      .split('\n')
      .at(-1) ?? ''
  expect(signerOf(words, signature)).toBe(publicKey)
  expect(signerOf(words.replace('units 5', 'units 6'), signature)).toBeNull()
  expect(() => run('create')).toThrow('exists already')
  writeFileSync(text ?? '', 'anything else')
  expect(() => run('sign', '--text', text ?? '')).toThrow('no approval')
})
