/**
 * Receipts of a script, as nodes return them next to a transaction. The transaction's own bytes contain the root over
 * all receipts, so no node can put another swap's reference into a deposit.
 */
import { bytesOf, hexOf, ID_BYTES, sha256, word } from './bytes.ts'
import { merkleRoot } from './merkle.ts'

/** A receipt as a node encodes it: numbers as decimal text, ids and data as hex, missing fields as null. */
export type Receipt = Readonly<Record<string, unknown>>

/** Each type's number, and its fields in order. Data is represented by its digest. */
const KINDS: Record<string, readonly [number: number, fields: string]> = {
  CALL: [0, 'id to! amount. assetId! gas. param1. param2. pc. is.'],
  RETURN: [1, 'id val. pc. is.'],
  RETURN_DATA: [2, 'id ptr. len. digest! pc. is.'],
  PANIC: [3, 'id reason. pc. is.'],
  REVERT: [4, 'id ra. pc. is.'],
  LOG: [5, 'id ra. rb. rc. rd. pc. is.'],
  LOG_DATA: [6, 'id ra. rb. ptr. len. digest! pc. is.'],
  TRANSFER: [7, 'id to! amount. assetId! pc. is.'],
  TRANSFER_OUT: [8, 'id toAddress! amount. assetId! pc. is.'],
  SCRIPT_RESULT: [9, 'result. gasUsed.'],
  MESSAGE_OUT: [10, 'sender! recipient! amount. nonce! len. digest!'],
  MINT: [11, 'subId! contractId! val. pc. is.'],
  BURN: [12, 'subId! contractId! val. pc. is.'],
}

/** Whether these are all the receipts under this root, in this order. */
export function isRootOf(root: string, receipts: readonly Receipt[]): boolean {
  try {
    return hexOf(merkleRoot(receipts.map(encoded))) === root
  } catch {
    // An unreadable receipt matches no root.
    return false
  }
}

/** The data that these contracts logged in one transaction. Throws if a digest does not match. */
export function logsOf(receipts: readonly Receipt[], contracts: ReadonlySet<string>): Buffer[] {
  return receipts
    .filter(({ receiptType, id }) => receiptType === 'LOG_DATA' && typeof id === 'string' && contracts.has(id))
    .map((receipt) => {
      const data = bytesOf(String(receipt.data))
      if (hexOf(sha256(data)) !== receipt.digest) throw new TypeError('a log that is not its digest')
      return data
    })
}

function encoded(receipt: Receipt): Buffer {
  const kind = KINDS[String(receipt.receiptType)]
  if (!kind) throw new TypeError('unknown kind of receipt')
  const [number, fields] = kind
  return Buffer.concat([word(number), ...fields.split(' ').map((field) => fieldBytes(receipt, field))])
}

/** A dot after a field's name marks a number, an exclamation mark an id; `id` itself is zero for the script. */
function fieldBytes(receipt: Receipt, field: string): Buffer {
  if (field === 'id') return idBytes(receipt.id ?? null)
  const raw = receipt[field.slice(0, -1)]
  if (field.endsWith('!')) return idBytes(raw)
  if (typeof raw !== 'string' && typeof raw !== 'number') throw new TypeError(`a receipt without ${field}`)
  return word(BigInt(raw))
}

function idBytes(raw: unknown): Buffer {
  if (raw === null) return Buffer.alloc(ID_BYTES)
  const bytes = bytesOf(String(raw))
  if (bytes.length !== ID_BYTES) throw new TypeError('an id was expected')
  return bytes
}
