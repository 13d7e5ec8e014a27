/** The envelope of every response: `data` on success, `error` on failure, never both. */
import { z } from 'zod'

export const ApiError = z.strictObject({
  code: z.string(),
  message: z.string(),
  metadata: z.record(z.string(), z.unknown()),
})
export type ApiError = z.infer<typeof ApiError>

export const Failure = z.strictObject({ error: ApiError })
export type Failure = z.infer<typeof Failure>

export function envelope<Data extends z.ZodType>(data: Data) {
  return z.strictObject({ data })
}

/** The response of an action without a result. */
export const Nothing = z.strictObject({})
