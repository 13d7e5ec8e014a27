/** A memo is a swap's reference in one of three forms, or nothing: no memo means two references. */
import { MAX_REFERENCE } from '@causeway/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoScript, numberIn, referenceIn } from './deposit.ts'

const text = (memo: string) => new TextEncoder().encode(memo)
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const output = (script: Uint8Array) => ({ script, units: 0n })
const pushed = (payload: Uint8Array) => output(Uint8Array.from([0x6a, payload.length, ...payload]))

describe('row 26: the memo', () => {
  it.each([
    ['the text that wallets push', text('aa8d71'), 11_177_329n],
    ['an odd number of digits', text('f4241'), 1_000_001n],
    ['one digit', text('7'), 7n],
    ['a tail', text('aa8d71;wallet=x'), 11_177_329n],
    ['a tail that looks like another number', text('aa8d71;f4241'), 11_177_329n],
    ['the bare bytes', bytes('aa8d71'), 11_177_329n],
    ['bare bytes with a zero inside', bytes('0f4400'), 1_000_448n],
  ])('%s is read', (_, payload, number) => {
    expect(numberIn(payload)).toBe(number)
  })

  it.each([
    ['nothing', text('')],
    ['a word', text('hello')],
    ['four letters, which are a number as bytes', text('test')],
    ['text with a leading zero, which is a number as bytes', text('0aa')],
    ['capitals', text('AA8D71')],
    ['a prefix', text('0xaa8d71')],
    ['a space behind', text('aa8d71 ')],
    ['an empty head', text(';aa8d71')],
    ['zero', text('0')],
    ['bytes with a leading zero', bytes('00aa8d71')],
    ['a zero byte', bytes('00')],
    ['text before a tail that also is a number as bytes', bytes('313bff')],
    ['a number beyond all references, in text', text('20000000000000')],
    ['a number beyond all references, in bytes', bytes('20000000000001')],
    ['more digits than any', text('aa8d71aa8d71aa8d71')],
    ['81 bytes', text(`aa8d71;${'x'.repeat(74)}`)],
  ])('%s is no number', (_, payload) => {
    expect(numberIn(payload)).toBeNull()
  })

  it('a wallet’s push of any reference is read back, and as nothing else', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_REFERENCE }), (number) => {
        expect(referenceIn([output(memoScript(number.toString()))])).toBe(number)
      }),
    )
  })

  it('bare bytes are read back as the number itself, unless all of them could be text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_REFERENCE }), (number) => {
        const digits = number.toString(16)
        const payload = bytes(digits.length % 2 ? `0${digits}` : digits)
        const couldBeText = payload.every((byte) => byte >= 0x20 && byte <= 0x7e) || payload.includes(0x3b)
        if (!couldBeText) expect(numberIn(payload)).toBe(number)
      }),
    )
  })

  it('bytes that could be the text of another number are read as that one: no reference is that small', () => {
    // Seven bytes hold any reference, and seven hex digits as text are below 2 ** 28: one draw in 2 ** 25.
    const digit = fc.constantFrom(...'0123456789abcdef')
    fc.assert(
      fc.property(fc.array(digit, { minLength: 1, maxLength: 7 }), (digits) => {
        const found = numberIn(text(digits.join('')))
        expect(found === null || found < 2n ** 28n).toBe(true)
      }),
    )
  })

  it('several memos are accepted only if they agree', () => {
    const [one, two] = [pushed(text('aa8d71')), pushed(text('f4241'))]
    expect(referenceIn([one, one])).toBe(11_177_329n)
    expect(referenceIn([one, two])).toBeNull()
    expect(referenceIn([one, pushed(text('hello'))])).toBe(11_177_329n)
    expect(referenceIn([])).toBeNull()
  })

  it('only one single push behind OP_RETURN is a memo', () => {
    const payload = text('aa8d71')
    expect(referenceIn([output(Uint8Array.from([0x6a, 6, ...payload, 0x51]))])).toBeNull()
    expect(referenceIn([output(Uint8Array.from([0x6a, 7, ...payload]))])).toBeNull()
    expect(referenceIn([output(Uint8Array.from([0x51, 6, ...payload]))])).toBeNull()
    expect(referenceIn([output(Uint8Array.of(0x6a))])).toBeNull()
    expect(referenceIn([output(Uint8Array.from([0x6a, 0x4c, 6, ...payload]))])).toBe(11_177_329n)
    expect(referenceIn([output(Uint8Array.of(0x6a, 0x55))])).toBe(5n)
  })
})
