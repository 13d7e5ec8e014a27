/** Decoders for a node's JSON: each throws on an unexpected kind, and the node then counts as failed. */
import { asObject as record } from '@causeway/chain-kit'

export { asArray as list, asInteger as integer, asObject as record } from '@causeway/chain-kit'

export function hexText(raw: unknown): string {
  if (typeof raw === 'string' && /^(?:[0-9a-fA-F]{2})*$/.test(raw)) return raw.toLowerCase()
  throw new TypeError('hex was expected')
}

export function isEmpty(raw: unknown): boolean {
  return Object.keys(record(raw)).length === 0
}

/** Decodes a reason, which nodes write in hex. */
export function reasonIn(raw: unknown): string {
  const text = String(raw ?? '')
  return /^(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, 'hex').toString('utf8') : text
}
