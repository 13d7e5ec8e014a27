/** The service's client of a signer process: which answers it accepts, and where it sends requests. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeyRef } from '@causeway/core'
import { afterEach, describe, expect, it } from 'vitest'
import { PATHS } from '../backends/protocol.ts'
import { remoteSigner } from '../backends/remote.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { remoteOrders } from '../orders/remote.ts'
import { QUOTE_KEY } from '../quotes/quote-key.ts'
import {
  ACCOUNT,
  ALICE,
  draftAt,
  makeFolder,
  NETWORK,
  orderSigning,
  PHRASE,
  payment,
  TOKEN,
  testCatalogue,
} from '../testing.ts'

const TREASURY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('the client', () => {
  async function serving(status: number, body: (path: string) => unknown): Promise<string> {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body(request.url ?? '')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise<void>((resolve) => void server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }
  const answering = async (status: number, body: (path: string) => unknown) =>
    remoteSigner({ url: await serving(status, body), token: TOKEN, timeoutMs: 500 })
  const keys = mnemonicSigner(PHRASE)
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

  it('detects a signer that signs another quote, with another key, or in another form', async () => {
    const [intent, words] = [{ quote: 'a quote' }, Buffer.from('a quote')]
    const public_key = hex(await keys.publicKey(QUOTE_KEY))
    const good = await keys.sign(QUOTE_KEY, words, intent)
    const lies = {
      'another quote': await keys.sign(QUOTE_KEY, Buffer.from('another'), intent),
      'another key': await keys.sign({ ...QUOTE_KEY, path: "m/44'/501'/0'" }, words, intent),
      'another form': good.slice(0, 63),
    }
    for (const lie of Object.values(lies)) {
      const signer = await answering(200, (url) => (url === PATHS.quote ? { signature: hex(lie) } : { public_key }))
      await expect(signer.sign(QUOTE_KEY, words, intent)).rejects.toThrow('not a signature of its key')
    }
    const honest = await answering(200, (url) => (url === PATHS.quote ? { signature: hex(good) } : { public_key }))
    expect(hex(await honest.sign(QUOTE_KEY, words, intent))).toBe(hex(good))
  })

  it('rejects a transaction of another slot or attempt', async () => {
    const { eth } = await testCatalogue(makeFolder().networks)
    const record = {
      ...{ network: NETWORK, account: ACCOUNT, slot: ['1'], attempt: 0, purpose: 'new', payouts: [] },
      ...{ line: { n: 2, hash: 'x' }, transfer: { hash: 'h', bytes: 'b', fee_ceiling: '1' } },
    }
    for (const lie of [{ slot: ['2'] }, { attempt: 1 }, { network: 'ELSEWHERE' }, { account: ALICE }]) {
      const url = await serving(200, () => ({ is: 'signed', record: { ...record, ...lie } }))
      const orders = remoteOrders({ url, token: TOKEN, timeoutMs: 500 })
      const asked = orderSigning(orders)(NETWORK, payment(eth, 1n), ['1'], draftAt(1), { attempt: 0 })
      await expect(asked).rejects.toThrow('another transaction')
    }
  })

  it('follows no redirect: the token and the order go to no other host', async () => {
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

  it('rejects an invalid public key', async () => {
    const signer = await answering(200, () => ({ public_key: '00'.repeat(33) }))
    await expect(signer.publicKey(TREASURY)).rejects.toThrow('not a public key')
  })

  it('waits for a signer that is down or failing, and asks it again', async () => {
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
