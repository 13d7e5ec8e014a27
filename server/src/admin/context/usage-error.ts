/** The operator's mistake: printed without a stack trace. */
export class UsageError extends Error {
  override name = 'UsageError'
}
