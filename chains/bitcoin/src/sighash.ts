/**
 * Signature coverage of an input. SIGHASH_NONE and SIGHASH_SINGLE leave outputs open: anyone may add a memo to
 * such a transaction before it is mined, so the payer has not signed the memo.
 */

/** The part of a hash type that says which outputs are signed; any value but these two signs all of them. */
const OUTPUTS_MASK = 0x1f
const NONE = 0x02
const SINGLE = 0x03

const DER_TAG = 0x30
const DER_LENGTHS = { least: 9, most: 73 }
/** Length of a BIP 340 signature with a hash type; without one it covers everything. */
const SCHNORR_BYTES = 65

const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d

export function coversOutputs(scriptSig: Uint8Array, witness: readonly Uint8Array[]): boolean {
  const types = [...pushesOf(scriptSig).map(derHashType), ...witness.map(witnessHashType)]
  return types.every((type) => type === null || !leavesOpen(type))
}

function leavesOpen(type: number): boolean {
  const outputs = type & OUTPUTS_MASK
  return outputs === NONE || outputs === SINGLE
}

function witnessHashType(item: Uint8Array): number | null {
  return item.length === SCHNORR_BYTES ? (item[SCHNORR_BYTES - 1] ?? null) : derHashType(item)
}

/** The hash type of a DER signature; null if the bytes are not one. */
function derHashType(item: Uint8Array): number | null {
  const { length } = item
  if (length < DER_LENGTHS.least || length > DER_LENGTHS.most) return null
  return item[0] === DER_TAG && item[1] === length - 3 ? (item[length - 1] ?? null) : null
}

/** The pushes of a script that only pushes; only such a script has signatures. */
function pushesOf(script: Uint8Array): Uint8Array[] {
  const pushes: Uint8Array[] = []
  for (let at = 0; at < script.length; ) {
    const op = script[at++] ?? 0
    if (op > OP_PUSHDATA2) continue
    const header = op < OP_PUSHDATA1 ? 0 : op - OP_PUSHDATA1 + 1
    const length = header === 0 ? op : (script[at] ?? 0) + (header === 2 ? 256 * (script[at + 1] ?? 0) : 0)
    at += header
    pushes.push(script.subarray(at, at + length))
    at += length
  }
  return pushes
}
