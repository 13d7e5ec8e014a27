/**
 * The script of a deposit: it calls `watch(number)` of the watchdog and returns. All pointers are relative to the
 * script, so it does not depend on the space that a network reserves in front of a transaction.
 */
import { bytesOf, ID_BYTES, padded, word } from '../bytes.ts'

const NAME = 'watch'

/** Numbers of registers: those of the machine itself, and some that are free. */
const [ZERO, ONE, SP, CGAS, IS] = [0x00, 0x01, 0x05, 0x0a, 0x0c]
const [CALL, DATA, VALUE] = [0x10, 0x11, 0x12]

const [MOVE, RET, MCP, CALLS, ADDI, SW, MOVI, CFEI] = [0x1a, 0x24, 0x28, 0x2d, 0x50, 0x5f, 0x72, 0x91]

const instruction = (code: number, a: number, b = 0, c = 0, d = 0): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(code * 2 ** 24 + a * 2 ** 18 + b * 2 ** 12 + c * 2 ** 6 + d)
  return bytes
}
/** Encodes an instruction with two registers and a 12-bit number. */
const withNumber = (code: number, a: number, b: number, value: number) =>
  instruction(code, a, b, value >> 6, value & 63)

const SELECTOR = Buffer.concat([word(NAME.length), Buffer.from(NAME)])
/** Size of the call: the contract, and the pointers to its function's name and arguments. */
const CALL_BYTES = ID_BYTES + 2 * 8
const SELECTOR_AT = ID_BYTES
const NUMBER_AT = SELECTOR_AT + padded(SELECTOR).length
const ASSET_AT = NUMBER_AT + 8
const INSTRUCTIONS = 12

/** Builds the call on the stack, makes it without coins and with all remaining gas, and returns. */
export const WATCH_SCRIPT = Buffer.concat([
  instruction(MOVE, CALL, SP),
  instruction(CFEI, 0, 0, 0, CALL_BYTES),
  withNumber(ADDI, DATA, IS, INSTRUCTIONS * 4),
  withNumber(MOVI, VALUE, 0, ID_BYTES),
  instruction(MCP, CALL, DATA, VALUE),
  withNumber(ADDI, VALUE, DATA, SELECTOR_AT),
  withNumber(SW, CALL, VALUE, ID_BYTES / 8),
  withNumber(ADDI, VALUE, DATA, NUMBER_AT),
  withNumber(SW, CALL, VALUE, ID_BYTES / 8 + 1),
  withNumber(ADDI, VALUE, DATA, ASSET_AT),
  instruction(CALLS, CALL, ZERO, VALUE, CGAS),
  instruction(RET, ONE),
])

export function watchData(watchdog: string, number: bigint, asset: string): Buffer {
  return Buffer.concat([bytesOf(watchdog), padded(SELECTOR), word(number), bytesOf(asset)])
}
