/** Which deposits of an address are gone when something left it. */

/**
 * The oldest deposits that what is left of an address does not need. The newest are kept until they cover it, even if
 * that is more than is left: coins that no kept deposit covers would never be swept.
 */
export function depositsGone<Deposit extends { units: bigint }>(
  oldestFirst: readonly Deposit[],
  left: bigint,
): Deposit[] {
  let kept = oldestFirst.length
  for (let covered = 0n; kept > 0 && covered < left; kept--) covered += oldestFirst[kept - 1]?.units ?? 0n
  return oldestFirst.slice(0, kept)
}
