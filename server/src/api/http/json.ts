/**
 * Writes responses as JSON text. Amounts are written as plain decimals, because JavaScript prints 0.00000001 as 1e-8. A
 * response repeats the same few networks and tokens: their text is made once and reused.
 */
import { plainNumber } from '@causeway/sdk'

/** Cached JSON text of objects that never change; empty until first needed. */
const constants = new WeakMap<object, string>()

/** Marks an object as never changing. */
export function asConstant<Value extends object>(value: Value): Value {
  constants.set(value, '')
  return value
}

export function toJson(value: unknown): string {
  return textOf(value) ?? 'null'
}

/** The JSON text of a value. Values that JSON cannot express are omitted from objects and are null in lists. */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? plainNumber(value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      return value === null ? 'null' : textOfObject(value)
    case 'bigint':
      throw new TypeError('a bigint is no JSON: amounts are numbers or texts')
    default:
      return undefined
  }
}

function textOfObject(value: object): string {
  const constant = constants.get(value)
  if (constant) return constant
  const text = Array.isArray(value)
    ? listText(value)
    : 'toJSON' in value
      ? JSON.stringify(value)
      : `{${toFields(value)}}`
  if (constant !== '') return text
  const kept = flatten(text)
  constants.set(value, kept)
  return kept
}

/**
 * Flattens a text in memory. A text that was joined from many parts is a tree, which every response that contains it
 * walks again. That costs more than all else in a quote, so cached texts are flattened once.
 */
export function flatten(text: string): string {
  return Buffer.from(text).toString()
}

function listText(items: unknown[]): string {
  let text = ''
  for (const item of items) text += `${text === '' ? '' : ','}${textOf(item) ?? 'null'}`
  return `[${text}]`
}

/** The fields of an object without braces, to be joined with others. */
export function toFields(fields: object): string {
  let text = ''
  for (const name in fields) {
    const value = textOf(fields[name as keyof typeof fields])
    if (value !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${value}`
  }
  return text
}

/** Cache of our own field names, which are few; its limit keeps out foreign record keys. */
const names = new Map<string, string>()
const MAX_NAMES = 1_000

function quoted(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const text = JSON.stringify(name)
  if (names.size < MAX_NAMES) names.set(name, text)
  return text
}
