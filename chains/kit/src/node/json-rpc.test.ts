import { expect, it } from 'vitest'
import { endpointOf } from './json-rpc.ts'

it('takes user name and password out of a URL and decodes them', () => {
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
  expect(endpointOf('https://me:p%40ss@node.example:8332/path', 5)).toEqual({
    name: 'node.example:8332',
    url: 'https://node.example:8332/path',
    headers: { authorization },
    timeoutMs: 5,
  })
})

it('sends no login if the address has none', () => {
  expect(endpointOf('https://node.example/key', 5)).toMatchObject({ name: 'node.example', headers: {} })
})
