/** Who must agree where money depends on it: providers, not addresses. */
import { expect, test } from 'vitest'
import { RetryLater } from './errors.ts'
import { poolNodes } from './nodes.ts'
import { countProviders } from './provider.ts'

/** Each is called by its host, and answers with what it is said to say. */
function poolOf(says: Record<string, string>) {
  const asked: string[] = []
  const pool = poolNodes({
    network: 'BASE_MAINNET',
    nodes: Object.keys(says).map((name) => ({ name })),
    verify: async () => {},
    quorum: 2,
    log: { info() {}, warn() {}, error() {} },
    now: () => 0,
  })
  const agreed = () =>
    pool.agreed(
      async ({ name }) => {
        asked.push(name)
        return says[name] ?? ''
      },
      (answer) => answer,
    )
  return { agreed, asked, pool }
}

test('two addresses of one provider that tell the same are one voice', async () => {
  const lying = poolOf({ 'rpc.one.example': 'lie', 'rpc.one.example:8443': 'lie', 'rpc.two.example': 'truth' })
  await expect(lying.agreed()).rejects.toThrow(RetryLater)
  await expect(lying.agreed()).rejects.toThrow('they differ')
  const alone = poolOf({ 'rpc.one.example': 'same', 'rpc.one.example.:8443': 'same' })
  await expect(alone.agreed()).rejects.toThrow('fewer than 2 providers')
})

test('nodes of different providers are asked first, and those who say the same decide', async () => {
  const { agreed, asked, pool } = poolOf({
    'rpc.one.example': 'truth',
    'rpc.one.example:8443': 'truth',
    'rpc.two.example': 'truth',
  })
  expect(await agreed()).toBe('truth')
  expect(asked).toEqual(['rpc.one.example', 'rpc.two.example'])
  expect(pool.health().map(({ differed }) => differed)).toEqual([0, 0, 0])
})

test('the ports of this machine are programs of their own', async () => {
  expect(await poolOf({ '127.0.0.1:8545': 'same', '127.0.0.1:8546': 'same' }).agreed()).toBe('same')
  expect(
    countProviders(['http://127.0.0.1:1', 'http://127.0.0.1:2', 'https://a.example', 'https://A.example:444/k']),
  ).toBe(3)
})
