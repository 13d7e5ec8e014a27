import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { RetryLater } from '@causeway/core'
import { describe, expect, it } from 'vitest'
import { httpScreener } from './http.ts'
import { denyList } from './list.ts'
import { allOf } from './screener.ts'

const suspects = [
  { network: 'A', address: '0xAbC' },
  { network: 'A', address: '0xdef' },
]

describe('the deny list', () => {
  it('matches an address in any case, and reloads the file when it changes', async () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-deny-')), 'list.txt')
    writeFileSync(file, '# none\n')
    const screener = denyList(file)
    expect(await screener.screen(suspects)).toBeNull()
    writeFileSync(file, '0xABC # somebody\n')
    utimesSync(file, new Date(), new Date(Date.now() + 5_000))
    expect(await screener.screen(suspects)).toMatchObject({ address: '0xAbC' })
  })

  it('must exist when the service starts', () => {
    expect(() => denyList('/nowhere/list.txt')).toThrow('SCREENING_FILE')
  })
})

describe('a screening service', () => {
  async function withServer<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }

  it('is called with its token, and its hit is returned', async () => {
    const seen: unknown[] = []
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization)
      request.on('data', (chunk) => seen.push(JSON.parse(String(chunk))))
      request.on('end', () => response.end(JSON.stringify({ hits: [{ ...suspects[1], reason: 'sanctioned' }] })))
    }
    const hit = await withServer(answer, (url) => allOf([httpScreener(url, 'secret')]).screen(suspects))
    expect(hit).toEqual({ network: 'A', address: '0xdef', reason: 'sanctioned' })
    expect(seen).toEqual(['Bearer secret', { addresses: suspects }])
  })

  it.each([
    ['fails', (_: unknown, response: Parameters<RequestListener>[1]) => response.writeHead(500).end()],
    ['talks nonsense', (_: unknown, response: Parameters<RequestListener>[1]) => response.end('{"ok":true}')],
    [
      'redirects',
      (_: unknown, response: Parameters<RequestListener>[1]) => response.writeHead(302, { location: '/x' }).end(),
    ],
  ])('that %s gives an unknown result, which is not the same as clean', async (_, answer) => {
    await expect(withServer(answer, (url) => httpScreener(url, null).screen(suspects))).rejects.toThrow(RetryLater)
  })
})
