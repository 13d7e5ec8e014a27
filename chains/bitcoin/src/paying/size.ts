/** Sizes of our transactions, known before signing, and what follows from them: the fee and the dust limit. */
import { mulDiv } from '@causeway/core'

/**
 * Weight units of a transaction's frame: four per byte, one per witness byte (BIP 141). Version, counts, lock time and
 * the witness marker.
 */
const FRAME_WEIGHT = 4 * 10 + 2
/**
 * Weight of an input: outpoint, empty script and sequence; in the witness a signature of at most 72 bytes and a key of
 * 33.
 */
const INPUT_WEIGHT = 4 * 41 + 108
/** Bytes of an output besides its script: the amount and the script's length. */
const OUTPUT_BYTES = 9
/** A count above 252 takes two more bytes. */
const LONG_COUNT = 253

/** Virtual bytes of a transaction with this many of our inputs and these scripts; at most a byte or two too many. */
export function sizeOf(inputs: number, scriptBytes: readonly number[]): bigint {
  const long = [inputs, scriptBytes.length].filter((count) => count >= LONG_COUNT).length
  const outputs = scriptBytes.reduce((sum, bytes) => sum + OUTPUT_BYTES + bytes, 0)
  return BigInt(Math.ceil((FRAME_WEIGHT + long * 8 + inputs * INPUT_WEIGHT + outputs * 4) / 4))
}

export function feeFor(vsize: bigint, rate: bigint): bigint {
  return mulDiv(vsize, rate, 1_000n, 'up')
}

/** The rate in sat per virtual byte by which Core defines dust. */
const DUST_RATE = 3

/** The smallest output that nodes relay: spending a smaller one would cost more than a third of it. */
export function dustLimit(script: Uint8Array): bigint {
  const isWitness = script.length >= 4 && (script[0] === 0x00 || script[0] === 0x51)
  return BigInt(DUST_RATE * (OUTPUT_BYTES + script.length + (isWitness ? 67 : 148)))
}
