/**
 * Finds the block in which a condition became true, for conditions that stay true from then on (a used nonce, for
 * example). Searches backwards in doubling steps, because the block is usually recent, then bisects the last step.
 */

/**
 * `isTrueAt` returns null if the node does not know, for example because it has pruned that state. Then the result is
 * null and proves nothing. Null also if the condition is false at `last`, the newest block to search.
 */
export async function firstBlockWhere(
  isTrueAt: (block: bigint) => Promise<boolean | null>,
  last: bigint,
): Promise<bigint | null> {
  if (last < 0n || (await isTrueAt(last)) !== true) return null
  let first = last
  let before = -1n
  for (let step = 1n; first - step >= 0n; step *= 2n) {
    const isTrue = await isTrueAt(first - step)
    if (isTrue === null) return null
    if (!isTrue) {
      before = first - step
      break
    }
    first -= step
  }
  while (first - before > 1n) {
    const middle = (first + before) / 2n
    const isTrue = await isTrueAt(middle)
    if (isTrue === null) return null
    if (isTrue) first = middle
    else before = middle
  }
  return first
}
