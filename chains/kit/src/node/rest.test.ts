import { expect, test } from 'vitest'
import { NodeFailure, NodeRefusal, UnreadableAnswer } from '../pool/nodes.ts'
import { type RestAnswer, type RestCall, restNode } from './rest.ts'

class No extends NodeRefusal {}

/** A server that always gives this response, and the requests it received. */
function serverSaying(said: Response) {
  const asked: { url: string; method: string; body: unknown; headers: unknown }[] = []
  const counted: string[] = []
  const send = async (url: string, { method = 'GET', body, headers }: RequestInit) => {
    asked.push({ url, method, body, headers })
    return said
  }
  const unwrapped = ({ status, body }: RestAnswer) => {
    if (status === 200) return body
    throw new No(String(body))
  }
  const options = { timeoutMs: 1_000, spent: (method: string) => void counted.push(method) }
  return { asked, counted, node: restNode(send, 'https://key@host.example/v1//', options, unwrapped) }
}

const LOOK: RestCall<string> = {
  name: 'look',
  path: 'things/7',
  read(answer) {
    if (typeof answer !== 'string') throw new TypeError('no text')
    return answer
  },
}

test('a request goes to its path, is a POST if it has a body, and is counted under its name', async () => {
  const { node, asked, counted } = serverSaying(Response.json('seven'))
  expect(await node.ask(LOOK)).toBe('seven')
  const other = serverSaying(Response.json('done'))
  expect(await other.node.ask({ ...LOOK, body: { n: 7 }, headers: { 'x-key': 'k' } })).toBe('done')
  const [url, type] = ['https://key@host.example/v1/things/7', 'application/json']
  expect(asked).toEqual([{ url, method: 'GET', body: undefined, headers: { 'content-type': type } }])
  expect(other.asked).toEqual([
    { url, method: 'POST', body: '{"n":7}', headers: { 'content-type': type, 'x-key': 'k' } },
  ])
  expect([node.name, counted]).toEqual(['host.example', ['look']])
})

test('a refusal is not treated as a failure', async () => {
  const { node } = serverSaying(Response.json('not for you', { status: 400 }))
  await expect(node.ask(LOOK)).rejects.toThrow(new No('not for you'))
})

test.each([401, 403, 429, 500, 502, 503, 504])(
  '%d is a failure of the node, and its Retry-After is honoured',
  async (status) => {
    const { node } = serverSaying(Response.json('no', { status, headers: { 'retry-after': '7' } }))
    const failure = await node.ask(LOOK).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NodeFailure)
    expect(failure).toMatchObject({ message: `node host.example failed: HTTP ${status}`, restMs: 7_000 })
  },
)

test('a body that is not JSON or cannot be decoded is a failure of the server', async () => {
  const page = serverSaying(new Response('<html>'))
  await expect(page.node.ask(LOOK)).rejects.toThrow(NodeFailure)
  const number = serverSaying(Response.json(7))
  const words = 'node host.example gave an answer to look that cannot be read: TypeError: no text'
  await expect(number.node.ask(LOOK)).rejects.toThrow(new UnreadableAnswer(words))
})
