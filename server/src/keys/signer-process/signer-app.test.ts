import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { KeyRef, Order } from '@causeway/core'
import { afterEach, describe, expect, it } from 'vitest'
import { loadFamily, openChains } from '../../catalogue/chains.ts'
import { PATHS } from '../backends/protocol.ts'
import { SignerRefusal } from '../backends/refusal.ts'
import { remoteSigner } from '../backends/remote.ts'
import type { RecordedPayout } from '../journal/line.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import type { SignRequest } from '../orders/orders.ts'
import { claimJournal } from '../orders/remote.ts'
import { QUOTE_KEY } from '../quotes/quote-key.ts'
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
  quiet,
  TOKEN,
  testCatalogue,
} from '../testing.ts'
import { readPolicy } from './policy.ts'

const TREASURY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Starts the signer's app on its own port, and the service's client of it. */
async function openWorld(changes: Record<string, unknown> = {}, more: { folder?: string } = {}) {
  const { folder, networks } = makeFolder()
  const { catalogue, network, eth, usdc } = await testCatalogue(networks)
  const clock = { now: new Date('2026-11-15T12:00:00Z') }
  const opened = await openTestSigner({
    ...{ catalogue, policy: policyFile(changes), now: () => clock.now },
    folder: more.folder ?? path.join(folder, 'journal'),
  })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await opened.stop()
    isStopped = true
  }
  cleanups.push(stop)
  const sign = (order: Order, nonce: number, draft = draftAt(1), request: Partial<SignRequest> = {}) =>
    opened.sign(NETWORK, order, [String(nonce)], draft, request)
  const adapter = await (await loadFamily('evm')).open({ network, signer: opened.signer, log: quiet })
  return { ...opened, stop, adapter, sign, eth, usdc, clock, catalogue, network, folder: path.join(folder, 'journal') }
}

const paid = (id: string, settles: string[] = []): RecordedPayout => ({
  ...{ id, kind: 'output', swap: `swap of ${id}`, number: 1, token: 'native', units: '1', to: ALICE, settles },
})

describe('a payout through the remote signer', () => {
  it('is signed as the local key would sign it', async () => {
    const { sign, eth, adapter } = await openWorld()
    const family = await loadFamily('evm')
    const local = await family.open({ network: adapter.network, signer: mnemonicSigner(PHRASE), log: quiet })
    expect(adapter.treasury).toBe(ACCOUNT)
    const { hash, bytes } = await local.sign(payment(eth, ETHER), ['0'], draftAt(1))
    expect(await sign(payment(eth, ETHER), 0)).toMatchObject({ hash, bytes })
  })

  it('may be signed again in its slot with another fee, and never for another order', async () => {
    const { sign, eth, usdc } = await openWorld()
    const first = await sign(payment(eth, ETHER), 7)
    const replacement = await sign(payment(eth, ETHER), 7, draftAt(2))
    expect(replacement.hash).not.toBe(first.hash)
    const others = [payment(eth, ETHER, BOB), payment(eth, ETHER + 1n), payment(usdc, 1n)]
    for (const other of others) await expect(sign(other, 7)).rejects.toThrow('was signed for another order')
    await sign(payment(eth, ETHER, BOB), 8)
  })

  it('may be cancelled in its slot, which stays bound to it; a slot cancelled first pays nothing', async () => {
    const { sign, eth } = await openWorld()
    const cancel: Order = { kind: 'cancel', account: ACCOUNT }
    await sign(payment(eth, ETHER), 7)
    const cancelled = await sign(cancel, 7, draftAt(2))
    // The transaction names only the account itself: 20 bytes after their length, then no value and no data.
    expect(cancelled.bytes).toContain(`94${ACCOUNT.slice(2).toLowerCase()}8080`)
    await sign(payment(eth, ETHER), 7, draftAt(3))
    await expect(sign(payment(eth, ETHER, BOB), 7)).rejects.toThrow('was signed for another order')
    await sign(cancel, 8)
    await expect(sign(payment(eth, ETHER), 8)).rejects.toThrow('was signed for another order')
  })

  it('signs one of two different orders that request the same slot at once', async () => {
    const { sign, eth } = await openWorld()
    const asked = [ALICE, BOB].map((to) => sign(payment(eth, ETHER, to), 3))
    const states = (await Promise.allSettled(asked)).map(({ status }) => status)
    expect(states.sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('the metrics of the signer', () => {
  it('count signatures and refusals from zero, and tell whether it can sign', async () => {
    const { sign, eth, url, journal } = await openWorld()
    const shown = async () => (await fetch(`${url}${PATHS.metrics}`)).text()
    expect(await shown()).toContain(`causeway_signer_signed_total{network="${NETWORK}"} 0`)
    await sign(payment(eth, ETHER), 0)
    await expect(sign(payment(eth, 3n * ETHER), 1)).rejects.toThrow(SignerRefusal)
    const text = await shown()
    expect(text).toContain(`causeway_signer_signed_total{network="${NETWORK}"} 1`)
    expect(text).toContain(`causeway_signer_refused_total{network="${NETWORK}"} 1`)
    expect(text).toMatch(/^causeway_signer_ready 1$/m)
    expect(text).toContain(`causeway_signer_journal_line ${journal.head().n}`)
    await journal.stop('rolled_back', {}, {})
    expect(await shown()).toMatch(/^causeway_signer_ready 0$/m)
  })
})

describe('the policy', () => {
  it('refuses an amount above the transaction limit, before and at signing', async () => {
    const { sign, signer, eth, usdc } = await openWorld()
    await sign(payment(eth, 2n * ETHER), 0)
    const order = payment(eth, 2n * ETHER + 1n)
    await expect(sign(order, 1)).rejects.toThrow(SignerRefusal)
    await expect(signer.review?.(NETWORK, order)).rejects.toThrow('above the ceiling of 2000000000000000000')
    await expect(sign(payment(usdc, 1_000_500_001n), 1)).rejects.toThrow('above the ceiling of 1000500000')
    await signer.review?.(NETWORK, payment(usdc, 1_000_500_000n))
  })

  it('is asked before an order gets a slot, so that a refused order blocks no other', async () => {
    const { signer, eth, catalogue } = await openWorld()
    const chain = (await openChains(catalogue, loadFamily, signer, quiet)).get(NETWORK)
    await expect(chain?.prepare(payment(eth, 3n * ETHER), null)).rejects.toThrow(SignerRefusal)
    // Without a node the call fails later, but not by a refusal of the signer.
    await expect(chain?.prepare(payment(eth, ETHER), null)).rejects.not.toThrow(SignerRefusal)
  })

  it('counts hourly outflow per token, a replacement once, and forgets it after an hour', async () => {
    const { sign, signer, eth, usdc, clock } = await openWorld()
    await sign(payment(eth, 2n * ETHER), 0)
    await sign(payment(eth, 2n * ETHER), 1)
    await sign(payment(eth, 2n * ETHER), 1, draftAt(2))
    await expect(sign(payment(eth, ETHER + 1n), 2)).rejects.toThrow('ceiling of an hour for native')
    await expect(signer.review?.(NETWORK, payment(eth, ETHER + 1n))).rejects.toThrow('ceiling of an hour')
    // The possible fees of the transactions count, too.
    await expect(sign(payment(eth, ETHER), 2)).rejects.toThrow('ceiling of an hour for native')
    await sign(payment(eth, ETHER - 10n ** 15n), 2)
    await sign(payment(usdc, 1_000_000n), 3)
    // The hourly limit is reached, but a fee bump of a signed payment is still allowed.
    await sign(payment(eth, 2n * ETHER), 1, draftAt(3))
    // The journal counts per minute: the hour is over when its first minute is.
    clock.now = new Date(clock.now.getTime() + HOUR_MS + MINUTE_MS)
    await sign(payment(eth, 2n * ETHER), 4)
  })

  it('refuses a destination that is not on its list', async () => {
    const { sign, eth } = await openWorld({ destinations: [ALICE.toLowerCase()] })
    await sign(payment(eth, 1n, ALICE), 0)
    await expect(sign(payment(eth, 1n, BOB), 1)).rejects.toThrow(`does not list the destination ${BOB}`)
  })

  it('signs a withdrawal only to an address that it lists for withdrawals', async () => {
    const withdrawal = (token: typeof eth, to: string): Order => ({
      ...{ kind: 'transfers', account: ACCOUNT },
      transfers: [{ to, amount: { token, units: 1n }, isWithdrawal: true }],
    })
    const { sign, signer, eth } = await openWorld({ destinations: [BOB], withdrawals: [ALICE.toLowerCase()] })
    await sign(withdrawal(eth, ALICE), 0)
    await signer.review?.(NETWORK, withdrawal(eth, ALICE))
    await expect(sign(withdrawal(eth, BOB), 1)).rejects.toThrow(`does not list ${BOB} for withdrawals`)
    await expect(signer.review?.(NETWORK, withdrawal(eth, BOB))).rejects.toThrow(SignerRefusal)
    // A payout to a user does not become possible by the list of withdrawals.
    await expect(sign(payment(eth, 1n, ALICE), 1)).rejects.toThrow(`does not list the destination ${ALICE}`)
    const unlisted = await openWorld()
    await expect(unlisted.sign(withdrawal(unlisted.eth, ALICE), 0)).rejects.toThrow('for withdrawals')
  })

  it('refuses a kind of order, a token and a network that it does not list', async () => {
    const { sign, signer, eth, usdc, adapter } = await openWorld({
      kinds: ['transfers'],
      tokens: { ETH: { max: '1', max_per_hour: '1' } },
    })
    const sweep: Order = { kind: 'sweep', account: ACCOUNT, token: eth, sources: [{ address: ALICE, index: 1 }] }
    await expect(sign(sweep, 0)).rejects.toThrow('allows no sweep')
    await expect(sign(payment(usdc, 1n), 0)).rejects.toThrow('does not list the token')
    await expect(signer.review?.('NOWHERE', payment(eth, 1n))).rejects.toThrow('NOWHERE')
    const order: Order = { kind: 'transfers', account: ACCOUNT, transfers: [], call: '{}' }
    await expect(signer.review?.(adapter.network.name, order)).rejects.toThrow('allows no call')
  })

  it('limits fees and the number of orders per hour', async () => {
    const { sign, eth } = await openWorld({ max_fee: '0.000021', max_orders_per_hour: 2 })
    await expect(sign(payment(eth, 1n), 0, draftAt(2))).rejects.toThrow('the fee may reach 42000000000000')
    await sign(payment(eth, 1n), 0)
    await sign(payment(eth, 1n), 1)
    await expect(sign(payment(eth, 1n), 2)).rejects.toThrow('orders of an hour')
  })

  it('lists every problem of its file at once', async () => {
    const { catalogue } = await testCatalogue(makeFolder().networks)
    const [entry] = Object.values(policyFile({ destinations: ['nobody'] }).networks)
    const tokens = {
      ETH: { max: '1', max_per_hour: '1' },
      USDC: { max: '0.0000001', max_per_hour: '1' },
      X: { max: '1', max_per_hour: '1' },
    }
    const file = { networks: { [NETWORK]: { ...entry, tokens }, NOWHERE: { tokens: {} } } }
    await expect(readPolicy(file, catalogue, loadFamily)).rejects.toThrow(
      /0\.0000001 has more than 6 decimals.*no token X.*nobody is no address.*NOWHERE: there is no such network/s,
    )
    await expect(
      readPolicy({ networks: { [NETWORK]: { tokens, maximum: 1 } } }, catalogue, loadFamily),
    ).rejects.toThrow('maximum')
  })
})

describe("the signer's answer", () => {
  const digest = createHash('sha256').update('a transfer of everything').digest()

  it('is a whole transaction, never the signature of a digest that could derive another key', async () => {
    const { signer, app, eth } = await openWorld()
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'], draft: draftAt(1) }
    await expect(signer.sign(TREASURY, digest, intent)).rejects.toThrow('no bare digest')
    await expect(signer.sign(TREASURY, digest, { read: '{}' })).rejects.toThrow('no bare digest')
    await expect(signer.sign(TREASURY, digest, { quote: 'a quote' })).rejects.toThrow('no bare digest')
    await expect(signer.sign(QUOTE_KEY, digest, intent)).rejects.toThrow('no bare digest')
    const headers = { authorization: `Bearer ${TOKEN}` }
    const body = { key: TREASURY, digest: digest.toString('hex'), intent: { quote: 'a quote' } }
    for (const url of ['/v1/sign', '/v1/quote']) {
      expect((await app.inject({ method: 'POST', url, headers, body })).statusCode).toBe(400)
    }
  })

  it('for a quote is a signature of its text with the quote key', async () => {
    const { signer } = await openWorld()
    expect(await signer.sign(QUOTE_KEY, Buffer.from('a quote'), { quote: 'a quote' })).toHaveLength(64)
    await expect(signer.sign(QUOTE_KEY, Buffer.from('a quote'), { quote: 'another' })).rejects.toThrow(
      'not a signature',
    )
  })

  it('is for the order in its slot, from a draft that the family understands', async () => {
    const { sign, eth } = await openWorld()
    await expect(sign(payment(eth, 1n), 0, '{}')).rejects.toThrow('cannot be signed')
    const order = { ...payment(eth, 1n), account: ACCOUNT.toLowerCase() }
    await expect(sign(order, 0)).rejects.toThrow('the account is not the wallet of this network')
  })

  it('is a refusal if a payment claims to be a cancellation', async () => {
    const { sign, eth } = await openWorld()
    await sign(payment(eth, ETHER), 7)
    const asked = sign(payment(eth, ETHER, BOB), 7, draftAt(2), { purpose: 'cancel' })
    await expect(asked).rejects.toThrow('the purpose is not that of the order')
    const cancel: Order = { kind: 'cancel', account: ACCOUNT }
    await expect(sign(cancel, 7, draftAt(2), { purpose: 'bump' })).rejects.toThrow('the purpose is not that')
  })

  it('is only for the database that claimed the journal first', async () => {
    const { sign, eth, url } = await openWorld()
    await expect(sign(payment(eth, 1n), 0, draftAt(1), { database: 'another' })).rejects.toThrow('other_database')
    await expect(claimJournal({ url, token: TOKEN, timeoutMs: 5_000 }, 'another')).rejects.toThrow(
      'belongs to a database',
    )
  })
})

describe('the journal of the signer', () => {
  it('returns the same bytes for an attempt whose answer was lost, even with another draft', async () => {
    const { orders, sign, eth } = await openWorld()
    const first = await sign(payment(eth, ETHER), 7)
    const again = await sign(payment(eth, ETHER), 7, draftAt(9), { attempt: 0, purpose: 'new' })
    expect(again).toEqual(first)
    expect(await orders.recorded({ network: NETWORK, account: ACCOUNT, slot: ['7'] })).toHaveLength(1)
  })

  it('pays no payout in two slots, and no deposit by two payouts, until the first slot is closed unpaid', async () => {
    const { orders, sign, eth } = await openWorld()
    const of = (id: string) => ({ payouts: [paid(id, ['d:ALPHA/tx/0'])] })
    await sign(payment(eth, 1n), 0, draftAt(1), of('a'))
    await expect(sign(payment(eth, 1n), 1, draftAt(1), of('a'))).rejects.toThrow('payout_signed')
    await expect(sign(payment(eth, 1n), 1, draftAt(1), of('b'))).rejects.toThrow('settled_before')
    const place = { network: NETWORK, account: ACCOUNT, slot: ['0'] }
    const lines = (await orders.recorded(place)).map(({ line }) => line.n)
    const closing = { ...place, outcome: 'unpaid', evidence: null, freed: [] } as const
    expect(await orders.close({ ...closing, freed: [], lines: [] }), 'a signature that was not judged').toBe(false)
    expect(await orders.close({ ...closing, freed: [], lines })).toBe(true)
    await sign(payment(eth, 1n), 1, draftAt(1), of('b'))
  })

  it('keeps fences, outflow and the database across a restart', async () => {
    const first = await openWorld()
    await first.sign(payment(first.eth, 2n * ETHER), 0)
    await first.sign(payment(first.eth, 2n * ETHER), 1)
    await first.stop()
    const { sign, eth, orders } = await openWorld({}, { folder: first.folder })
    await expect(sign(payment(eth, ETHER), 0)).rejects.toThrow('was signed for another order')
    await expect(sign(payment(eth, ETHER + 1n), 2)).rejects.toThrow('ceiling of an hour')
    expect((await orders.status()).hasSignatures).toBe(true)
    const lines = []
    for await (const entry of orders.lines(0)) lines.push(entry.content.type)
    expect(lines.filter((type) => type === 'signed')).toHaveLength(2)
  })

  it('does not release a slot because the service says so: its own nodes must prove that it is over', async () => {
    const { orders, sign, eth } = await openWorld()
    await sign(payment(eth, ETHER), 7)
    const place = { network: NETWORK, account: ACCOUNT, slot: ['7'] }
    const lines = (await orders.recorded(place)).map(({ line }) => line.n)
    await orders.close({ ...place, outcome: 'unpaid', evidence: null, freed: ['7'], lines })
    await expect(sign(payment(eth, ETHER, BOB), 7)).rejects.toThrow('was signed for another order')
  })

  it('stops signing when the service finds a rollback, and resumes only with permission on its own machine', async () => {
    const { orders, sign, eth, folder } = await openWorld()
    await orders.saveMark({ writer: [5, 0] })
    expect((await orders.status()).mark).toEqual({ writer: [5, 0] })
    await orders.stop('rolled_back', { writer: [3, 0] })
    await expect(sign(payment(eth, 1n), 0)).rejects.toThrow('stopped')
    await expect(orders.resume({ writer: [3, 0] }, 'ada')).rejects.toThrow('npm run signer -- resume')
    writeFileSync(path.join(folder, 'resume'), '')
    await orders.resume({ writer: [3, 0] }, 'ada')
    expect(await orders.status()).toMatchObject({ state: 'running', mark: { writer: [3, 0] } })
    await sign(payment(eth, 1n), 0)
    await expect(orders.resume({ writer: [0, 0] }, 'ada')).rejects.toThrow('npm run signer -- resume')
  })
})

describe('the HTTP server', () => {
  it('rejects requests without the token', async () => {
    const { url, app } = await openWorld()
    const stranger = remoteSigner({ url, token: TOKEN.toUpperCase(), timeoutMs: 5_000 })
    await expect(stranger.publicKey(TREASURY)).rejects.toThrow('401')
    for (const url of Object.values(PATHS).filter((one) => one !== PATHS.health && one !== PATHS.metrics)) {
      expect((await app.inject({ method: 'POST', url, body: {} })).statusCode).toBe(401)
    }
    expect((await app.inject({ method: 'GET', url: '/v1/health' })).statusCode).toBe(200)
  })

  it('answers an invalid request with 400 and names the field', async () => {
    const { app } = await openWorld()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await app.inject({ method: 'POST', url: '/v1/sign', headers, body: { database: 1 } })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().reason).toContain('database')
  })
})
