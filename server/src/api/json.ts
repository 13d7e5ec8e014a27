/** Answers as JSON text. Amounts are written out in full: JavaScript would print 0.00000001 as 1e-8. */
import { plainNumber } from '@causeway/sdk'

/** A number with an exponent, where JSON has a number. A text that looks like one costs a moment and is not changed. */
const EXPONENT = /[:,[]-?\d+(?:\.\d+)?e[+-]\d+[,}\]]/

export function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  // Answering with the plain text is several times faster than asking about every value; few answers need it.
  return EXPONENT.test(text) ? JSON.stringify(value, plainly) : text
}

function plainly(_name: string, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return value
  const text = plainNumber(value)
  return text === String(value) ? value : rawJson(text)
}

/** Writes a text into JSON as it is. In Node since 21; the compiler's library does not list it yet. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON
