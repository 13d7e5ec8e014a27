/**
 * Chain ids, account addresses, signed reads and payouts equal those of the exchange's own kit and of independent code.
 */
import type { Network, Token } from '@causeway/core'
import { family } from '@causeway/paradex'
import { sign } from '@scure/starknet'
import { hash, transaction } from 'starknet'
import { expect, test } from 'vitest'
import { paradex } from '../../src/paradex.ts'
import { depositCalls } from '../../src/payout-calls.ts'
import { payloadHash, requestHasher } from '../../src/signed-reads.ts'
import { testNetwork, USDC } from './test-network.ts'
import vectors from './vectors.json' with { type: 'json' }

interface Vector<Input, Output> {
  id: string
  input: Input
  output: Output
}
const of = <Input = string, Output = string>(kind: string) =>
  vectors.filter((vector) => vector.kind === kind) as unknown as Vector<Input, Output>[]
interface Call {
  contractAddress: string
  entrypoint: string
  calldata: string[]
}
const hex = (value: bigint) => `0x${value.toString(16)}`
const MAINNET = '0x505249564154455f534e5f50415241434c4541525f4d41494e4e4554'

test('the id of the network with real money is known as such', () => {
  const network = (chainId: string): Network => ({ ...testNetwork(), chainId })
  const [main, ...others] = of('short_string')
  expect(main?.output).toBe(MAINNET)
  expect(family.holdsRealMoney?.(network(MAINNET))).toBe(true)
  for (const { output } of others) expect(family.holdsRealMoney?.(network(output))).toBe(false)
})

test.each(of<{ salt: string; constructor_calldata: string[] }>('contract_address'))(
  '$id',
  async ({ input, output }) => {
    const key = Uint8Array.from(Buffer.from(BigInt(input.salt).toString(16).padStart(64, '0'), 'hex'))
    const signer = { publicKey: async () => key, sign: async () => new Uint8Array(64) }
    expect(BigInt(await family.treasury(testNetwork(), signer))).toBe(BigInt(output))
    const made = paradex.profileOf(testNetwork()).constructorCalldata(BigInt(input.salt))
    expect(made.map(hex)).toEqual(input.constructor_calldata)
  },
)

test.each(of('paradex_payload'))('$id', ({ input, output }) => expect(hex(payloadHash(input))).toBe(output))

test('a body of whole words has no rest', () => {
  const words = 'x'.repeat(62)
  const number = (text: string) => BigInt(`0x${Buffer.from(text).toString('hex')}`)
  const expected = hash.computePoseidonHashOnElements([2n, number('x'.repeat(31)), number('x'.repeat(31))])
  expect(hex(payloadHash(words))).toBe(expected)
})

test('a request is signed over its account, its very text, the time and the version', () => {
  type Asked = { typed_data: { message: Record<string, string> } }
  const [vector] = of<Asked>('typed_data').filter(({ id }) => id.startsWith('RPC'))
  const [signed] = of<{ private_key: string }, { r: string; s: string }>('signature').filter(({ id }) =>
    id.startsWith('RPC'),
  )
  const [payload] = of('paradex_payload')
  const { account = '', timestamp = '' } = vector?.input.typed_data.message ?? {}
  const digest = requestHasher(BigInt(MAINNET), BigInt(account))(payload?.input ?? '', Number(timestamp))
  expect(hex(digest)).toBe(vector?.output)
  const { r, s } = sign(digest.toString(16).padStart(64, '0'), signed?.input.private_key ?? '')
  expect({ r: hex(r), s: hex(s) }).toEqual(signed?.output)
})

test('payout into the trading balance', () => {
  const [vector] = of<Call[], string[]>('execute_calldata')
  const token = { symbol: 'USDC', contract: null, decimals: 6 } as Token
  const [, deposit] = vector?.input ?? []
  if (!deposit) throw new Error('the vector is missing')
  const to = `0x${BigInt(deposit.calldata[0] ?? 0)
    .toString(16)
    .padStart(64, '0')}`
  const calls = depositCalls(deposit.contractAddress, USDC, [{ to, amount: { token, units: 12_345_678n } }])
  const written = calls.map(({ to: at, entrypoint, calldata }) => ({
    ...{ contractAddress: `0x${at.toString(16).padStart(64, '0')}`, entrypoint },
    calldata: calldata.map(hex),
  }))
  expect(written).toEqual(vector?.input)
  expect(transaction.getExecuteCalldata(written, '1').map((one) => hex(BigInt(String(one))))).toEqual(vector?.output)
})

test('a token of other decimals than six is not paid through Paraclear', () => {
  const token = { symbol: 'USDC', contract: null, decimals: 18 } as Token
  expect(() => depositCalls(USDC, USDC, [{ to: USDC, amount: { token, units: 1n } }])).toThrow('six decimals')
})
