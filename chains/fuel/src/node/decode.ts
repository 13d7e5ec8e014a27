/** Decoders for JSON from outside: each returns the expected kind or throws. */
import { asObject as fieldsOf, asArray as list, asString as text } from '@causeway/chain-kit'

export { asArray as list, asObject as fieldsOf, asString as text, optional } from '@causeway/chain-kit'

export function id(raw: unknown): string {
  const value = text(raw)
  if (!/^0x[0-9a-f]{64}$/.test(value)) throw new TypeError('an id was expected')
  return value
}

/** Numbers come as decimal text, since many exceed JSON's safe integers. */
export function integer(raw: unknown): bigint {
  const value = typeof raw === 'number' ? String(raw) : text(raw)
  if (!/^\d{1,39}$/.test(value)) throw new TypeError('an integer was expected')
  return BigInt(value)
}

/** The rows of a page, and the cursor of the next one. */
export function pageOf<T>(raw: unknown, read: (node: unknown) => T): { rows: T[]; after: string | null } {
  const { edges, pageInfo } = fieldsOf(raw)
  const { hasNextPage, endCursor } = fieldsOf(pageInfo)
  return {
    rows: list(edges).map((edge) => read(fieldsOf(edge).node)),
    after: hasNextPage === true ? text(endCursor) : null,
  }
}
