import { expect, test } from 'vitest'
import { coversOutputs } from './sighash.ts'

const der = (type: number) => Uint8Array.from([0x30, 68, ...Array(68).fill(7), type])
const schnorr = (type: number) => Uint8Array.from([...Array(64).fill(7), type])
const key = Uint8Array.from([2, ...Array(32).fill(3)])
const pushed = (...items: Uint8Array[]) => Uint8Array.from(items.flatMap((item) => [item.length, ...item]))
const NOTHING = new Uint8Array()

test.each([
  ['ALL', 0x01, true],
  ['ALL | ANYONECANPAY', 0x81, true],
  ['NONE', 0x02, false],
  ['SINGLE', 0x03, false],
  ['NONE | ANYONECANPAY', 0x82, false],
  ['SINGLE | ANYONECANPAY', 0x83, false],
])('a signature of %s covers all outputs, or not, wherever it stands', (_, type, covers) => {
  expect(coversOutputs(NOTHING, [der(type), key])).toBe(covers)
  expect(coversOutputs(NOTHING, [schnorr(type)])).toBe(covers)
  expect(coversOutputs(pushed(der(type), key), [])).toBe(covers)
  // Two of three: one that leaves outputs open is enough.
  expect(coversOutputs(Uint8Array.from([0, ...pushed(der(0x01), der(type)), 0x4c, 33, ...key]), [])).toBe(covers)
  expect(coversOutputs(Uint8Array.from([0x4d, 71, 0, ...der(type)]), [])).toBe(covers)
})

test('keys, scripts and a signature of BIP 340 without a type leave nothing open', () => {
  expect(coversOutputs(NOTHING, [schnorr(0).subarray(0, 64)])).toBe(true)
  expect(coversOutputs(pushed(key), [key, new Uint8Array(200).fill(3)])).toBe(true)
  expect(coversOutputs(NOTHING, [])).toBe(true)
  expect(coversOutputs(Uint8Array.from([0x4d, 255]), [])).toBe(true)
})
