/** The watchdog's source, its stored interface, its double and the adapter agree. */
import { readFileSync } from 'node:fs'
import { CallData, createAbiParser, events, hash } from 'starknet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selector } from '../../src/hashing.ts'
import { WATCHDOG } from './test-network.ts'
import { startChain, type TestChain } from './testbed.ts'

const FOLDER = new URL('../../../../contracts/starknet/', import.meta.url)
const source = readFileSync(new URL('watchdog.cairo', FOLDER), 'utf8')
const abi = JSON.parse(readFileSync(new URL('watchdog.abi.json', FOLDER), 'utf8'))

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain?.local.stop())

test('the source uses only the language, stores nothing and has no owner', () => {
  const own = source.split('#[cfg(test)]')[0] ?? ''
  const imports = [...own.matchAll(/^\s*use (.+);$/gm)].map(([, what]) => what)
  expect(imports).toEqual(['starknet::{ContractAddress, get_caller_address}'])
  expect(own).toMatch(/struct Storage \{\}/)
  expect(own).not.toMatch(/constructor|replace_class|call_contract|library_call|l1_handler/)
})

test('function and event of the stored interface are those of the source', () => {
  const [, name, argument] = /fn (\w+)\(ref self: TState, (\w+): felt252\);/.exec(source) ?? []
  const fields = [...(/struct Watched \{([^}]*)\}/.exec(source)?.[1] ?? '').matchAll(/#\[key\]\s+(\w+): (\w+)/g)]
  const [, face, watched] = abi
  expect(face.items).toMatchObject([{ name, inputs: [{ name: argument, type: 'core::felt252' }], outputs: [] }])
  expect(watched.members.map(({ name: field, kind }: Record<string, string>) => [field, kind])).toEqual(
    fields.map(([, field]) => [field, 'key']),
  )
  expect(`0x${selector(name ?? '').toString(16)}`).toBe(
    '0x54cd8cfffad75abfde6525af316085ef4b5d27975ed55042d341c61d19c7a4',
  )
  expect(selector('Watched')).toBe(BigInt(hash.getSelectorFromName('Watched')))
})

test('the double’s event decodes by that interface to caller and reference', async () => {
  const tx = await chain.send(chain.user, [{ to: BigInt(WATCHDOG), entrypoint: 'watch', calldata: [77n] }])
  const receipt = {
    method: 'starknet_getTransactionReceipt',
    params: [{ transaction_hash: tx }],
    read: (raw: unknown) => raw,
  }
  const [{ events: emitted }] = (await chain.node.ask([receipt])) as [{ events: { from_address: string }[] }]
  const own = emitted.filter(({ from_address }) => BigInt(from_address) === BigInt(WATCHDOG))
  const [read, ...more] = events.parseEvents(
    own as never,
    events.getAbiEvents(abi),
    CallData.getAbiStruct(abi),
    CallData.getAbiEnum(abi),
    createAbiParser(abi),
  )
  expect(more).toEqual([])
  expect(read?.['watchdog::Watchdog::Watched']).toEqual({ caller: BigInt(chain.user.address), sequence_number: 77n })
})
