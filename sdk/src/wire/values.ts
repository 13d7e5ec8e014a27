/** The value types of requests and resources. */
import { z } from 'zod'
import { plainNumber, plainText } from '../decimal.ts'

/** ISO-8601 with an offset. */
export const DateTime = z.iso.datetime({ offset: true })

/** Amounts for people: a JSON number, truncated to the token's precision. Never used in money arithmetic. */
export const Human = z.number()

/** Base units: a whole number as text. */
export const BaseUnits = z.string().regex(/^\d+$/)

/** Descriptions that parameters and bodies share. */
export const SLIPPAGE =
  'By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent'
export const REFUEL =
  "Deliver a little of the destination network's native token too, so that its receiver can pay fees"

/** A number, or a number as text, from the caller. Parsed as decimal text, so that it stays exact. */
export const Decimal = z
  .union([z.number().transform(plainNumber), z.string().trim().transform(plainText)], {
    error: 'must be a number, or a number as text',
  })
  .pipe(z.string().regex(/^\d{1,40}(\.\d{1,40})?$/, 'must be a plain decimal number that is not negative'))

/** A boolean in a query string. */
export const Flag = z
  .stringbool({ truthy: ['true', '1'], falsy: ['false', '0', ''] })
  .default(false)
  .meta({ type: 'boolean' })

/** A boolean in a body; absent and null mean false. */
export const Switch = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

/** More than any caller needs; duplicates count once. */
const LONGEST_LIST = 200

/** A list in a query: comma-separated, repeated, or both. */
export function listOf<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())], { error: 'must be a text, or several' })
    .transform((given) => [
      ...new Set(
        [given]
          .flat()
          .flatMap((text) => text.split(','))
          .map((text) => text.trim())
          .filter((text) => text !== ''),
      ),
    ])
    .refine((names) => names.length <= LONGEST_LIST, `must name at most ${LONGEST_LIST}`)
    .pipe(z.array(item))
}

/**
 * Bounds the caller's text that is stored, looked up or logged, and rejects control characters. The document states the
 * same with ranges, because Python's `re` knows no Unicode classes.
 */
const printable = (text: z.ZodString) =>
  text
    .max(256)
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
    .meta({ pattern: String.raw`^[^\x00-\x1f\x7f-\x9f]*$` })

export const Label = printable(z.string())

/** A network's name, or the chain id of an EVM network, also as a number. */
export const NetworkName = z
  .union([printable(z.string().trim().min(1)), z.int().nonnegative().transform(String)], {
    error: "must be a network's name, or an EVM network's chain id",
  })
  .describe("A network's name, or an EVM network's chain id")

export const TokenName = printable(z.string().trim().min(1)).describe(
  "A token's symbol or contract address; for a native token the family's zero address works too",
)

export const AddressText = printable(z.string().trim().min(1))

export const TransactionHash = z
  .string()
  .trim()
  .regex(/^[!-~]{8,128}$/, 'must be a transaction hash')
