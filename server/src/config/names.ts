/**
 * Names of settings: a near miss is an error, because an unnoticed typo is a setting without effect. In the
 * environment, which others use too, only near misses are reported; in a settings file, every unknown name.
 */

/** Short names are close to unrelated ones: HOME is two letters from HOST. */
const SHORT = 5
/** Set by cloud platforms, and two letters from settings of ours. */
const OTHERS = new Set(['AWS_REGION'])

/** Errors in the names of an environment. */
export function nameProblems(names: readonly string[], known: readonly string[]): string[] {
  const settings = new Set(known)
  return names.flatMap((name) => {
    if (settings.has(name) || OTHERS.has(name) || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return []
    const upper = name.toUpperCase()
    // Lower-case short names are common words, so only longer settings are compared with them.
    const among = name === upper ? known : known.filter((setting) => setting.length > SHORT)
    const isNear = (setting: string) => editsBetween(upper, setting) <= (setting.length <= SHORT ? 1 : 2)
    const near = among.find((setting) => setting === upper) ?? among.find(isNear)
    return near ? [`${name}: is no setting; did you mean ${near}?`] : []
  })
}

/** The nearest setting, as a hint; null if none is similar. */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((setting) => ({ setting, edits: editsBetween(name, setting) }))
    .sort((a, b) => a.edits - b.edits)
  return nearest && nearest.edits <= 4 ? nearest.setting : null
}

/** Edit distance: insertions, deletions, changes, and swaps of neighbours. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 4) return 5
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const ways = [
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwapped && row > 1 && column > 1 ? [(before[column - 2] ?? 0) + 1] : []),
      ]
      now.push(Math.min(...ways))
    }
    before = last
    last = now
  }
  return last[other.length] ?? 0
}
