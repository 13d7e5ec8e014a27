import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { KeyRef, Order, Signer } from '@causeway/core'
import { afterEach, describe, expect, it } from 'vitest'
import { loadFamily, openChains } from '../../catalogue/chains.ts'
import { createLog } from '../../observe/log.ts'
import { SignerRefusal } from '../backends/refusal.ts'
import { remoteSigner } from '../backends/remote.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { QUOTE_KEY } from '../quotes/quote-key.ts'
import {
  ACCOUNT,
  ALICE,
  BOB,
  draftAt,
  ETHER,
  makeFolder,
  NETWORK,
  PHRASE,
  payment,
  policyFile,
  quiet,
  TOKEN,
  testCatalogue,
} from '../testing.ts'
import { createDigestVerifier } from './digest-verifier.ts'
import { openJournal } from './journal.ts'
import { readPolicy } from './policy.ts'
import { createSignerApp } from './signer-app.ts'

const TREASURY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
const HOUR_MS = 3_600_000
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The signer's app on a port of its own, and the EVM family that signs through it. */
async function openWorld(changes: Record<string, unknown> = {}, keys: Signer = mnemonicSigner(PHRASE)) {
  const { folder, networks } = makeFolder()
  const { catalogue, network, eth, usdc } = await testCatalogue(networks)
  const log = createLog('silent')
  const clock = { now: new Date('2026-11-15T12:00:00Z') }
  const journal = await openJournal(path.join(folder, 'journal'))
  const app = createSignerApp({
    catalogue,
    signer: keys,
    policy: await readPolicy(policyFile(changes), catalogue, loadFamily),
    journal,
    ...createDigestVerifier(catalogue, loadFamily, mnemonicSigner(PHRASE), log),
    token: TOKEN,
    now: () => clock.now,
    log,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  cleanups.push(
    () => journal.close(),
    async () => void (await app.close()),
  )
  const signer = remoteSigner({ url, token: TOKEN, timeoutMs: 5_000 })
  const family = await loadFamily('evm')
  const adapter = await family.open({ network, signer, log: quiet })
  const sign = (order: Order, nonce: number, draft = draftAt(1)) => adapter.sign(order, [String(nonce)], draft)
  return { url, signer, adapter, sign, eth, usdc, clock, app, catalogue }
}

describe('a payout through the remote signer', () => {
  it('is signed as the local key would sign it', async () => {
    const { sign, eth, adapter } = await openWorld()
    const family = await loadFamily('evm')
    const local = await family.open({ network: adapter.network, signer: mnemonicSigner(PHRASE), log: quiet })
    expect(adapter.treasury).toBe(ACCOUNT)
    expect(await sign(payment(eth, ETHER), 0)).toEqual(await local.sign(payment(eth, ETHER), ['0'], draftAt(1)))
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

  it('may be cancelled in its slot, which stays bound to it; a slot that was cancelled first pays nobody', async () => {
    const { sign, eth } = await openWorld()
    const cancel: Order = { kind: 'cancel', account: ACCOUNT }
    await sign(payment(eth, ETHER), 7)
    const cancelled = await sign(cancel, 7, draftAt(2))
    // The account itself is all that it names: 20 bytes behind their length, then no value and no data.
    expect(cancelled.bytes).toContain(`94${ACCOUNT.slice(2).toLowerCase()}8080`)
    await sign(payment(eth, ETHER), 7, draftAt(3))
    await expect(sign(payment(eth, ETHER, BOB), 7)).rejects.toThrow('was signed for another order')
    await sign(cancel, 8)
    await expect(sign(payment(eth, ETHER), 8)).rejects.toThrow('was signed for another order')
  })

  it('signs one of two different orders that ask for the same slot at once', async () => {
    const { sign, eth } = await openWorld()
    const asked = [ALICE, BOB].map((to) => sign(payment(eth, ETHER, to), 3))
    const states = (await Promise.allSettled(asked)).map(({ status }) => status)
    expect(states.sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('the policy', () => {
  it('refuses what is above the ceiling of a transaction, before and at signing', async () => {
    const { sign, signer, eth, usdc } = await openWorld()
    await sign(payment(eth, 2n * ETHER), 0)
    const order = payment(eth, 2n * ETHER + 1n)
    await expect(sign(order, 1)).rejects.toThrow(SignerRefusal)
    await expect(signer.review?.(NETWORK, order)).rejects.toThrow('above the ceiling of 2000000000000000000')
    await expect(sign(payment(usdc, 1_000_500_001n), 1)).rejects.toThrow('above the ceiling of 1000500000')
    await signer.review?.(NETWORK, payment(usdc, 1_000_500_000n))
  })

  it('is asked before an order gets a slot, so that a refused one blocks nobody', async () => {
    const { signer, eth, catalogue } = await openWorld()
    const chain = (await openChains(catalogue, loadFamily, signer, quiet)).get(NETWORK)
    await expect(chain?.prepare(payment(eth, 3n * ETHER), null)).rejects.toThrow(SignerRefusal)
    // Without a node it can get no further than that.
    await expect(chain?.prepare(payment(eth, ETHER), null)).rejects.not.toThrow(SignerRefusal)
  })

  it('counts an hour of outflow by token, a replacement once, and lets it pass with time', async () => {
    const { sign, signer, eth, usdc, clock } = await openWorld()
    await sign(payment(eth, 2n * ETHER), 0)
    await sign(payment(eth, 2n * ETHER), 1)
    await sign(payment(eth, 2n * ETHER), 1, draftAt(2))
    await expect(sign(payment(eth, ETHER + 1n), 2)).rejects.toThrow('ceiling of an hour for native')
    await expect(signer.review?.(NETWORK, payment(eth, ETHER + 1n))).rejects.toThrow('ceiling of an hour')
    // What the transactions may cost counts too.
    await expect(sign(payment(eth, ETHER), 2)).rejects.toThrow('ceiling of an hour for native')
    await sign(payment(eth, ETHER - 10n ** 15n), 2)
    await sign(payment(usdc, 1_000_000n), 3)
    // The hour is full, and what was signed for already may still be replaced.
    await sign(payment(eth, 2n * ETHER), 1, draftAt(3))
    clock.now = new Date(clock.now.getTime() + HOUR_MS)
    await sign(payment(eth, 2n * ETHER), 4)
  })

  it('refuses a destination that is not on its list', async () => {
    const { sign, eth } = await openWorld({ destinations: [ALICE.toLowerCase()] })
    await sign(payment(eth, 1n, ALICE), 0)
    await expect(sign(payment(eth, 1n, BOB), 1)).rejects.toThrow(`does not list the destination ${BOB}`)
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

  it('bounds fees and the number of orders in an hour', async () => {
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

describe('the digest', () => {
  const digest = createHash('sha256').update('a transfer of everything').digest()

  it('is not signed where it is not that of the order', async () => {
    const { signer, eth } = await openWorld()
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'] }
    await expect(signer.sign(TREASURY, digest, { ...intent, draft: draftAt(1) })).rejects.toThrow(
      'not that of the order',
    )
    await expect(signer.sign(TREASURY, digest, intent)).rejects.toThrow('does not prove')
    await expect(signer.sign(TREASURY, digest, { ...intent, draft: '{}' })).rejects.toThrow('cannot be signed')
    const elsewhere = { ...intent, slot: ['00'], draft: draftAt(1) }
    await expect(signer.sign(TREASURY, digest, elsewhere)).rejects.toThrow('cannot be signed')
  })

  it('is not signed with another key than the order needs', async () => {
    const { url, adapter, eth } = await openWorld()
    const seen: Uint8Array[] = []
    const spy: Signer = {
      publicKey: mnemonicSigner(PHRASE).publicKey,
      sign: (key, bytes, intent) => {
        seen.push(bytes)
        return mnemonicSigner(PHRASE).sign(key, bytes, intent)
      },
    }
    const family = await loadFamily('evm')
    await (await family.open({ network: adapter.network, signer: spy, log: quiet })).sign(
      payment(eth, 1n),
      ['0'],
      draftAt(1),
    )
    const [bytes = new Uint8Array()] = seen
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'], draft: draftAt(1) }
    const signer = remoteSigner({ url, token: TOKEN, timeoutMs: 5_000 })
    const other = { ...TREASURY, path: "m/44'/60'/0'/0/1" }
    await expect(signer.sign(other, bytes, intent)).rejects.toThrow('not that of the order')
    expect(await signer.sign(TREASURY, bytes, intent)).toHaveLength(65)
  })

  it('is believed for the keys that the policy names, and for no other', async () => {
    const path = "m/44'/501'/0'/0'"
    const { signer, eth } = await openWorld({ unproven_keys: ["m/44'/501'/*"] })
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'] }
    expect(await signer.sign({ curve: 'ed25519', path }, digest, intent)).toHaveLength(64)
    for (const other of ["m/44'/501'", "m/44'/5010'/0'", "m/44'/50'/0'"]) {
      const key = { curve: 'ed25519', path: other } as const
      await expect(signer.sign(key, digest, intent)).rejects.toThrow('does not prove')
    }
    await expect(signer.sign(TREASURY, digest, intent)).rejects.toThrow('does not prove')
  })

  it('of a quote is its own words, signed with the key of quotes only', async () => {
    const { signer, eth } = await openWorld()
    const words = Buffer.from('a quote')
    expect(await signer.sign(QUOTE_KEY, words, { quote: 'a quote' })).toHaveLength(64)
    await expect(signer.sign(TREASURY, digest, { quote: 'a quote' })).rejects.toThrow('own key')
    await expect(signer.sign(QUOTE_KEY, words, { quote: 'another' })).rejects.toThrow('own words')
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'], draft: draftAt(1) }
    await expect(signer.sign(QUOTE_KEY, words, intent)).rejects.toThrow('signs no transfer')
  })
})

describe('the door', () => {
  it('lets nobody in without the token', async () => {
    const { url, app } = await openWorld()
    const stranger = remoteSigner({ url, token: TOKEN.toUpperCase(), timeoutMs: 5_000 })
    await expect(stranger.publicKey(TREASURY)).rejects.toThrow('401')
    for (const url of ['/v1/public-key', '/v1/review', '/v1/sign']) {
      expect((await app.inject({ method: 'POST', url, body: {} })).statusCode).toBe(401)
    }
    expect((await app.inject({ method: 'GET', url: '/v1/health' })).statusCode).toBe(200)
  })

  it('answers what it does not understand with 400, and says where', async () => {
    const { app } = await openWorld()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await app.inject({ method: 'POST', url: '/v1/sign', headers, body: { key: 1 } })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().reason).toContain('key')
  })
})

describe('the client', () => {
  async function answering(status: number, body: (path: string) => unknown) {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body(request.url ?? '')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    return remoteSigner({ url: `http://127.0.0.1:${port}`, token: TOKEN, timeoutMs: 500 })
  }
  const keys = mnemonicSigner(PHRASE)
  const digest = createHash('sha256').update('x').digest()
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

  it('catches a signer that signs something else, or with another key, or in another form', async () => {
    const { eth } = await testCatalogue(makeFolder().networks)
    const intent = { network: NETWORK, order: payment(eth, 1n), slot: ['0'] }
    const public_key = hex(await keys.publicKey(TREASURY))
    const good = await keys.sign(TREASURY, digest, intent)
    const lies = {
      'another digest': await keys.sign(TREASURY, createHash('sha256').update('y').digest(), intent),
      'another key': await keys.sign({ ...TREASURY, path: "m/44'/60'/0'/0/1" }, digest, intent),
      'the wrong recovery bit': Uint8Array.from([...good.slice(0, 64), 1 - (good[64] ?? 0)]),
      'no recovery bit': good.slice(0, 64),
    }
    for (const lie of Object.values(lies)) {
      const signer = await answering(200, (url) => (url.endsWith('sign') ? { signature: hex(lie) } : { public_key }))
      await expect(signer.sign(TREASURY, digest, intent)).rejects.toThrow('no signature of its key')
    }
    const honest = await answering(200, (url) => (url.endsWith('sign') ? { signature: hex(good) } : { public_key }))
    expect(hex(await honest.sign(TREASURY, digest, intent))).toBe(hex(good))
  })

  it('follows no redirect: the token and the order go nowhere else', async () => {
    const asked: string[] = []
    const public_key = hex(await keys.publicKey(TREASURY))
    const listening = async (answer: (response: ServerResponse) => void) => {
      const server = createServer((request, response) => {
        asked.push(request.headers.host ?? '')
        request.resume()
        answer(response)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      cleanups.push(() => new Promise<void>((resolve) => void server.close(() => resolve())))
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const thief = await listening((response) => response.writeHead(200).end(JSON.stringify({ public_key })))
    const door = await listening((response) => response.writeHead(307, { location: `http://${thief}/` }).end())
    const signer = remoteSigner({ url: `http://${door}`, token: TOKEN, timeoutMs: 5_000 })
    await expect(signer.publicKey(TREASURY)).rejects.toMatchObject({ name: 'SignerUnavailable' })
    expect(asked).toEqual([door])
  })

  it('takes no public key that is none', async () => {
    const signer = await answering(200, () => ({ public_key: '00'.repeat(33) }))
    await expect(signer.publicKey(TREASURY)).rejects.toThrow('no public key')
  })

  it('waits for a signer that is away or ill, and asks it again', async () => {
    const away = remoteSigner({ url: 'http://127.0.0.1:9', token: TOKEN, timeoutMs: 500 })
    await expect(away.publicKey(TREASURY)).rejects.toMatchObject({ name: 'SignerUnavailable' })
    const ill = await answering(503, () => ({ error: 'unavailable', reason: 'no disk' }))
    await expect(ill.publicKey(TREASURY)).rejects.toMatchObject({
      name: 'SignerUnavailable',
      message: 'the signer answers 503: no disk',
    })
    await expect(ill.publicKey(TREASURY)).rejects.toThrow('503')
  })
})
