/** The recorded schema of fuel-core: our documents are valid in it, and the local chain answers in its types and encodings. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  buildSchema,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as calls from '../../src/node/calls.ts'
import type { Query } from '../../src/node/node.ts'
import { draw, endow, type Lab, openLab, payment } from './testbed.ts'

const schema = buildSchema(readFileSync(path.join(import.meta.dirname, 'recordings/schema.sdl'), 'utf8'))
const ID = `0x${'11'.repeat(32)}`

/** Every query that the adapter sends, about this transaction, this owner and this asset. */
function documents(id: string, owner: string, asset: string, bytes: string): Query<unknown>[] {
  const [reads, coins] = [[calls.parameters(), calls.head(), calls.headers(0n, 2)], [{ txId: id, index: 0 }]]
  return [
    ...reads,
    ...[calls.tip(0n, 2), calls.fullBlock(1n), calls.blockSeconds(1n), calls.transaction(id), calls.receiptsOf(id)],
    ...[calls.coinsOf(owner, asset, null), calls.sumOf(owner, asset, true), calls.sumOf(owner, asset, false)],
    ...[calls.coinsToSpend(owner, asset, 5n), ...calls.coinsById(coins), ...calls.thingsAt([id, owner])],
    ...[calls.gasPrice(10), calls.submit(bytes)],
  ]
}

it('the list has a document of every function that makes one', () => {
  const made = new Set(documents(ID, ID, ID, '0x00').map(({ name }) => name))
  const source = readFileSync(path.join(import.meta.dirname, '../../src/node/calls.ts'), 'utf8')
  const named = new Set([...source.matchAll(/query\(\s*'(causeway\w+)'/g)].map(([, name]) => name))
  expect([...made].sort()).toEqual([...named].sort())
})

it.each(documents(ID, ID, ID, '0x00'))('$name is valid in the schema of fuel-core', ({ document }) => {
  expect(validate(schema, parse(document)).map(({ message }) => message)).toEqual([])
})

it('a document with a field that the schema lacks is not valid', () => {
  expect(validate(schema, parse('query x { chain { latestBlock { idd } } }'))).toHaveLength(1)
})

/** fuel-core writes all numbers as text, and bytes as hex. */
const SCALARS: readonly (readonly [names: RegExp, form: (value: unknown) => boolean])[] = [
  [/^(U8|U16|U32|U64|U128|Tai64Timestamp)$/, (value) => typeof value === 'string' && /^\d+$/.test(value)],
  [/^(String|ID)$/, (value) => typeof value === 'string'],
  [/^(Int|Float)$/, (value) => typeof value === 'number'],
  [/^Boolean$/, (value) => typeof value === 'boolean'],
  [/./, (value) => typeof value === 'string' && /^0x([0-9a-f]{2})*$/.test(value)],
]

/** The paths at which an answer does not have the form that the schema gives it. */
function misfits(document: string, data: unknown): string[] {
  const operation = parse(document).definitions.find(({ kind }) => kind === 'OperationDefinition')
  const { operation: kind, selectionSet } = operation as OperationDefinitionNode
  const root = schema.getRootType(kind)
  return root ? misfitsIn(root, selectionSet, data, kind) : ['no such operation']
}

function misfitsIn(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  value: unknown,
  at: string,
): string[] {
  if (isNonNullType(type)) return value === null ? [`${at}: null`] : misfitsIn(type.ofType, selections, value, at)
  if (value === null) return []
  if (isListType(type)) {
    if (!Array.isArray(value)) return [`${at}: not a list`]
    return value.flatMap((each, place) => misfitsIn(type.ofType, selections, each, `${at}[${place}]`))
  }
  if (isCompositeType(type)) return misfitsOfFields(type.name, selections, value, at)
  if (isEnumType(type)) return type.getValue(String(value)) ? [] : [`${at}: ${value} is no ${type.name}`]
  const fits = SCALARS.find(([names]) => names.test(getNamedType(type).name))?.[1](value)
  return fits ? [] : [`${at}: ${JSON.stringify(value)} is no ${getNamedType(type).name}`]
}

function misfitsOfFields(
  named: string,
  selections: SelectionSetNode | undefined,
  value: unknown,
  at: string,
): string[] {
  if (typeof value !== 'object' || value === null) return [`${at}: not an object`]
  const fields = value as Record<string, unknown>
  const name = typeof fields.__typename === 'string' ? fields.__typename : named
  const type = schema.getType(name)
  return (selections?.selections ?? []).flatMap((one): string[] => {
    if (one.kind === 'InlineFragment') {
      const isSame = !one.typeCondition || one.typeCondition.name.value === name
      return isSame ? misfitsOfFields(name, one.selectionSet, value, at) : []
    }
    if (one.kind !== 'Field' || one.name.value === '__typename') return []
    const key = one.alias?.value ?? one.name.value
    const field = isObjectType(type) ? type.getFields()[one.name.value] : undefined
    if (!field || !(key in fields)) return [`${at}.${key}: missing`]
    return misfitsIn(field.type, one.selectionSet, fields[key], `${at}.${key}`)
  })
}

describe('the local chain', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(() => lab.devnet.stop())

  it('answers every document in the types of the schema', async () => {
    const { adapter } = await lab.open('recordings')
    await endow(lab, adapter)
    const order = payment(adapter, [lab.sender.address, lab.native, 5_000n])
    const landed = await draw(adapter, order)
    await adapter.broadcast(landed.signed)
    await lab.mine()
    const next = await draw(adapter, order, [landed.slot])
    const asked = documents(landed.signed.hash, adapter.treasury, lab.place.baseAsset, next.signed.bytes)
    for (const { name, document, variables } of asked) {
      const body = JSON.stringify({ query: document, operationName: name, variables })
      const answer = await fetch(lab.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      const { data, errors } = (await answer.json()) as { data: unknown; errors?: unknown }
      expect(errors, name).toBeUndefined()
      expect(misfits(document, data), name).toEqual([])
    }
  })

  it('an answer with a number instead of a text would be noticed', () => {
    const { document } = calls.head()
    expect(misfits(document, { chain: { latestBlock: { id: ID, height: '5' } } })).toEqual([])
    expect(misfits(document, { chain: { latestBlock: { id: ID, height: 5 } } })).toEqual([
      'query.chain.latestBlock.height: 5 is no U32',
    ])
    expect(misfits(document, { chain: { latestBlock: { id: ID } } })).toEqual([
      'query.chain.latestBlock.height: missing',
    ])
  })
})
