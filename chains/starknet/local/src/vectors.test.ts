/** Every encoding, hash and signature equals that of the network itself or of independent code. */
import type { Token } from '@causeway/core'
import { verify } from '@scure/starknet'
import { describe, expect, test } from 'vitest'
import { parseAddress } from '../../src/address.ts'
import { byteArrayHash, messageHash, structHash } from '../../src/depositing/typed-data.ts'
import { bytes32, hex, joinU256, padded, shortString, splitU256 } from '../../src/felt.ts'
import { contractAddress, pedersenList, poseidon, selector } from '../../src/hashing.ts'
import { isSignedBy } from '../../src/paying/treasury.ts'
import { readTransfer, sightingsIn } from '../../src/scanning/transfers.ts'
import {
  type Bounds,
  deployAccountHash,
  encodeCalls,
  feeCeiling,
  feeFields,
  invokeHash,
  readDeploy,
  readInvoke,
} from '../../src/transaction.ts'
import { accountAddress, isSigned, readSent } from './signature-checks.ts'
import vectors from './vectors.json' with { type: 'json' }

interface Vector<Input, Output> {
  id: string
  input: Input
  output: Output
}
const of = <Input = string, Output = string>(kind: string) =>
  vectors.filter((vector) => vector.kind === kind) as unknown as Vector<Input, Output>[]
type Event = { from_address: string; keys: string[]; data: string[] }
type Signed = Record<'hash' | 'public_key' | 'r' | 's', string>
/** In the form of a transaction's fields. */
interface Fields extends Record<string, unknown> {
  chain_id: string
  sender_address: string
}
interface Landing {
  type: string
  sender_address?: string | null
  execution_status: string
  receiver: string
  token: string
  watchdog: string
  events: Event[]
}
const numbers = (list: string[]) => list.map(BigInt)
const events = (list: Event[]) =>
  list.map((one) => ({ contract: BigInt(one.from_address), keys: numbers(one.keys), data: numbers(one.data) }))

test.each(of('short_string'))('$id', ({ input, output }) => expect(hex(shortString(input))).toBe(output))

test.each(of<string, string[]>('u256'))('$id', ({ input, output }) => {
  expect(splitU256(BigInt(input)).map(hex)).toEqual(output)
  const [low = 0n, high = 0n] = numbers(output)
  expect(joinU256(low, high)).toBe(BigInt(input))
})

test('a half of 128 bits or more is no number', () => {
  expect(joinU256(0n, 1n << 128n)).toBeNull()
  expect(joinU256(1n << 128n, 0n)).toBeNull()
})

test.each(of<string, string | null>('address'))('$id', ({ input, output }) => expect(parseAddress(input)).toBe(output))

test('an address that was cut off, or is one of Ethereum, is refused', () => {
  const whole = '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7'
  for (let digits = 1; digits < 64; digits++) expect(parseAddress(whole.slice(0, 2 + digits))).toBeNull()
  expect(parseAddress('0x52908400098527886E0F7030069857D2E4169EE7')).toBeNull()
})

test.each(of('selector'))('$id', ({ input, output }) => expect(hex(selector(input))).toBe(output))
test.each(of<string[]>('pedersen_many'))('$id', ({ input, output }) =>
  expect(hex(pedersenList(numbers(input)))).toBe(output),
)
test.each(of<string[]>('poseidon_many'))('$id', ({ input, output }) =>
  expect(hex(poseidon(numbers(input)))).toBe(output),
)

test.each(of<{ class_hash: string; salt: string; constructor_calldata: string[] }>('contract_address'))(
  '$id',
  ({ input, output }) => {
    const constructorCalldata = numbers(input.constructor_calldata)
    const deployment = { classHash: BigInt(input.class_hash), salt: BigInt(input.salt), constructorCalldata }
    expect(hex(contractAddress(deployment))).toBe(output)
    const rule = { classHash: input.class_hash, constructorCalldata: ['key'] }
    expect(accountAddress(rule, BigInt(input.salt)), 'the double agrees').toBe(BigInt(output))
  },
)

interface Limit {
  max_amount: string
  max_price_per_unit: string
}

const boundsOf = (raw: Record<string, Limit>): Bounds => {
  const one = (name: string) => ({
    amount: BigInt(raw[name]?.max_amount ?? 0),
    price: BigInt(raw[name]?.max_price_per_unit ?? 0),
  })
  return { l1Gas: one('l1_gas'), l1DataGas: one('l1_data_gas'), l2Gas: one('l2_gas') }
}

test.each(of<{ tip: string; resource_bounds: Record<string, Limit> }>('fee_field'))('$id', ({ input, output }) =>
  expect(hex(feeFields(BigInt(input.tip), boundsOf(input.resource_bounds)))).toBe(output),
)

/** In a node's form. */
const shown = (input: Record<string, unknown>, type: string) => ({ ...input, type, version: '0x3', signature: [] })

test.each(of<Fields>('invoke_v3'))('$id', ({ input, output, ...more }) => {
  const read = readInvoke(shown(input, 'INVOKE'))
  expect(hex(invokeHash(BigInt(input.chain_id), read as never))).toBe(output)
  expect(hex(readSent(input.chain_id, shown(input, 'INVOKE')).hash), 'the double agrees').toBe(output)
  if ('max_fee' in more && read) expect(feeCeiling(read)).toBe(BigInt(String(more.max_fee)))
})

test.each(of<Fields>('deploy_account_v3'))('$id', ({ input, output }) => {
  const read = readDeploy(shown(input, 'DEPLOY_ACCOUNT'))
  const sender = BigInt(input.sender_address)
  expect(hex(deployAccountHash(BigInt(input.chain_id), { ...(read as never as object), sender } as never))).toBe(output)
  const sent = readSent(input.chain_id, shown(input, 'DEPLOY_ACCOUNT'))
  expect([hex(sent.hash), sent.sender], 'the double agrees').toEqual([output, sender])
})

test.each(of<{ contractAddress: string; entrypoint: string; calldata: string[] }[], string[]>('execute_calldata'))(
  '$id',
  ({ input, output }) => {
    const calls = input.map((call) => ({
      to: BigInt(call.contractAddress),
      entrypoint: call.entrypoint,
      calldata: numbers(call.calldata),
    }))
    expect(encodeCalls(calls).map(hex)).toEqual(output)
  },
)

test.each(of<Signed, boolean>('signature_valid'))('$id', ({ input, output }) => {
  const signature = [BigInt(input.r), BigInt(input.s)]
  const account = { publicKey: BigInt(input.public_key) } as never
  expect(isSignedBy(account, BigInt(input.hash), signature)).toBe(output)
  expect(isSigned(BigInt(input.public_key), BigInt(input.hash), signature), 'the double agrees').toBe(output)
  expect(isSignedBy(account, BigInt(input.hash) + 1n, signature)).toBe(false)
  expect(isSigned(BigInt(input.public_key), BigInt(input.hash) + 1n, signature)).toBe(false)
})

test('a hash that the curve cannot sign is rejected, whatever the signature', () => {
  expect(isSignedBy({ publicKey: 5n } as never, 1n << 251n, [1n, 1n])).toBe(false)
  expect(() => verify(new Uint8Array(64), bytes32(1n << 251n), new Uint8Array(33))).toThrow()
})

test('a refund address proven by signature', () => {
  interface Refund {
    account: string
    typed_data: { domain: Record<string, string>; message: Record<string, string> }
  }
  const [vector] = of<Refund>('typed_data').filter(({ id }) => id.startsWith('a refund'))
  if (!vector) throw new Error('the vector is missing')
  const { account, typed_data: data } = vector.input
  const { swap = '', network = '', refund_address: address = '' } = data.message
  const { name = '', version = '', chainId = '' } = data.domain
  const type = '"Refund"("swap":"string","network":"shortstring","refund_address":"ContractAddress")'
  const message = structHash(type, [byteArrayHash(swap), shortString(network), BigInt(address)])
  const domain = { name, version: BigInt(version), chainId: shortString(chainId) }
  expect(hex(messageHash(domain, BigInt(account), message))).toBe(vector.output)
})

test.each(of<Event, { token: string; from: string; to: string; units?: string } | null>('transfer_event'))(
  '$id',
  ({ input, output }) => {
    const [event] = events([input])
    const read = event ? readTransfer(event) : null
    if (output === null || output.units === undefined) {
      expect(read).toBeNull()
      return
    }
    const { token, from, to, units } = output
    expect(read).toEqual({ contract: BigInt(token), from: BigInt(from), to: BigInt(to), units: BigInt(units) })
  },
)

describe('a deposit is a transfer and a number by the same caller', () => {
  test.each(of<Landing, object[]>('pair'))('$id', ({ input, output }) => {
    const token = { symbol: 'USDC', contract: padded(BigInt(input.token)) } as Token
    const known = { tokens: new Map([[BigInt(input.token), token]]), watchdog: BigInt(input.watchdog) }
    const landing = {
      hash: '0x1',
      block: null,
      type: input.type,
      sender: input.sender_address === undefined || input.sender_address === null ? null : BigInt(input.sender_address),
      succeeded: input.execution_status === 'SUCCEEDED',
      events: events(input.events),
    }
    const receiver = padded(BigInt(input.receiver))
    const found = sightingsIn(known, landing, new Set([receiver]))
    expect(
      found.map(({ index, amount, reference, refundableSender: from }) => ({
        index,
        units: `${amount.units}`,
        reference: reference === null ? null : `${reference}`,
        from: from === null ? null : hex(BigInt(from)),
      })),
    ).toEqual(output)
  })
})
